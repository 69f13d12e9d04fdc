// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/setups/setup_linear.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "partita/reduce/never.h"
#include "partita/solve/staged/setups/device_counts.h"
#include "partita/solve/staged/setups/pipeline_value.h"

namespace partita::detail {
namespace {

class LinearSetups {
 public:
  LinearSetups(const SetupGraph& graph, const SetupRules& rules, const std::vector<GroupId>& order, double below,
               std::size_t stride, Budget& budget)
      : graph_(graph), rules_(rules), order_(order), below_(below), budget_(budget), counts_(rules.root()) {
    const std::size_t fitting = std::max<std::size_t>(budget.table_bytes() / (counts_.size() * sizeof(Cell)), 2);
    stride_ = std::max(stride, order.size() / fitting + 1);
    stops_ = (order.size() + stride_ - 1) / stride_ + 1;
    for (std::size_t m = 0; m < rules.root().members.size(); ++m) {
      const ClusterMember& member = rules.root().members[m];
      std::vector<Setup> setups;
      for (int r = 1; r <= std::min(member.count, rules.replicas); ++r) {
        setups.push_back({m, member.device_class, r, false});
        if (rules.recompute) setups.push_back({m, member.device_class, r, true});
      }
      setups_.push_back(std::move(setups));
    }
  }

  std::optional<SetupPipeline> run() {
    cells_.assign(stops_ * counts_.size(), Cell{});
    cells_[0].value = 0;
    inside_.assign(graph_.net_count(), 0);
    produced_.assign(graph_.net_count(), 0);
    for (std::size_t a = 0; a + 1 < stops_; ++a) {
      if (a % 64 == 0 || steps_ >= kStepsPerLook) {
        steps_ = 0;
        if (budget_.exhausted()) return std::nullopt;
      }
      collect_useful(a);
      if (useful_.empty()) continue;
      for (const std::vector<Setup>& setups : setups_) scan(a, setups);
    }
    return best();
  }

 private:
  struct Cell {
    double value = kNever;
    std::uint32_t from = 0;   // stop
    std::uint32_t setup = 0;  // member and place among its setups
  };

  std::size_t node_at(std::size_t stop) const { return std::min(stop * stride_, order_.size()); }

  // The vectors at a stop that are worth going on from: below the value to beat.
  void collect_useful(std::size_t a) {
    useful_.clear();
    for (std::size_t vector = 0; vector < counts_.size(); ++vector) {
      if (cells_[a * counts_.size() + vector].value < below_) useful_.push_back(vector);
    }
  }

  void scan(std::size_t a, const std::vector<Setup>& setups) {
    const ClassId c = setups[0].device_class;
    const double most_compute = below_ * setups.back().replicas;
    const bool pays = rules_.classes[c].pays();
    const Link& link = rules_.link(c, rules_.root());
    StageSums sums;
    std::size_t b = a + 1, i = node_at(a);
    for (; i < order_.size(); ++i) {
      const GroupId v = order_[i];
      if (!graph_.time(c, v).can_run) break;
      sums.add(graph_, c, v);
      if (sums.compute[0] + sums.compute[1] >= most_compute) break;
      if (sums.memory.resident > rules_.classes[c].memory) break;
      if (pays) cross(v, link, sums);
      if (i + 1 != node_at(b)) continue;
      for (std::size_t s = 0; s < setups.size(); ++s) relax(a, b, setups[s], s, sums);
      ++b;
    }
    budget_.spend(i - node_at(a));
    steps_ += (i - node_at(a)) * setups.size();
    if (!pays) return;
    for (std::size_t j = node_at(a); j < std::min(i + 1, order_.size()); ++j) {
      for (NetId e : graph_.nets_of(order_[j])) inside_[e] = produced_[e] = 0;
    }
  }

  // The group joins the stage; everything behind it in the order is outside.
  void cross(GroupId v, const Link& link, StageSums& sums) {
    for (NetId e : graph_.nets_of(v)) {
      const double cost = price(link, graph_.traffic(e));
      const auto size = static_cast<std::int32_t>(graph_.members(e).size());
      const int pass = graph_.pass(e);
      const auto add = [&](double sign) {
        if (inside_[e] == 0 || inside_[e] == size) return;
        (produced_[e] ? sums.out : sums.in)[pass] += sign * cost;
      };
      add(-1);
      ++inside_[e];
      if (graph_.producer(e) == v) produced_[e] = 1;
      add(1);
    }
  }

  void relax(std::size_t a, std::size_t b, const Setup& setup, std::size_t place, const StageSums& sums) {
    const double load = stage_load(rules_, graph_.passes(), rules_.root().factor, setup, sums);
    if (load >= below_) return;
    const double room = rules_.classes[setup.device_class].memory;
    for (std::size_t vector : useful_) {
      if (counts_.used(vector, setup.member) + setup.replicas > counts_.count(setup.member)) continue;
      const int in_flight = samples_in_flight(rules_, counts_.used(vector) + setup.replicas, setup.replicas);
      if (stage_memory(setup, sums.memory, in_flight) > room) continue;
      const double value = std::max(load, cells_[a * counts_.size() + vector].value);
      Cell& to = cells_[b * counts_.size() + counts_.with(vector, setup.member, setup.replicas)];
      if (value >= to.value) continue;
      to = {value, static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(setup.member * kSetupsOfAMember + place)};
    }
  }

  std::optional<SetupPipeline> best() const {
    const std::size_t end = stops_ - 1;
    std::size_t vector = 0;
    for (std::size_t u = 1; u < counts_.size(); ++u) {
      if (cells_[end * counts_.size() + u].value < cells_[end * counts_.size() + vector].value) vector = u;
    }
    if (!(cells_[end * counts_.size() + vector].value < below_)) return std::nullopt;
    SetupPipeline result;
    for (std::size_t stop = end; stop > 0;) {
      const Cell& cell = cells_[stop * counts_.size() + vector];
      const Setup& setup = setups_[cell.setup / kSetupsOfAMember][cell.setup % kSetupsOfAMember];
      result.parts.push_back({setup.member,
                              setup.replicas,
                              setup.recompute,
                              {order_.begin() + static_cast<std::ptrdiff_t>(node_at(cell.from)),
                               order_.begin() + static_cast<std::ptrdiff_t>(node_at(stop))},
                              {}});
      vector = counts_.without(vector, setup.member, setup.replicas);
      stop = cell.from;
    }
    std::reverse(result.parts.begin(), result.parts.end());
    result.value = pipeline_value(graph_, rules_, result.parts);
    return result;
  }

  static constexpr std::size_t kSetupsOfAMember = 65536;
  static constexpr std::size_t kStepsPerLook = 50'000;  // at the clock: a few milliseconds

  const SetupGraph& graph_;
  const SetupRules& rules_;
  const std::vector<GroupId>& order_;
  const double below_;
  Budget& budget_;
  const DeviceCounts counts_;
  std::vector<std::vector<Setup>> setups_;  // by member
  std::size_t stride_ = 1, stops_ = 0;
  std::vector<Cell> cells_;  // by stop and vector
  IdVector<NetId, std::int32_t> inside_;
  IdVector<NetId, char> produced_;
  std::vector<std::size_t> useful_;
  std::size_t steps_ = 0;  // since the last look
};

}  // namespace

std::optional<SetupPipeline> linear_pipeline(const SetupGraph& graph, const SetupRules& rules,
                                             const std::vector<GroupId>& order, double below, std::size_t stride,
                                             Budget& budget) {
  return LinearSetups(graph, rules, order, below, stride, budget).run();
}

}  // namespace partita::detail
