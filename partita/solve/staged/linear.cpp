// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/linear.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "partita/reduce/never.h"

namespace partita::detail {
namespace {

template <std::size_t P>
class LinearProgram {
 public:
  using Loads = std::array<double, P>;
  using Passes = std::array<const NetGraph*, P>;

  // With one pass the limit plays no role: loads themselves are minimised, not shares.
  LinearProgram(const Passes& passes, const Loads& limits, const StagePlatform& platform,
                const std::vector<GroupId>& order, const LinearOptions& options, std::size_t table_bytes)
      : passes_(passes),
        limits_(limits),
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
    for (std::size_t p = 0; p < P; ++p) {
      members_inside_[p].assign(passes_[p]->net_count(), 0);
      seen_from_[p].assign(passes_[p]->net_count(), kUnreached);
    }
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

  double measure(const Loads& load) const {
    if constexpr (P == 1) {
      return load[0];
    } else {
      return std::max(load[0] / limits_[0], load[1] / limits_[1]);
    }
  }

  void scan_from(std::size_t a) {
    Loads time{}, host_time{}, cut{};
    double memory = 0;
    bool accelerator_can = platform_.accelerators > 0, host_can = platform_.hosts > 0;
    std::size_t b = a + 1;
    for (std::size_t i = node_at(a); i < n_; ++i) {
      const GroupId v = order_[i];
      for (std::size_t p = 0; p < P; ++p) {
        time[p] += passes_[p]->accelerator_time(v);
        host_time[p] += passes_[p]->host_time(v);
      }
      const Group& g = passes_[0]->group(v);
      memory += g.memory;
      accelerator_can =
          accelerator_can && g.on_accelerator && measure(time) < below_ && memory <= platform_.accelerator_memory;
      host_can = host_can && g.on_host && measure(host_time) < below_ && memory <= platform_.host_memory;
      if (!accelerator_can && !host_can) return;
      steps_ += 1 + useful_.size() / 8;  // eight states take about as long as one group
      for (std::size_t p = 0; p < P; ++p) cut[p] += change_of_cut(p, a, v);
      if (i + 1 != node_at(b)) continue;
      Loads load = time;
      for (std::size_t p = 0; p < P; ++p) load[p] += cut[p];
      if (accelerator_can && measure(load) < below_) relax(a, b, measure(load), false);
      if (host_can) relax(a, b, measure(host_time), true);
      ++b;
    }
  }

  double change_of_cut(std::size_t p, std::size_t a, GroupId v) {
    const NetGraph& graph = *passes_[p];
    double change = 0;
    for (NetId e : graph.nets_of(v)) {
      std::int32_t& inside = members_inside_[p][e];
      if (seen_from_[p][e] != static_cast<std::int32_t>(a)) {
        seen_from_[p][e] = static_cast<std::int32_t>(a);
        inside = 0;
      }
      if (inside++ == 0) change += graph.cost(e);
      if (inside == static_cast<std::int32_t>(graph.members(e).size())) change -= graph.cost(e);
    }
    return change;
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
    Loads largest;
    for (std::size_t p = 0; p < P; ++p) largest[p] = largest_load(*passes_[p], split.stages);
    split.value = measure(largest);
    return split;
  }

  static constexpr std::int32_t kUnreached = -1;

  const Passes passes_;
  const Loads limits_;
  const StagePlatform& platform_;
  const std::vector<GroupId>& order_;
  const double below_;
  std::uint64_t steps_ = 0;
  const std::size_t n_, levels_;
  std::size_t stride_ = 1, stops_ = 0;
  std::vector<double> value_;
  std::vector<std::int32_t> previous_;
  std::array<IdVector<NetId, std::int32_t>, P> members_inside_, seen_from_;
  std::vector<Useful> useful_;
};

template <std::size_t P>
std::optional<StagedSplit> run(LinearProgram<P> program, const LinearOptions& options, const Budget& budget) {
  auto split = program.run(budget);
  if (options.steps) *options.steps += program.steps();
  return split;
}

}  // namespace

std::optional<StagedSplit> linear_split(const NetGraph& graph, const StagePlatform& platform,
                                        const std::vector<GroupId>& order, const LinearOptions& options,
                                        const Budget& budget) {
  return run(LinearProgram<1>({&graph}, {}, platform, order, options, budget.table_bytes()), options, budget);
}

std::optional<StagedSplit> linear_split(const PassGraphs& graphs, const StagePlatform& platform,
                                        const std::vector<GroupId>& order, const std::array<double, kPasses>& limits,
                                        const LinearOptions& options, const Budget& budget) {
  return run(LinearProgram<kPasses>({&graphs.pass[0], &graphs.pass[1]}, limits, platform, order, options,
                                    budget.table_bytes()),
             options, budget);
}

}  // namespace partita::detail
