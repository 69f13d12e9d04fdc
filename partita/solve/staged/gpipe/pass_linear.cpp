// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/gpipe/pass_linear.h"

#include <algorithm>
#include <limits>

namespace partita {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

class PassLinearProgram {
 public:
  PassLinearProgram(const PassGraphs& graphs, const StagePlatform& platform, const std::vector<GroupId>& order,
                    double forward_limit, double backward_limit)
      : graphs_(graphs),
        platform_(platform),
        order_(order),
        limit_{forward_limit, backward_limit},
        levels_(static_cast<std::size_t>(platform.accelerators + 1) * (platform.hosts + 1)) {}

  bool fits_memory(const Budget& budget) const {
    return (order_.size() + 1) * levels_ <= budget.table_bytes() / sizeof(Cell);
  }

  std::optional<std::vector<Stage>> run(Budget& budget) {
    cells_.assign((order_.size() + 1) * levels_, Cell{});
    cells_[0].value = 0;
    for (std::size_t p = 0; p < kPasses; ++p) {
      inside_[p].assign(graphs_.pass[p].net_count(), 0);
      seen_from_[p].assign(graphs_.pass[p].net_count(), order_.size());
    }
    for (std::size_t a = 0; a < order_.size(); ++a) {
      if (a % 16 == 0 && budget.exhausted()) return std::nullopt;
      collect_useful(a);
      if (!useful_.empty()) scan_from(a);
    }
    budget.spend(steps_ / 16);
    return best();
  }

 private:
  struct Cell {
    double value = kNever;   // least possible largest share of a limit
    std::uint32_t from = 0;  // where the last stage begins
    bool host = false;       // its device
  };

  // States at a that are worth going on from: better than those with fewer devices.
  void collect_useful(std::size_t a) {
    useful_.clear();
    const std::size_t width = static_cast<std::size_t>(platform_.accelerators) + 1;
    const Cell* cells = &cells_[a * levels_];
    for (std::size_t level = 0; level < levels_; ++level) {
      const auto covers = [&](std::size_t other) {
        return cells[other].value <= cells[level].value && other % width <= level % width;
      };
      if (cells[level].value < 1 && std::none_of(useful_.begin(), useful_.end(), covers)) useful_.push_back(level);
    }
  }

  void scan_from(std::size_t a) {
    double time[kPasses] = {}, host_time[kPasses] = {}, cut[kPasses] = {}, memory = 0;
    bool accelerator_can = platform_.accelerators > 0, host_can = platform_.hosts > 0;
    const auto share = [&](const double* load) { return std::max(load[0] / limit_[0], load[1] / limit_[1]); };
    for (std::size_t i = a; i < order_.size(); ++i) {
      const GroupId v = order_[i];
      const Group& g = graphs_.both.group(v);
      memory += g.memory;
      for (std::size_t p = 0; p < kPasses; ++p) {
        time[p] += graphs_.pass[p].accelerator_time(v);
        host_time[p] += graphs_.pass[p].host_time(v);
      }
      accelerator_can =
          accelerator_can && g.on_accelerator && share(time) < 1 && memory <= platform_.accelerator_memory;
      host_can = host_can && g.on_host && share(host_time) < 1 && memory <= platform_.host_memory;
      if (!accelerator_can && !host_can) return;
      steps_ += 1 + useful_.size() / 8;
      for (std::size_t p = 0; p < kPasses; ++p) {
        const StageGraph& graph = graphs_.pass[p];
        for (NetId e : graph.nets_of(v)) {
          if (seen_from_[p][e] != a) {
            seen_from_[p][e] = a;
            inside_[p][e] = 0;
          }
          if (inside_[p][e]++ == 0) cut[p] += graph.cost(e);
          if (inside_[p][e] == graph.members(e).size()) cut[p] -= graph.cost(e);
        }
      }
      const double load[kPasses] = {time[0] + cut[0], time[1] + cut[1]};
      if (accelerator_can && share(load) < 1) relax(a, i + 1, share(load), false);
      if (host_can) relax(a, i + 1, share(host_time), true);
    }
  }

  void relax(std::size_t a, std::size_t b, double load, bool host) {
    const std::size_t width = static_cast<std::size_t>(platform_.accelerators) + 1;
    for (const std::size_t level : useful_) {
      if (host ? level + width >= levels_ : level % width + 1 == width) continue;
      const double value = std::max(cells_[a * levels_ + level].value, load);
      Cell& to = cells_[b * levels_ + level + (host ? width : 1)];
      if (value < to.value) to = {value, static_cast<std::uint32_t>(a), host};
    }
  }

  std::optional<std::vector<Stage>> best() const {
    const auto last = cells_.end() - static_cast<std::ptrdiff_t>(levels_);
    const auto least =
        std::min_element(last, cells_.end(), [](const Cell& a, const Cell& b) { return a.value < b.value; });
    if (least->value >= 1) return std::nullopt;
    std::vector<Stage> stages;
    auto level = static_cast<std::size_t>(least - last);
    for (std::size_t b = order_.size(); b > 0;) {
      const Cell& cell = cells_[b * levels_ + level];
      stages.push_back({cell.host, {order_.begin() + cell.from, order_.begin() + static_cast<std::ptrdiff_t>(b)}});
      level -= cell.host ? static_cast<std::size_t>(platform_.accelerators) + 1 : 1;
      b = cell.from;
    }
    std::reverse(stages.begin(), stages.end());
    return stages;
  }

  const PassGraphs& graphs_;
  const StagePlatform& platform_;
  const std::vector<GroupId>& order_;
  const double limit_[kPasses];
  const std::size_t levels_;  // hosts * (accelerators + 1) + accelerators
  std::vector<Cell> cells_;   // by position and level
  std::vector<std::size_t> useful_;
  std::array<IdVector<NetId, std::size_t>, kPasses> inside_, seen_from_;
  std::uint64_t steps_ = 0;
};

}  // namespace

std::optional<std::vector<Stage>> linear_pass_split(const PassGraphs& graphs, const StagePlatform& platform,
                                                    const std::vector<GroupId>& order, double forward_limit,
                                                    double backward_limit, Budget& budget) {
  PassLinearProgram program(graphs, platform, order, forward_limit, backward_limit);
  if (!program.fits_memory(budget)) return std::nullopt;
  return program.run(budget);
}

}  // namespace partita
