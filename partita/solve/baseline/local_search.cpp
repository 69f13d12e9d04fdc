// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/baseline/local_search.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "partita/reduce/device_table.h"
#include "partita/reduce/stage_order.h"
#include "partita/reduce/staged_instance.h"
#include "partita/solve/baseline/move_gains.h"
#include "partita/solve/baseline/tried_gains.h"
#include "partita/util/dice.h"

namespace partita::detail {
namespace {

// A step that gains less than this share of the value is none: it may be rounding.
constexpr double kLeastGain = 1e-9;
// Loads are sums that moves add to and subtract from; from time to time they are made anew.
constexpr std::size_t kMovesPerRefresh = 1024;
constexpr std::size_t kMovesPerLook = 32;  // at the clock
// The tables of MoveGains have at most so many cells; further devices stay empty.
constexpr std::size_t kMostCells = std::size_t{1} << 24;

// The devices that groups of one sort may be on.
struct Choice {
  std::vector<DeviceId> devices;
  std::vector<char> has;  // by device

  Choice(std::size_t first, std::size_t last, std::size_t count) : has(count, 0) {
    for (std::size_t d = first; d < last; ++d) add(DeviceId(d));
  }
  void add(DeviceId d) {
    devices.push_back(d);
    has[d.index()] = 1;
  }
};

// What a descent knows of the groups beforehand.
struct Groups {
  std::vector<Choice> choices;
  IdVector<GroupId, std::size_t> choice;  // of each group
  IdVector<GroupId, double> weight;       // no load falls by more than this when the group leaves or enters its device
};

template <class Cost>
double weight_of(const NetGraph& graph, GroupId g, double time, Cost cost) {
  const auto nets = graph.nets_of(g);
  return std::accumulate(nets.begin(), nets.end(), time, [&](double sum, NetId e) { return sum + cost(e); });
}

Groups describe_groups(const NetGraph& graph, const StagePlatform& platform) {
  const auto accelerators = static_cast<std::size_t>(platform.accelerators);
  const std::size_t devices = accelerators + static_cast<std::size_t>(platform.hosts);
  Groups groups;
  groups.choices = {{0, accelerators, devices}, {accelerators, devices, devices}, {0, 0, devices}};
  for (GroupId g : graph.all()) {
    const Group& group = graph.group(g);
    groups.choice.push_back(group.on_accelerator && accelerators > 0 ? 0 : group.on_host ? 1 : 2);
    groups.weight.push_back(
        weight_of(graph, g, std::max(group.accelerator_time, group.host_time), [&](NetId e) { return graph.cost(e); }));
  }
  return groups;
}

// One choice for each set of classes that can run some group: accelerators where there are any, else hosts.
Groups describe_groups(const NetGraph& graph, const FreeInstance& instance) {
  const auto most_paid = [&](NetId e) {
    double most = 0;
    for (std::size_t c = 0; c < instance.class_count(); ++c) most = std::max(most, instance.price_of(e, c));
    return most;
  };
  Groups groups;
  std::map<std::vector<char>, std::size_t> choice_of;
  for (GroupId g : graph.all()) {
    std::vector<char> classes(instance.class_count(), 0);
    double time = 0;
    for (std::size_t c = 0; c < instance.class_count(); ++c) {
      classes[c] = instance.time[c][g].can_run && instance.device_class(c).host != graph.group(g).on_accelerator;
      if (classes[c]) time = std::max(time, instance.time[c][g].total());
    }
    const auto [known, is_new] = choice_of.try_emplace(classes, groups.choices.size());
    if (is_new) {
      groups.choices.emplace_back(0, 0, instance.devices.size());
      for (DeviceId d : ids<DeviceId>(instance.devices.size())) {
        if (classes[instance.devices.class_number(d)]) groups.choices.back().add(d);
      }
    }
    groups.choice.push_back(known->second);
    groups.weight.push_back(weight_of(graph, g, time, most_paid));
  }
  return groups;
}

// `Gains` keeps the loads: MoveGains or TriedGains.
template <class Gains>
class Descent {
 public:
  template <class Devices>
  Descent(const NetGraph& graph, const Devices& devices)
      : loads_(graph, devices), groups_(describe_groups(graph, devices)), turn_(graph.size()) {
    for (GroupId g : graph.all()) heaviest_first_.push_back(g);
    std::stable_sort(heaviest_first_.begin(), heaviest_first_.end(),
                     [&](GroupId a, GroupId b) { return groups_.weight[a] > groups_.weight[b]; });
  }

  bool possible() const {
    return std::all_of(groups_.choice.begin(), groups_.choice.end(),
                       [&](std::size_t choice) { return !groups_.choices[choice].devices.empty(); });
  }

  FreeSplit run(Dice& dice, const Budget& budget) {
    IdVector<GroupId, DeviceId> start;
    for (GroupId g : turn_.all()) start.push_back(devices_for(g)[dice.below(devices_for(g).size())]);
    loads_.reset(start);
    std::vector<std::size_t> turns(turn_.size());
    std::iota(turns.begin(), turns.end(), 1);
    dice.shuffle(turns);
    for (GroupId g : turn_.all()) turn_[g] = turns[g.index()];
    for (std::size_t moves = 1; step(); ++moves) {
      if (moves % kMovesPerLook == 0 && budget.exhausted()) break;
      if (moves % kMovesPerRefresh == 0) loads_.reset(IdVector<GroupId, DeviceId>(loads_.device_of()));
    }
    find_largest();
    return {loads_.load(largest_[0]), loads_.device_of()};
  }

 private:
  struct Move {
    GroupId group;
    DeviceId to;
    double value = 0;
    std::size_t turn = 0;  // the group's; 0 comes before every group's
  };

  const std::vector<DeviceId>& devices_for(GroupId g) const { return groups_.choices[groups_.choice[g]].devices; }
  bool may_be_on(GroupId g, DeviceId d) const { return groups_.choices[groups_.choice[g]].has[d.index()]; }

  // Makes the best move, if it gains anything.
  bool step() {
    find_largest();
    const DeviceId bottleneck = largest_[0];
    const double value = loads_.load(bottleneck);
    Move best{GroupId(), DeviceId(), value * (1 - kLeastGain)};
    for (GroupId g : heaviest_first_) {
      if (value - groups_.weight[g] > best.value) break;
      if (loads_.device_of(g) == bottleneck) {
        if (!loads_.relieves_by_leaving(g)) continue;
        for (DeviceId d : devices_for(g)) {
          if (d != bottleneck) attempt(g, d, best);
        }
      } else if (may_be_on(g, bottleneck) && loads_.relieves_by_joining(g, bottleneck)) {
        attempt(g, bottleneck, best);
      }
    }
    if (!best.group.valid()) return false;
    loads_.move(best.group, best.to);
    return true;
  }

  // Of equal moves, that of the group whose turn is first, and then to the first device, is the better one.
  void attempt(GroupId g, DeviceId to, Move& best) {
    const DeviceId from = loads_.device_of(g);
    double value = 0;
    for (DeviceId d : largest_) {
      if (d.valid() && d != from && d != to) value = std::max(value, loads_.load(d));
    }
    const auto better = [&] { return value < best.value || (value == best.value && turn_[g] < best.turn); };
    if (!better()) return;
    value = std::max(value, loads_.load_without(g));
    if (!better()) return;
    value = std::max(value, loads_.load_with(g, to));
    if (better()) best = {g, to, value, turn_[g]};
  }

  // The three largest: whatever two devices a move changes, the largest of the others is among them.
  void find_largest() {
    largest_ = {};
    for (DeviceId d : ids<DeviceId>(loads_.device_count())) {
      DeviceId candidate = d;
      for (DeviceId& place : largest_) {
        if (!place.valid() || loads_.load(candidate) > loads_.load(place)) std::swap(place, candidate);
        if (!candidate.valid()) break;
      }
    }
  }

  Gains loads_;
  const Groups groups_;
  IdVector<GroupId, std::size_t> turn_;  // who is preferred among equals in this run; from 1 on
  std::vector<GroupId> heaviest_first_;
  std::array<DeviceId, 3> largest_;
};

// The best of all runs. Nothing if some group can run nowhere.
template <class Gains, class Devices>
std::optional<FreeSplit> best_descent(const NetGraph& graph, const Devices& devices, const LocalSearchOptions& options,
                                      const Budget& budget) {
  Descent<Gains> descent(graph, devices);
  if (!descent.possible()) return std::nullopt;
  Dice dice(options.seed);
  FreeSplit best = descent.run(dice, budget);
  for (int restart = 1; restart < options.restarts && !budget.exhausted(); ++restart) {
    FreeSplit next = descent.run(dice, budget);
    if (next.value < best.value) best = std::move(next);
  }
  return best;
}

// The groups with cycles contracted, as the plain question has them: nodes of one group share a colour.
FreeInstance make_instance_of_stages(const Problem& problem) {
  Problem joined = problem;
  const StageOrder order = find_stage_order(problem);
  for (NodeId v : order.group_of.all())
    joined.workload.change().graph.nodes[v].colour = static_cast<std::int64_t>(order.group_of[v].index());
  return make_free_instance(joined);
}

}  // namespace

std::optional<FreeSplit> local_search(const NetGraph& graph, const StagePlatform& platform,
                                      const LocalSearchOptions& options, const Budget& budget) {
  const std::size_t rows = std::max<std::size_t>(graph.size() + graph.net_count(), 1);
  const int most = static_cast<int>(std::max<std::size_t>(kMostCells / 2 / rows, 1));
  StagePlatform used = platform;
  used.accelerators = std::min(used.accelerators, most);
  used.hosts = std::min(used.hosts, most);

  auto best = best_descent<MoveGains>(graph, used, options, budget);
  if (!best) return std::nullopt;
  for (DeviceId& d : best->device_of) {
    const auto accelerators = static_cast<std::size_t>(used.accelerators);
    if (d.index() >= accelerators)
      d = DeviceId(static_cast<std::size_t>(platform.accelerators) + d.index() - accelerators);
  }
  return best;
}

std::optional<FreeSplit> local_search(const FreeInstance& instance, const LocalSearchOptions& options,
                                      const Budget& budget) {
  return best_descent<TriedGains>(instance.graph, instance, options, budget);
}

std::optional<Split> local_search_split(const Problem& problem, const LocalSearchOptions& options,
                                        const Budget& budget) {
  if (problem.transfers != TransferMode::Sum || !is_plain(problem.workload->platform)) {
    const FreeInstance instance = make_instance_of_stages(problem);
    const auto split = local_search(instance, options, budget);
    if (!split) return std::nullopt;
    return lift_free(instance, *split);
  }
  const StagedInstance instance = make_staged_instance(problem);
  const auto split = local_search(instance.graph, instance.platform, options, budget);
  if (!split) return std::nullopt;
  const DeviceTable devices(problem.workload->platform, instance.graph.size());
  return devices.lift(instance.group_of, split->device_of);
}

}  // namespace partita::detail
