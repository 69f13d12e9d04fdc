// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/packing_bound.h"

#include <algorithm>
#include <span>

#include "partita/reduce/never.h"
#include "partita/util/time_watch.h"

namespace partita::detail {
namespace {

constexpr std::size_t kMostItems = 16;
constexpr std::size_t kMostHeavyNodes = 96;   // items are chosen from them
constexpr std::size_t kMostPlaces = 6;        // nodes c that are tried
constexpr std::size_t kMostSets = 6'000;      // of items, for one number of them
constexpr double kLightest = 0.25;            // of the heaviest item, or it is none
constexpr std::size_t kNodesPerLook = 2'000;  // at the clock

std::size_t rounded_up(std::size_t items, std::size_t blocks) { return (items + blocks - 1) / blocks; }

}  // namespace

class PackingBound::Counts {
 public:
  // Which blocks count: with at least so many items; the same, with the middles of their branches; with exactly so many;
  // the same, and with the middle of another item's branch.
  enum class Kind { AtLeast, WholeBranches, Exactly, AndOneMiddle };

  // Of blocks that hold `with`, if it is valid, and not `without`; by how many items they hold.
  Counts(const PackingBound& all, bool reversed, const Place& place, NodeId with, NodeId without, Kind kind,
         std::uint64_t& ticks)
      : all_(all),
        place_(place),
        items_(place.items),
        with_(with),
        without_(without),
        kind_(kind),
        exactly_(kind == Kind::Exactly || kind == Kind::AndOneMiddle),
        labels_(all.labels_[reversed]),
        levels_(all.levels_[reversed]),
        ticks_(ticks) {
    for (const BlockModel& one : all.model_.by_class()) finish_.emplace_back(one, all.reach_, reversed, 0);
    any_ = with.valid() ? least_with_chosen() : 0;
    if (!exactly_) least_.push_back(any_);
  }

  double any() const { return any_; }  // whatever the number is

  double least(std::size_t count) {
    while (least_.size() <= count) {
      const double for_fewer = exactly_ || least_.empty() ? any_ : least_.back();
      sets_ = 0;
      best_ = all_.limit_;
      chosen_.clear();
      skipped_.clear();
      const bool all_seen = look_at_sets(0, least_.size());
      least_.push_back(all_seen ? std::max(best_, for_fewer) : for_fewer);
    }
    return least_[count];
  }

 private:
  double least_with_chosen() {
    const std::span<const NodeId> chosen = chosen_;
    const NodeId first = with_.valid() ? with_ : chosen[0];
    double found = all_.limit_;
    for (BlockFinish& finish : finish_) {
      found = finish.least({first, without_, found, chosen.subspan(with_.valid() ? 0 : 1), skipped_}, labels_, levels_,
                           ticks_);
    }
    return found;
  }

  // The sets that have those chosen, and `missing` more of the items from `next` on. False if there are too many.
  bool look_at_sets(std::size_t next, std::size_t missing) {
    if (missing == 0) return !exactly_ || look_at_last(next);
    const std::size_t skipped_before = skipped_.size();
    for (std::size_t i = next; i + missing <= items_.size(); ++i) {
      if (++sets_ > kMostSets) return false;
      chosen_.push_back(items_[i]);
      if (kind_ == Kind::WholeBranches) chosen_.push_back(place_.middles[i]);
      const double found = least_with_chosen();
      if (found < best_) {
        if (missing == 1 && !exactly_) best_ = found;
        if (!look_at_sets(i + 1, missing - 1)) return false;
      }
      chosen_.resize(chosen_.size() - (kind_ == Kind::WholeBranches ? 2 : 1));
      if (exactly_) skipped_.push_back(items_[i]);
    }
    skipped_.resize(skipped_before);
    return true;
  }

  // All that is not chosen is left out, but for one middle.
  bool look_at_last(std::size_t next) {
    const std::size_t skipped_before = skipped_.size();
    skipped_.insert(skipped_.end(), items_.begin() + static_cast<std::ptrdiff_t>(next), items_.end());
    bool all_seen = true;
    if (kind_ == Kind::Exactly) {
      best_ = std::min(best_, least_with_chosen());
    } else {
      for (std::size_t i = 0; i < items_.size() && all_seen; ++i) {
        const bool chosen = std::find(chosen_.begin(), chosen_.end(), items_[i]) != chosen_.end();
        if (chosen || place_.middles[i] == items_[i]) continue;
        chosen_.push_back(place_.middles[i]);
        best_ = std::min(best_, least_with_chosen());
        chosen_.pop_back();
        all_seen = ++sets_ <= kMostSets;
      }
    }
    skipped_.resize(skipped_before);
    return all_seen;
  }

  const PackingBound& all_;
  const Place& place_;
  const std::vector<NodeId>& items_;
  const NodeId with_, without_;
  const Kind kind_;
  const bool exactly_;
  const EdgeLabels& labels_;
  const std::vector<double>& levels_;
  std::uint64_t& ticks_;
  std::vector<BlockFinish> finish_;  // by class of accelerators
  double any_ = 0;
  std::vector<double> least_;  // by number of items
  std::vector<NodeId> chosen_, skipped_;
  std::size_t sets_ = 0;
  double best_ = 0;
};

PackingBound::PackingBound(const BlockModel& model, const NodeReach& reach, const EdgeLabels (&labels)[2], double limit)
    : model_(model),
      reach_(reach),
      labels_(labels),
      limit_(limit),
      most_blocks_(static_cast<std::size_t>(model.instance().accelerators() * model.instance().subgraphs)),
      levels_{levels_of(labels[0]), levels_of(labels[1])} {
  if (model.contradicts_itself()) bound_ = kNever;
}

std::vector<double> PackingBound::levels_of(const EdgeLabels& labels) const {
  std::vector<double> levels(1, 0);
  for (const double label : labels) {
    if (label < kNever) levels.push_back(label);
  }
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

bool PackingBound::advance(Budget& slice) {
  if (!next_) {
    find_places();
    next_ = 0;
    slice.spend(1 + model_.node_count());
  }
  for (; *next_ < places_.size() && bound_ < limit_; ++*next_) {
    if (slice.exhausted()) return false;
    std::uint64_t ticks = 1;
    bound_ = std::max(bound_, bound_at(places_[*next_], ticks));
    slice.spend(ticks);
  }
  return true;
}

// One node of each cluster that must be on an accelerator, the heaviest first.
std::vector<NodeId> PackingBound::heavy_nodes() const {
  const double blocks = static_cast<double>(most_blocks_);
  std::vector<std::pair<double, NodeId>> heavy;
  for (ClusterId c : model_.clusters()) {
    const BlockModel::Cluster& cluster = model_.cluster(c);
    const auto nodes = model_.nodes(c);
    const auto stays_off_hosts = [&](NodeId v) { return !model_.on_host(v); };
    if (!cluster.on_accelerator || !std::all_of(nodes.begin(), nodes.end(), stays_off_hosts)) continue;
    // As parts of what one accelerator, and all of them in the time there is, can take.
    const double memory = model_.memory_limit() < kNever ? cluster.memory / model_.memory_limit() : 0;
    heavy.emplace_back(memory + cluster.time * blocks / limit_, cluster.last);
  }
  std::stable_sort(heavy.begin(), heavy.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<NodeId> nodes;
  for (const auto& [weight, node] : heavy) {
    if (nodes.size() < kMostHeavyNodes && weight > 0 && weight >= kLightest * heavy[0].first) nodes.push_back(node);
  }
  return nodes;
}

void PackingBound::find_places() {
  const LatencyInstance& instance = model_.instance();
  if (most_blocks_ < 2 || !(limit_ < kNever)) return;
  const std::vector<NodeId> heavy = heavy_nodes();
  TimeWatch watch(model_.budget(), kNodesPerLook);
  for (const bool reversed : {false, true}) {
    const BitMatrix& toward = reversed ? reach_.below : reach_.above;
    for (std::size_t i = 0; i < instance.order.size(); ++i) {
      watch.step(1);
      Place place{reversed ? instance.order[instance.order.size() - 1 - i] : instance.order[i], reversed, {}, {}};
      const auto is_item = [&](NodeId v) {
        if (!toward.test(place.c.index(), v.index()) || model_.cluster_of(v) == model_.cluster_of(place.c))
          return false;
        if (instance.nodes[v].backward != instance.nodes[place.c].backward) return false;
        return std::none_of(place.items.begin(), place.items.end(), [&](NodeId other) {
          return reach_.above.test(v.index(), other.index()) || reach_.below.test(v.index(), other.index());
        });
      };
      for (NodeId v : heavy) {
        if (place.items.size() < kMostItems && is_item(v)) place.items.push_back(v);
      }
      // With a block for each of them, labels say as much.
      if (place.items.size() >= std::max<std::size_t>(most_blocks_, 2)) places_.push_back(std::move(place));
    }
  }
  // The first of those with equal items has the most to come.
  std::stable_sort(places_.begin(), places_.end(),
                   [](const Place& a, const Place& b) { return a.items.size() > b.items.size(); });
  std::vector<Place> kept;
  for (Place& place : places_) {
    const auto same = [&](const Place& other) {
      return other.reversed == place.reversed && other.items == place.items;
    };
    if (kept.size() < kMostPlaces && std::none_of(kept.begin(), kept.end(), same)) kept.push_back(std::move(place));
  }
  // First without middles, which is quicker.
  places_ = kept;
  for (Place& place : kept) {
    for (NodeId item : place.items) place.middles.push_back(middle_of_branch(place, item));
    if (place.middles != place.items) places_.push_back(std::move(place));
  }
}

// Of what lies between the item and c, what takes longest; the item itself, if there is nothing that takes time.
NodeId PackingBound::middle_of_branch(const Place& place, NodeId item) const {
  const LatencyInstance& instance = model_.instance();
  const BitMatrix& toward = place.reversed ? reach_.below : reach_.above;
  const BitMatrix& away = place.reversed ? reach_.above : reach_.below;
  NodeId longest = item;
  double time = 0;
  for_each_bit(toward.row(place.c.index()), [&](std::size_t x) {
    const NodeId v(x);
    const LatencyNode& node = instance.nodes[v];
    if (!away.test(item.index(), x) || node.backward != instance.nodes[item].backward) return;
    const ClusterId cluster = model_.cluster_of(v);
    if (cluster == model_.cluster_of(item) || cluster == model_.cluster_of(place.c)) return;
    if (node.accelerator_time <= time) return;
    time = node.accelerator_time;
    longest = v;
  });
  return longest;
}

// How long the middle of some branch takes, in a block without its item and c, or on a host.
double PackingBound::least_middle(const Place& place, std::uint64_t& ticks) const {
  const EdgeLabels none(model_.edge_count(), 0);
  const std::vector<double> zero(1, 0);
  double least = limit_;
  for (std::size_t i = 0; i < place.items.size(); ++i) {
    const NodeId middle = place.middles[i];
    if (middle == place.items[i]) continue;
    if (model_.on_host(middle)) least = std::min(least, model_.instance().nodes[middle].host_time);
    for (const BlockModel& one : model_.by_class()) {
      BlockFinish load(one, reach_, place.reversed, 0);
      least = load.least({middle, place.c, least, {}, {&place.items[i], 1}}, none, zero, ticks);
    }
  }
  return least;
}

// From the start of c on a host to the end; infinite if it cannot be there.
double PackingBound::on_host(const Place& place) const {
  if (!model_.on_host(place.c)) return kNever;
  double to_come = 0;
  for (const auto& [w, e] : place.reversed ? model_.edges_in(place.c) : model_.edges_out(place.c))
    to_come = std::max(to_come, labels_[!place.reversed][e]);
  return model_.instance().nodes[place.c].host_time + to_come;
}

// In one block with c, by their memory.
std::size_t PackingBound::most_items_with(const Place& place) const {
  std::vector<double> memory;
  for (NodeId v : place.items) memory.push_back(model_.cluster(model_.cluster_of(v)).memory);
  std::sort(memory.begin(), memory.end());
  double sum = model_.cluster(model_.cluster_of(place.c)).memory;
  std::size_t count = 0;
  while (count < memory.size() && sum + memory[count] <= model_.memory_limit()) sum += memory[count++];
  return count;
}

double PackingBound::bound_at(const Place& place, std::uint64_t& ticks) {
  using Kind = Counts::Kind;
  const std::size_t items = place.items.size();
  const auto count_before = [&](Kind kind) {
    return Counts(*this, place.reversed, place, NodeId(), place.c, kind, ticks);
  };
  const auto count_after = [&](Kind kind) {
    return Counts(*this, !place.reversed, place, place.c, NodeId(), kind, ticks);
  };
  Counts before = count_before(Kind::AtLeast);
  double least = on_host(place);
  if (least < kNever) least += before.least(rounded_up(items, most_blocks_));
  if (!model_.cluster(model_.cluster_of(place.c)).on_accelerator) return least;
  Counts after = count_after(Kind::Exactly), whole = count_before(Kind::WholeBranches);
  Counts after_with_middle = count_after(Kind::AndOneMiddle);
  const double between = place.middles.empty() ? 0 : least_middle(place, ticks);
  for (std::size_t a = most_items_with(place) + 1; a-- > 0;) {
    const std::size_t share = rounded_up(items - a, most_blocks_ - 1);
    const double plain = before.least(share);
    const double enough = std::min(least, limit_);
    if (after.any() + plain >= enough || after.least(a) + plain >= enough) continue;
    double found = after.least(a) + plain;
    if (share > 0 && !place.middles.empty())
      found = std::min({after.least(a) + whole.least(share), found + between, after_with_middle.least(a) + plain});
    least = std::min(least, found);
  }
  return least;
}

}  // namespace partita::detail
