// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/linear.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace partita {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

class LinearProgram {
 public:
  LinearProgram(const NetGraph& graph, const StagePlatform& platform, const std::vector<GroupId>& order,
                const LinearOptions& options, std::size_t table_bytes)
      : graph_(graph),
        platform_(platform),
        order_(order),
        below_(options.below),
        n_(order.size()),
        levels_(static_cast<std::size_t>(platform.accelerators + 1) * (platform.hosts + 1)) {
    // Stop positions thin out where the table would not fit; 12 bytes a cell.
    const std::size_t fitting = std::max<std::size_t>(table_bytes / (levels_ * 12), 2);
    stride_ = std::max(options.stride, n_ / fitting + 1);
    stops_ = (n_ + stride_ - 1) / stride_ + 1;
  }

  std::optional<StagedSplit> run(const Budget& budget) {
    value_.assign(stops_ * levels_, kNever);
    previous_.assign(stops_ * levels_, kUnreached);
    members_inside_.assign(graph_.net_count(), 0);
    seen_from_.assign(graph_.net_count(), kUnreached);
    value_[0] = 0;
    for (std::size_t a = 0; a + 1 < stops_; ++a) {
      if (a % 16 == 0 && budget.exhausted()) return std::nullopt;
      collect_useful(a);
      if (!useful_.empty()) scan_from(a);
    }
    return best();
  }
  std::uint64_t steps() const { return steps_; }

 private:
  struct Useful {
    double value;
    bool more_accelerators, more_hosts;
    std::size_t level;
  };

  std::size_t level(int hosts, int accelerators) const {
    return static_cast<std::size_t>(hosts) * (platform_.accelerators + 1) + accelerators;
  }
  std::size_t node_at(std::size_t stop) const { return std::min(stop * stride_, n_); }

  // States at a that are below the value to beat, and better than those with fewer devices.
  void collect_useful(std::size_t a) {
    useful_.clear();
    const double* value = &value_[a * levels_];
    for (int c = 0; c <= platform_.hosts; ++c) {
      for (int f = 0; f <= platform_.accelerators; ++f) {
        const double here = value[level(c, f)];
        if (here >= below_) continue;
        const bool dominated = std::any_of(useful_.begin(), useful_.end(), [&](const Useful& u) {
          return u.value <= here && static_cast<int>(u.level % (platform_.accelerators + 1)) <= f;
        });
        if (!dominated) useful_.push_back({here, f < platform_.accelerators, c < platform_.hosts, level(c, f)});
      }
    }
  }

  void scan_from(std::size_t a) {
    double time = 0, host_time = 0, memory = 0, cut = 0;
    bool accelerator_can = platform_.accelerators > 0, host_can = platform_.hosts > 0;
    std::size_t b = a + 1;
    for (std::size_t i = node_at(a); i < n_; ++i) {
      const GroupId v = order_[i];
      const Group& g = graph_.group(v);
      time += g.accelerator_time;
      host_time += g.host_time;
      memory += g.memory;
      accelerator_can = accelerator_can && g.on_accelerator && time < below_ && memory <= platform_.accelerator_memory;
      host_can = host_can && g.on_host && host_time < below_ && memory <= platform_.host_memory;
      if (!accelerator_can && !host_can) return;
      steps_ += 1 + useful_.size() / 8;  // eight states take about as long as one group
      for (NetId e : graph_.nets_of(v)) {
        if (seen_from_[e] != static_cast<std::int32_t>(a)) {
          seen_from_[e] = static_cast<std::int32_t>(a);
          members_inside_[e] = 0;
        }
        const auto size = static_cast<std::int32_t>(graph_.members(e).size());
        if (members_inside_[e]++ == 0) cut += graph_.cost(e);
        if (members_inside_[e] == size) cut -= graph_.cost(e);
      }
      if (i + 1 != node_at(b)) continue;
      const double load = time + cut;
      if (accelerator_can && load < below_) relax(a, b, load, false);
      if (host_can) relax(a, b, host_time, true);
      ++b;
    }
  }

  void relax(std::size_t a, std::size_t b, double load, bool host) {
    double* value = &value_[b * levels_];
    std::int32_t* previous = &previous_[b * levels_];
    for (const Useful& u : useful_) {
      if (!(host ? u.more_hosts : u.more_accelerators)) continue;
      const std::size_t to = u.level + (host ? platform_.accelerators + 1 : 1);
      const double largest = std::max(u.value, load);
      if (largest >= value[to]) continue;
      value[to] = largest;
      previous[to] = static_cast<std::int32_t>(a * 2 + host);
    }
  }

  std::optional<StagedSplit> best() const {
    const std::size_t end = stops_ - 1;
    const double* last = &value_[end * levels_];
    const auto least = std::min_element(last, last + levels_);
    if (*least >= below_) return std::nullopt;
    StagedSplit split;
    // Exact arithmetic on paper; incremental sums may have drifted in the last bits, so the value is recomputed below.
    std::size_t stop = end;
    for (std::size_t at = static_cast<std::size_t>(least - last); stop > 0;) {
      const std::int32_t step = previous_[stop * levels_ + at];
      const bool host = step % 2 != 0;
      const std::size_t a = static_cast<std::size_t>(step / 2);
      split.stages.push_back({host, {order_.begin() + node_at(a), order_.begin() + node_at(stop)}});
      at -= host ? platform_.accelerators + 1 : 1;
      stop = a;
    }
    std::reverse(split.stages.begin(), split.stages.end());
    split.value = largest_load(graph_, split.stages);
    return split;
  }

  static constexpr std::int32_t kUnreached = -1;

  const NetGraph& graph_;
  const StagePlatform& platform_;
  const std::vector<GroupId>& order_;
  const double below_;
  std::uint64_t steps_ = 0;
  const std::size_t n_, levels_;
  std::size_t stride_ = 1, stops_ = 0;
  std::vector<double> value_;
  std::vector<std::int32_t> previous_;
  IdVector<NetId, std::int32_t> members_inside_, seen_from_;
  std::vector<Useful> useful_;
};

}  // namespace

std::optional<StagedSplit> linear_split(const NetGraph& graph, const StagePlatform& platform,
                                        const std::vector<GroupId>& order, const LinearOptions& options,
                                        const Budget& budget) {
  LinearProgram program(graph, platform, order, options, budget.table_bytes());
  auto split = program.run(budget);
  if (options.steps) *options.steps += program.steps();
  return split;
}

}  // namespace partita
