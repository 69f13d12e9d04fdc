// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/price_and_dive.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace partita::detail {
namespace {

// Of the limit, where nothing is left within it, or within so many ticks. [InceptionV3, training, from 116.838: 116.901
// after one dive of 4 s with a first rise of 5e-5 and 8 million ticks for each limit, with these 116.847.]
constexpr double kFirstRise = 1e-4, kRiseGrowth = 2;
constexpr int kMostLimits = 10;
constexpr std::uint64_t kTicksPerLimit = 3'000'000;
constexpr double kDrawPower = 2;  // of a set's part, for its chance to be drawn

}  // namespace

class PriceAndDive::Dive {
 public:
  Dive(const PriceAndDive& owner, const Start& start)
      : model_(owner.model_),
        order_(owner.order_),
        size_(owner.size_),
        held_(model_.groups, 0),
        limit_(start.limit),
        below_(start.below),
        solution_(start.solution),
        columns_(start.columns),
        prices_(start.prices) {
    for (const ConfigurationModel::Devices& c : model_.classes) idle_.push_back(c.count);
  }

  std::optional<std::vector<SetInUse>> run(bool greedy, Dice& dice, Budget& budget) {
    while (open() && hold_one(greedy, dice)) {
      if (open() && !solve_rest(budget)) return std::nullopt;
    }
    place_rest();
    return sets_;
  }

 private:
  bool open() const {
    return std::ranges::any_of(held_, [](char held) { return !held; });
  }
  int idle_accelerators() const {
    int idle = 0;
    for (std::size_t c = 0; c < idle_.size(); ++c) idle += model_.classes[c].host ? 0 : idle_[c];
    return idle;
  }

  void hold(SetInUse set) {
    for (GroupId v : set.groups) held_[v] = 1;
    --idle_[set.device_class];
    set.part = 1;
    sets_.push_back(std::move(set));
  }

  // One more device gets its set; false if there is none for it.
  bool hold_one(bool greedy, Dice& dice) {
    double sum = 0;
    std::vector<double> chance;
    for (const SetInUse& set : solution_) {
      const bool possible = idle_[set.device_class] > 0 && !model_.classes[set.device_class].host;
      chance.push_back(possible ? std::pow(std::min(set.part, 1.0), kDrawPower) : 0);
      sum += chance.back();
    }
    if (!(sum > 0)) return false;
    std::size_t chosen = static_cast<std::size_t>(std::ranges::max_element(chance) - chance.begin());
    if (!greedy) {
      double left = dice.chance() * sum;
      for (std::size_t i = 0; i < chance.size(); ++i) {
        if (chance[i] > 0) chosen = i;
        left -= chance[i];
        if (left <= 0) break;
      }
    }
    hold(solution_[chosen]);
    return true;
  }

  // The groups that are not held yet, and one for all that are.
  struct Rest {
    ConfigurationModel model;
    std::vector<GroupId> order;
    std::vector<GroupId> open;  // groups of the whole model
    IdVector<GroupId, GroupId> number;
  };

  Rest rest() const {
    Rest rest{{}, {}, {}, IdVector<GroupId, GroupId>(model_.groups)};
    for (GroupId v : held_.all()) {
      if (held_[v]) continue;
      rest.number[v] = GroupId(rest.open.size());
      rest.open.push_back(v);
    }
    const GroupId for_held(rest.open.size());
    rest.model.groups = rest.open.size() + 1;
    rest.model.weights = model_.weights;
    for (std::size_t c = 0; c < model_.classes.size(); ++c) {
      const ConfigurationModel::Devices& from = model_.classes[c];
      rest.model.classes.push_back({from.host, idle_[c], from.memory, graph_of_rest(from.graph, rest, for_held)});
    }
    IdVector<GroupId, Group> nothing(rest.model.groups, {0, 0, 0, false, false});
    nothing[for_held] = {0, 0, 0, true, true};
    rest.model.classes.push_back({true, 1, 0, NetGraph(std::move(nothing), {})});
    rest.order.push_back(for_held);
    for (GroupId v : order_) {
      if (!held_[v]) rest.order.push_back(rest.number[v]);
    }
    return rest;
  }

  NetGraph graph_of_rest(const NetGraph& graph, const Rest& rest, GroupId for_held) const {
    IdVector<GroupId, Group> groups(rest.model.groups, {0, 0, 0, false, false});
    for (GroupId v : rest.open) groups[rest.number[v]] = graph.group(v);
    std::vector<Net> nets;
    for (NetId e : graph.nets()) {
      Net net{graph.cost(e), {}};
      bool cut = false;
      for (GroupId v : graph.members(e)) {
        if (held_[v]) {
          cut = true;
        } else {
          net.members.push_back(rest.number[v]);
        }
      }
      if (cut && net.members.size() == 1) {
        groups[net.members[0]].accelerator_time += net.cost;
      } else if (!net.members.empty()) {
        if (cut) net.members.push_back(for_held);
        nets.push_back(std::move(net));
      }
    }
    return NetGraph(std::move(groups), std::move(nets));
  }

  // The LP of what is left, at the lowest limit that it allows. False if there is none, or the budget ended.
  bool solve_rest(Budget& budget) {
    if (idle_accelerators() == 0) {
      solution_.clear();
      return true;
    }
    Rest left = rest();
    GroupPrices prices{{}, prices_.toll};
    for (GroupId v : left.open) prices.of.push_back(prices_.of[v.index()]);
    prices.of.push_back(0);
    prices.toll.resize(left.model.classes.size(), 0);
    ConfigurationLp lp(left.model, std::move(prices), left.order, size_);
    lp.suggest(columns_left(left));
    double rise = kFirstRise;
    for (int i = 0; i < kMostLimits; ++i, rise *= kRiseGrowth) {
      if (budget.exhausted() || limit_ >= below_) return false;
      Budget slice(budget, kTicksPerLimit);
      if (lp.refute(limit_, slice) == Refutation::LpFeasible) break;
      limit_ *= 1 + rise;
    }
    solution_ = lp.solution();
    const auto in_whole = [&](std::vector<GroupId>& groups) {
      std::erase_if(groups, [&](GroupId v) { return v.index() >= left.open.size(); });
      for (GroupId& v : groups) v = left.open[v.index()];
    };
    for (SetInUse& set : solution_) in_whole(set.groups);
    columns_ = lp.columns();
    for (std::vector<GroupId>& column : columns_) in_whole(column);
    for (std::size_t i = 0; i < left.open.size(); ++i) prices_.of[left.open[i].index()] = lp.prices().of[i];
    return true;
  }

  std::vector<std::vector<GroupId>> columns_left(const Rest& left) const {
    std::vector<std::vector<GroupId>> columns;
    for (const std::vector<GroupId>& column : columns_) {
      std::vector<GroupId> open;
      for (GroupId v : column) {
        if (!held_[v]) open.push_back(left.number[v]);
      }
      if (!open.empty()) columns.push_back(std::move(open));
    }
    std::ranges::sort(columns);
    const auto same = std::ranges::unique(columns);
    columns.erase(same.begin(), same.end());
    return columns;
  }

  // What no set holds goes to the hosts as far as they have time, and then where its nets lead.
  void place_rest() {
    const std::size_t accelerators_held = sets_.size();
    for (std::size_t c = 0; c < model_.classes.size(); ++c) {
      if (!model_.classes[c].host) continue;
      const NetGraph& graph = model_.classes[c].graph;
      for (; idle_[c] > 0 && open();) {
        SetInUse set{{}, c, 1};
        double time = 0;
        for (GroupId v : held_.all()) {
          if (held_[v] || !graph.group(v).on_accelerator || time + graph.accelerator_time(v) > limit_) continue;
          time += graph.accelerator_time(v);
          set.groups.push_back(v);
        }
        if (set.groups.empty()) break;
        hold(std::move(set));
      }
    }
    for (GroupId v : held_.all()) {
      if (held_[v]) continue;
      std::size_t best = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < accelerators_held; ++i) {
        const NetGraph& graph = model_.classes[sets_[i].device_class].graph;
        if (!graph.group(v).on_accelerator) continue;
        std::vector<GroupId> with = sets_[i].groups;
        with.push_back(v);
        const double load = accelerator_load(graph, with);
        if (load < least) {
          least = load;
          best = i;
        }
      }
      if (accelerators_held > 0) sets_[best].groups.push_back(v);
      held_[v] = 1;
    }
  }

  const ConfigurationModel& model_;
  const std::vector<GroupId>& order_;
  const Trellis::Size size_;
  IdVector<GroupId, char> held_;
  std::vector<int> idle_;  // devices, by class
  std::vector<SetInUse> sets_;
  double limit_;
  const double below_;
  std::vector<SetInUse> solution_;
  std::vector<std::vector<GroupId>> columns_;
  GroupPrices prices_;
};

std::optional<std::vector<SetInUse>> PriceAndDive::dive(const Start& start, bool greedy, Dice& dice,
                                                        Budget& budget) const {
  return Dive(*this, start).run(greedy, dice, budget);
}

}  // namespace partita::detail
