// SPDX-License-Identifier: Apache-2.0
#include "partita/check/price_layers.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace partita::detail {
namespace {

using Int = std::int64_t;
constexpr std::uint64_t kStepsPerLook = 1 << 14;  // at the clock
constexpr std::uint64_t kTicksPerLook = kStepsPerLook / 2;
constexpr std::size_t kRelationsPerStep = 8;     // that are looked at
constexpr std::size_t kCharactersPerStep = 8;    // of an arc, which is made by way of a state
constexpr std::size_t kBytesPerOpenState = 160;  // and twice its characters, while its layer is being made

// What a state has a character for.
enum class OpenKind : std::uint8_t { Transfer, Pair, Point };
struct OpenThing {
  OpenKind kind;
  std::size_t index;
  bool operator==(const OpenThing&) const = default;
};

// Transfers and pairs.
constexpr char kIn = 'i', kOut = 'o', kMixed = 'm';
// Points: the lowest and the highest label that is left.
constexpr char interval(int lowest, int highest) { return static_cast<char>('A' + lowest + 3 * highest); }
constexpr int lowest_of(char c) { return (c - 'A') % 3; }
constexpr int highest_of(char c) { return (c - 'A') / 3; }
constexpr char kAnyLabel = interval(0, 2);

bool raise_lowest(char& c, int label) {
  if (label > highest_of(c)) return false;
  if (label > lowest_of(c)) c = interval(label, highest_of(c));
  return true;
}
bool lower_highest(char& c, int label) {
  if (label < lowest_of(c)) return false;
  if (label < highest_of(c)) c = interval(lowest_of(c), label);
  return true;
}
bool allows(char c, int label) { return lowest_of(c) <= label && label <= highest_of(c); }

// What a class does to the states. Works on a row of characters: those of the state before, and those that open here.
struct ClassStep {
  struct Paid {
    std::size_t place;
    Int load;
  };
  struct Inherited {  // by a point that opens
    std::size_t from, to;
    bool from_below;  // `from` leads to `to`
  };
  struct OwnPoint {
    std::size_t place;
    std::vector<std::size_t> above, below;  // open or own later points that it leads to, that lead to it
  };
  struct Watched {  // a transfer whose undecided members have open points
    Paid transfer;
    std::vector<std::size_t> points;
  };

  std::vector<OpenKind> opening;
  std::vector<Paid> touched;                                // transfers that were open before
  std::vector<std::pair<std::size_t, bool>> closing_pairs;  // place, together
  std::vector<Inherited> inherited;
  std::vector<OwnPoint> own;
  std::vector<Watched> watched;
  std::vector<std::size_t> kept;                // places of what stays open
  std::vector<std::vector<std::size_t>> alike;  // of these, by their places among them: transfers alike from here on
};

struct Extent {
  std::size_t first, last;
};

class LayerBuilder {
 public:
  LayerBuilder(const PriceQuestion& question, PriceMeter& meter) : question_(question), meter_(meter) {
    const std::size_t n = question.classes.size();
    transfers_of_.resize(n);
    pairs_of_.resize(n);
    points_of_.resize(n);
    for (std::size_t e = 0; e < question.transfers.size(); ++e) {
      const auto& members = question.transfers[e].members;
      const auto [first, last] = std::minmax_element(members.begin(), members.end());
      extents_.push_back({*first, *last});
      for (const std::size_t c : members) transfers_of_[c].push_back(e);
      members_.push_back(members);
      std::sort(members_.back().begin(), members_.back().end());
    }
    for (std::size_t i = 0; i < question.pairs.size(); ++i) {
      pairs_of_[question.pairs[i].a].push_back(i);
      pairs_of_[question.pairs[i].b].push_back(i);
    }
    for (std::size_t p = 0; p < question.class_of_point.size(); ++p) {
      if (!question.forgotten[p]) points_of_[question.class_of_point[p]].push_back(p);
    }
    is_open_.resize(question.class_of_point.size(), 0);
  }

  std::vector<PriceLayer> build() {
    std::vector<PriceLayer> layers;
    states_ = {""};
    least_ = {0};
    for (std::size_t t = 0; t < question_.classes.size(); ++t) {
      layers.push_back(layer(t));
      if (meter_.stopped()) return layers;
    }
    layers.push_back({std::vector<std::size_t>(states_.size() + 1, 0), {}});
    return layers;
  }

 private:
  PriceLayer layer(std::size_t t) {
    const ClassStep step = step_of(t);
    PriceLayer layer;
    layer.first.push_back(0);
    next_states_.clear();
    next_least_.clear();
    index_.clear();
    const std::size_t before = step.kept.size() + kBytesPerOpenState;
    for (std::size_t s = 0; s < states_.size(); ++s) {
      for (const bool take : {false, true}) {
        if (meter_.out_of_bounds(states_.size() * before + layer.arcs.size() * sizeof(PriceArc) +
                                 next_states_.size() * (2 * step.kept.size() + kBytesPerOpenState)))
          return layer;
        if (take && !question_.classes[t].may_be_taken) continue;
        add_arcs(step, t, s, take, layer);
      }
      layer.first.push_back(layer.arcs.size());
    }
    // Two more numbers by state are kept with the layer (price_program.cpp).
    meter_.keep(layer.arcs.size() * sizeof(PriceArc) + layer.first.size() * 3 * sizeof(Int));
    states_.swap(next_states_);
    least_.swap(next_least_);
    open_ = std::move(open_after_);
    return layer;
  }

  ClassStep step_of(std::size_t t) {
    ClassStep step;
    std::vector<OpenThing> row = open_;
    const auto open_here = [&](OpenThing thing) {
      row.push_back(thing);
      step.opening.push_back(thing.kind);
      return row.size() - 1;
    };
    std::unordered_map<std::size_t, std::size_t> place_of_transfer, place_of_pair, place_of_point;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      (open_[i].kind == OpenKind::Transfer ? place_of_transfer
       : open_[i].kind == OpenKind::Pair   ? place_of_pair
                                           : place_of_point)[open_[i].index] = i;
    }
    for (const std::size_t e : transfers_of_[t]) {
      const auto it = place_of_transfer.find(e);
      if (it == place_of_transfer.end()) {
        place_of_transfer[e] = open_here({OpenKind::Transfer, e});
      } else {
        step.touched.push_back({it->second, question_.transfers[e].load});
      }
    }
    for (const std::size_t i : pairs_of_[t]) {
      const auto it = place_of_pair.find(i);
      if (it == place_of_pair.end()) {
        open_here({OpenKind::Pair, i});
      } else {
        step.closing_pairs.emplace_back(it->second, question_.pairs[i].together);
      }
    }
    add_points(t, step, place_of_point, open_here);
    open_after_.clear();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!stays_open(row[i], t)) continue;
      step.kept.push_back(i);
      open_after_.push_back(row[i]);
      if (row[i].kind == OpenKind::Transfer) watch(row[i].index, i, t, place_of_point, step);
    }
    find_alike(t, step);
    return step;
  }

  void find_alike(std::size_t t, ClassStep& step) const {
    // By load, last member and number of undecided members; then by the members themselves.
    std::map<std::tuple<Int, std::size_t, std::size_t>, std::vector<std::size_t>> similar;
    const auto undecided = [&](std::size_t at) {
      const std::vector<std::size_t>& members = members_[open_after_[at].index];
      return std::span(std::upper_bound(members.begin(), members.end(), t), members.end());
    };
    for (std::size_t at = 0; at < open_after_.size(); ++at) {
      if (open_after_[at].kind != OpenKind::Transfer) continue;
      const std::size_t e = open_after_[at].index;
      similar[{question_.transfers[e].load, extents_[e].last, undecided(at).size()}].push_back(at);
    }
    for (auto& [key, places] : similar) {
      while (places.size() > 1) {
        const auto first = undecided(places.front());
        std::vector<std::size_t> equal, others;
        for (const std::size_t at : places) {
          meter_.count_steps(1 + first.size() / kRelationsPerStep);
          (std::ranges::equal(undecided(at), first) ? equal : others).push_back(at);
        }
        if (equal.size() > 1) step.alike.push_back(std::move(equal));
        places = std::move(others);
        if (meter_.out_of_bounds(0)) return;
      }
    }
  }

  template <class OpenHere>
  void add_points(std::size_t t, ClassStep& step, std::unordered_map<std::size_t, std::size_t>& place,
                  const OpenHere& open_here) {
    if (points_of_[t].empty()) return;
    const PointOrder& order = *question_.order;
    std::vector<std::size_t> news;
    const auto open_point = [&](std::size_t p) {
      if (is_open_[p] || question_.forgotten[p]) return;
      is_open_[p] = 1;
      place[p] = open_here({OpenKind::Point, p});
      news.push_back(p);
    };
    for (const std::size_t p : points_of_[t]) {
      open_point(p);
      for (const auto* neighbours : {&order.after(p), &order.before(p)}) {
        for (const std::size_t q : *neighbours) {
          if (question_.class_of_point[q] > t) open_point(q);
        }
      }
    }
    const std::size_t old = open_.size();
    for (const std::size_t p : news) {
      meter_.count_steps(old / kRelationsPerStep);
      if (meter_.out_of_bounds(0)) return;
      for (std::size_t i = 0; i < old; ++i) {
        if (open_[i].kind != OpenKind::Point) continue;
        if (order.leads_to(open_[i].index, p)) step.inherited.push_back({i, place[p], true});
        if (order.leads_to(p, open_[i].index)) step.inherited.push_back({i, place[p], false});
      }
    }
    std::vector<std::pair<std::size_t, std::size_t>> undecided(place.begin(), place.end());
    std::sort(undecided.begin(), undecided.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const std::size_t p : points_of_[t]) {
      meter_.count_steps(undecided.size() / kRelationsPerStep);
      if (meter_.out_of_bounds(0)) return;
      std::erase_if(undecided, [&](const auto& one) { return one.first == p; });
      ClassStep::OwnPoint& own = step.own.emplace_back(ClassStep::OwnPoint{place[p], {}, {}});
      for (const auto& [q, at] : undecided) {
        if (order.leads_to(p, q)) own.above.push_back(at);
        if (order.leads_to(q, p)) own.below.push_back(at);
      }
    }
  }

  bool stays_open(const OpenThing& thing, std::size_t t) const {
    switch (thing.kind) {
      case OpenKind::Transfer: return extents_[thing.index].last > t;
      case OpenKind::Pair: return std::max(question_.pairs[thing.index].a, question_.pairs[thing.index].b) > t;
      case OpenKind::Point: return question_.class_of_point[thing.index] > t;
    }
    return false;
  }

  void watch(std::size_t transfer, std::size_t at, std::size_t t,
             const std::unordered_map<std::size_t, std::size_t>& place_of_point, ClassStep& step) const {
    ClassStep::Watched watched{{at, question_.transfers[transfer].load}, {}};
    for (const std::size_t c : question_.transfers[transfer].members) {
      if (c <= t) continue;
      for (const std::size_t p : points_of_[c]) {
        if (const auto it = place_of_point.find(p); it != place_of_point.end()) watched.points.push_back(it->second);
      }
    }
    if (!watched.points.empty()) step.watched.push_back(std::move(watched));
  }

  void add_arcs(const ClassStep& step, std::size_t t, std::size_t s, bool take, PriceLayer& layer) {
    const char now = take ? kIn : kOut;
    std::string row = states_[s];
    for (const OpenKind kind : step.opening) row.push_back(kind == OpenKind::Point ? kAnyLabel : now);
    Int load = take ? question_.classes[t].load : 0;
    if (least_[s] + load > question_.limit) return;
    for (const auto& [at, together] : step.closing_pairs) {
      if (together ? row[at] != now : take && row[at] == kIn) return;
    }
    for (const ClassStep::Paid& transfer : step.touched) {
      if (row[transfer.place] == kMixed || row[transfer.place] == now) continue;
      load += transfer.load;
      if (least_[s] + load > question_.limit) return;
      row[transfer.place] = kMixed;
    }
    for (const ClassStep::Inherited& bound : step.inherited) {
      char& to = row[bound.to];
      if (!(bound.from_below ? raise_lowest(to, lowest_of(row[bound.from]))
                             : lower_highest(to, highest_of(row[bound.from]))))
        return;
    }
    rows_.assign(1, std::move(row));
    for (const ClassStep::OwnPoint& point : step.own) {
      label(point, take);
      if (rows_.empty() || meter_.out_of_bounds(rows_.size() * (states_[s].size() + kBytesPerOpenState))) return;
    }
    for (std::string& labelled : rows_) finish_arc(step, labelled, s, take, load, layer);
  }

  // Gives a point of the class the labels that it can have, in every row.
  void label(const ClassStep::OwnPoint& point, bool take) {
    labelled_.clear();
    for (const std::string& row : rows_) {
      const char c = row[point.place];
      const auto with = [&](int label) {
        if (!allows(c, label)) return;
        std::string next = row;
        next[point.place] = kAnyLabel;  // it has been decided
        for (const std::size_t q : point.above) {
          if (!raise_lowest(next[q], label)) return;
        }
        for (const std::size_t q : point.below) {
          if (!lower_highest(next[q], label)) return;
        }
        labelled_.push_back(std::move(next));
      };
      if (take) {
        with(1);
      } else {
        const bool either = allows(c, 0) && allows(c, 2);
        if (!(either && !point.below.empty() && point.above.empty())) with(0);
        if (!(either && point.below.empty())) with(2);
      }
    }
    if (labelled_.size() > 1) {
      std::sort(labelled_.begin(), labelled_.end());
      labelled_.erase(std::unique(labelled_.begin(), labelled_.end()), labelled_.end());
    }
    rows_.swap(labelled_);
  }

  void finish_arc(const ClassStep& step, std::string& row, std::size_t s, bool take, Int load, PriceLayer& layer) {
    for (const ClassStep::Watched& watched : step.watched) {
      char& transfer = row[watched.transfer.place];
      if (transfer == kMixed) continue;
      const auto forced = [&](std::size_t at) {
        return transfer == kIn ? !allows(row[at], 1) : row[at] == interval(1, 1);
      };
      if (std::none_of(watched.points.begin(), watched.points.end(), forced)) continue;
      load += watched.transfer.load;
      if (least_[s] + load > question_.limit) return;
      transfer = kMixed;
    }
    const Int least = least_[s] + load;
    meter_.count_steps(1 + step.kept.size() / kCharactersPerStep);
    std::string state(step.kept.size(), ' ');
    for (std::size_t i = 0; i < step.kept.size(); ++i) state[i] = row[step.kept[i]];
    for (const std::vector<std::size_t>& places : step.alike) {
      alike_.clear();
      for (const std::size_t at : places) alike_.push_back(state[at]);
      std::sort(alike_.begin(), alike_.end());
      for (std::size_t i = 0; i < places.size(); ++i) state[places[i]] = alike_[i];
    }
    const auto [it, added] = index_.try_emplace(std::move(state), static_cast<std::int32_t>(next_states_.size()));
    if (added) {
      next_states_.push_back(it->first);
      next_least_.push_back(least);
    } else {
      next_least_[it->second] = std::min(next_least_[it->second], least);
    }
    layer.arcs.push_back({it->second, take, load});
  }

  const PriceQuestion& question_;
  PriceMeter& meter_;
  std::vector<Extent> extents_;                    // by transfer: its first and last member
  std::vector<std::vector<std::size_t>> members_;  // by transfer, sorted
  std::vector<std::vector<std::size_t>> transfers_of_, pairs_of_,
      points_of_;              // by class; points that are not forgotten
  std::vector<char> is_open_;  // by point: has it ever been?
  std::vector<OpenThing> open_, open_after_;
  std::vector<std::string> states_, next_states_;
  std::vector<Int> least_, next_least_;                  // by state: least load of a path to it
  std::unordered_map<std::string, std::int32_t> index_;  // of the next states
  std::vector<std::string> rows_, labelled_;
  std::string alike_;
};

}  // namespace

bool PriceMeter::out_of_bounds(std::size_t passing_bytes) {
  if (kept_ + passing_bytes > budget_.limits().memory_bytes) stopped_ = PriceAnswer::NoMemory;
  if (++steps_ >= kStepsPerLook) {
    steps_ = 0;
    budget_.spend(kTicksPerLook);
    if (budget_.exhausted()) stopped_ = PriceAnswer::NoTime;
  }
  return stopped_.has_value();
}

std::vector<PriceLayer> price_layers(const PriceQuestion& question, PriceMeter& meter) {
  return LayerBuilder(question, meter).build();
}

}  // namespace partita::detail
