// SPDX-License-Identifier: Apache-2.0
// The dynamic program takes the classes in the given order. After each class, a state tells for every open transfer
// (some members decided, some not) whether the members so far are all in the set, all out, or mixed; mixed costs its
// transfer at once. Labels (load, price) at a state stand for the sets that lead there. Two labels in one bucket of
// load are replaced by one with the smaller load and the higher price, which is no worse than either. A label is
// dropped when even its best completion cannot exceed the goal: completions are bounded by longest paths in which every
// unit of load costs theta / 2^36, with theta times the room left granted on top. All three steps err only towards
// higher prices, so if no label ends above the goal, no set within the limit is dearer.
//
// Certificates come from anywhere, and the number of states is exponential in the number of open transfers: what is
// made is counted against the budget's memory, and time is asked for inside every long loop. Tests:
// tests/check/certificate_test.cpp, tests/check/certificate_limits_test.cpp.
#include "partita/check/price_program.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>

#include "partita/util/wide_int.h"

namespace partita::detail {
namespace {

using Int = std::int64_t;
constexpr Int kTooMuch = std::numeric_limits<Int>::max() / 4;
constexpr Int kMinusInfinity = std::numeric_limits<Int>::min() / 4;
constexpr Int kLeastPrice = -(Int{1} << 60);  // sums that are lower still are taken for this, which is no less valid
constexpr std::uint64_t kLabelsPerTick = 8;
constexpr std::uint64_t kStepsPerLook = 1 << 14;  // at the clock
constexpr std::size_t kMostKept = 1024;           // labels of a state for which room is kept

struct Arc {
  std::int32_t to = -1;
  Int load = 0;
};

struct Layer {
  std::vector<std::array<Arc, 2>> arcs;  // by state: left, taken
  std::vector<Int> completion;           // by state: most price less theta per load, from here to the end
  std::vector<Int> least_rest;           // by state: least load from here to the end
};
constexpr std::size_t kBytesPerState = sizeof(std::array<Arc, 2>) + 2 * sizeof(Int);
constexpr std::size_t kBytesPerOpenState = 160;  // and twice its characters, while its layer is being made

Int charged(Int theta, Int load) { return static_cast<Int>((static_cast<WideInt>(theta) * load) >> kThetaShift); }

struct Extent {
  std::size_t first, last;
};

std::vector<Extent> extents(const PriceQuestion& question) {
  std::vector<Extent> result;
  for (const PriceQuestion::Transfer& transfer : question.transfers) {
    const auto [first, last] = std::minmax_element(transfer.members.begin(), transfer.members.end());
    result.push_back({*first, *last});
  }
  return result;
}

// What a class does to the states: which open transfers stay, which open, and which it is a member of.
struct StateStep {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Touched {
    Int load;
    std::size_t before, after;  // its place among the open transfers, if it is one
  };
  std::vector<std::size_t> kept;  // by place after: place before, kNone where it opens here
  std::vector<Touched> touched;   // those that were open before

  // The state after the class, and what the class adds to the load.
  std::string take(const std::string& state, bool take, Int& load) const {
    const char now = take ? 'i' : 'o';
    std::string result(kept.size(), now);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (kept[i] != kNone) result[i] = state[kept[i]];
    }
    for (const Touched& t : touched) {
      if (state[t.before] == 'm' || state[t.before] == now) continue;
      load += t.load;
      if (t.after != kNone) result[t.after] = 'm';
    }
    return result;
  }
};

class PriceProgram {
 public:
  PriceProgram(const PriceQuestion& question, Budget& budget)
      : question_(question), budget_(budget), extents_(extents(question)) {}

  PriceAnswer run() {
    build_layers();
    if (stopped_) return *stopped_;
    bound_completions();
    return look();
  }

 private:
  // A state is a string: one character for each open transfer, in the order in which they opened.
  void build_layers() {
    const std::size_t n = question_.classes.size();
    std::vector<std::vector<std::size_t>> of_class(n);
    for (std::size_t e = 0; e < question_.transfers.size(); ++e) {
      for (const std::size_t c : question_.transfers[e].members) of_class[c].push_back(e);
    }
    std::vector<std::size_t> open;  // transfers, as the characters of a state stand for
    std::vector<std::string> states{""};
    for (std::size_t t = 0; t < n; ++t) {
      std::vector<std::size_t> open_after;
      const StateStep step = step_of(t, of_class[t], open, open_after);
      std::unordered_map<std::string, std::int32_t> index;
      std::vector<std::string> next;
      Layer layer;
      layer.arcs.resize(states.size());
      for (std::size_t s = 0; s < states.size(); ++s) {
        if (out_of_bounds(states.size() * (open.size() + kBytesPerOpenState) +
                          next.size() * (kBytesPerState + 2 * open_after.size() + kBytesPerOpenState)))
          return;
        for (const bool take : {false, true}) {
          if (take && !question_.classes[t].may_be_taken) continue;
          Int load = take ? question_.classes[t].load : 0;
          std::string state = step.take(states[s], take, load);
          if (load > question_.limit) continue;
          const auto [it, added] = index.try_emplace(std::move(state), static_cast<std::int32_t>(next.size()));
          if (added) next.push_back(it->first);
          layer.arcs[s][take] = {it->second, load};
        }
      }
      layer_bytes_ += next.size() * kBytesPerState;
      layers_.push_back(std::move(layer));
      states = std::move(next);
      open = std::move(open_after);
    }
    layers_.push_back({std::vector<std::array<Arc, 2>>(states.size()), {}, {}});
  }

  StateStep step_of(std::size_t t, const std::vector<std::size_t>& touched, const std::vector<std::size_t>& open,
                    std::vector<std::size_t>& open_after) const {
    StateStep step;
    std::unordered_map<std::size_t, std::size_t> place_after, place_before;
    const auto keep = [&](std::size_t transfer, std::size_t before) {
      if (extents_[transfer].last == t) return;
      place_after[transfer] = open_after.size();
      open_after.push_back(transfer);
      step.kept.push_back(before);
    };
    for (std::size_t i = 0; i < open.size(); ++i) {
      place_before[open[i]] = i;
      keep(open[i], i);
    }
    for (const std::size_t e : touched) {
      if (extents_[e].first == t) keep(e, StateStep::kNone);
    }
    for (const std::size_t e : touched) {
      const auto before = place_before.find(e), after = place_after.find(e);
      if (before == place_before.end()) continue;  // it opens here
      step.touched.push_back(
          {question_.transfers[e].load, before->second, after == place_after.end() ? StateStep::kNone : after->second});
    }
    return step;
  }

  // Looks at the memory in use each time, at the clock from time to time; true if one of them has run out.
  bool out_of_bounds(std::size_t passing_bytes) {
    if (layer_bytes_ + passing_bytes > budget_.limits().memory_bytes) stopped_ = PriceAnswer::NoMemory;
    if (++steps_ >= kStepsPerLook) {
      steps_ = 0;
      if (budget_.exhausted()) stopped_ = PriceAnswer::NoTime;
    }
    return stopped_.has_value();
  }

  void bound_completions() {
    layers_.back().completion.assign(layers_.back().arcs.size(), 0);
    layers_.back().least_rest.assign(layers_.back().arcs.size(), 0);
    for (std::size_t t = layers_.size() - 1; t-- > 0;) {
      Layer& layer = layers_[t];
      layer.completion.assign(layer.arcs.size(), kMinusInfinity);
      layer.least_rest.assign(layer.arcs.size(), kTooMuch);
      for (std::size_t s = 0; s < layer.arcs.size(); ++s) {
        for (const bool take : {false, true}) {
          const Arc& arc = layer.arcs[s][take];
          if (arc.to < 0) continue;
          const Int rest = layers_[t + 1].completion[arc.to];
          if (rest == kMinusInfinity) continue;
          layer.least_rest[s] = std::min(layer.least_rest[s], arc.load + layers_[t + 1].least_rest[arc.to]);
          layer.completion[s] =
              std::max({layer.completion[s], kLeastPrice,
                        (take ? question_.classes[t].price : 0) - charged(question_.theta, arc.load) + rest});
        }
      }
    }
  }

  struct Label {
    Int load, price;
    std::int32_t bucket;
  };

  PriceAnswer look() {
    std::vector<std::vector<Label>> labels(1), next;  // by state
    labels[0].push_back({0, 0, 0});
    std::size_t held = 1;
    for (std::size_t t = 0; t + 1 < layers_.size(); ++t) {
      const Layer& layer = layers_[t];
      next.resize(layers_[t + 1].arcs.size());
      for (auto& of_state : next) of_state.clear();
      std::size_t made = 0;
      for (std::size_t s = 0; s < layer.arcs.size(); ++s) {
        for (const bool take : {false, true}) {
          const Arc& arc = layer.arcs[s][take];
          if (arc.to < 0) continue;
          made += extend(labels[s], arc, take ? question_.classes[t].price : 0, layers_[t + 1], next[arc.to]);
          steps_ += labels[s].size() / kLabelsPerTick;
          if (out_of_bounds((held + made) * sizeof(Label))) return *stopped_;
        }
        if (labels[s].capacity() > kMostKept) labels[s] = {};  // small ones are used again, two layers on
      }
      held = 0;
      for (auto& of_state : next) {
        thin_out(of_state);
        held += of_state.size();
      }
      labels.swap(next);
      budget_.spend(1 + made / kLabelsPerTick);
      if (budget_.exhausted()) return PriceAnswer::NoTime;
    }
    for (const auto& of_state : labels) {
      for (const Label& label : of_state) {
        if (label.price > question_.goal) return PriceAnswer::MaybeDearer;
      }
    }
    return PriceAnswer::NoneDearer;
  }

  // The labels at the end of an arc that can still exceed the goal; how many there are.
  std::size_t extend(const std::vector<Label>& from, const Arc& arc, Int price_of_class, const Layer& after,
                     std::vector<Label>& to) const {
    const Int rest = after.least_rest[arc.to], completion = after.completion[arc.to];
    if (completion == kMinusInfinity) return 0;
    const std::size_t before = to.size();
    for (const Label& label : from) {
      const Int load = label.load + arc.load;
      const Int price = std::max(label.price + price_of_class, kLeastPrice);
      if (load + rest > question_.limit) continue;
      if (price + completion + charged(question_.theta, question_.limit - load) + 1 <= question_.goal) continue;
      const WideInt bucket = static_cast<WideInt>(load + rest) * question_.buckets / (question_.limit + 1);
      to.push_back({load, price, static_cast<std::int32_t>(bucket)});
    }
    return to.size() - before;
  }

  static void thin_out(std::vector<Label>& labels) {
    std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.load < b.load; });
    std::size_t kept = 0;
    for (const Label& label : labels) {
      if (kept > 0 && label.price <= labels[kept - 1].price) continue;  // a lighter one is as dear
      if (kept > 0 && label.bucket == labels[kept - 1].bucket) {
        labels[kept - 1].price = label.price;  // with the load of the lighter one
      } else {
        labels[kept++] = label;
      }
    }
    labels.resize(kept);
  }

  const PriceQuestion& question_;
  Budget& budget_;
  const std::vector<Extent> extents_;  // by transfer: its first and last member
  std::vector<Layer> layers_;
  std::size_t layer_bytes_ = 0;
  std::uint64_t steps_ = 0;  // since the last look at the clock
  std::optional<PriceAnswer> stopped_;
};

}  // namespace

PriceAnswer look_for_dearer_set(const PriceQuestion& question, Budget& budget) {
  return PriceProgram(question, budget).run();
}

double states_at_most(const PriceQuestion& question) {
  std::vector<int> change(question.classes.size() + 1, 0);
  for (const Extent& extent : extents(question)) {
    ++change[extent.first];
    --change[extent.last];
  }
  double states = 0;
  int open = 0;
  for (const int more : change) states += std::exp2(std::min(open += more, 1000));
  return states;
}

PriceQuestion reordered(const PriceQuestion& question, const std::vector<std::size_t>& order) {
  PriceQuestion result = question;
  std::vector<std::size_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    result.classes[i] = question.classes[order[i]];
  }
  for (PriceQuestion::Transfer& transfer : result.transfers) {
    for (std::size_t& member : transfer.members) member = place[member];
  }
  return result;
}

}  // namespace partita::detail
