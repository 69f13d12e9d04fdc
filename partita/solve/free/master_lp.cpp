// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/master_lp.h"

#include <algorithm>

#include "partita/solve/free/master_simplex.h"

namespace partita {
namespace {

// Above the dual price of a group: a set that holds it costs 1, and the toll on its memory where memory binds.
constexpr double kArtificialCost = 3, kArtificialCostWithTolls = 50;
constexpr std::uint64_t kTicksPerSolve = 200, kPivotEntriesPerTick = 16;

}  // namespace

class MasterLp::Clp {
 public:
  ClpSimplex simplex;
};

MasterLp::MasterLp(const Scaled& scaled, const StagePlatform& platform)
    : clp_(std::make_unique<Clp>()), scaled_(scaled), prices_{std::vector<double>(scaled.host_time.size()), 0} {
  ClpSimplex& lp = clp_->simplex;
  const int groups = static_cast<int>(scaled.host_time.size());
  lp.setLogLevel(0);
  lp.resize(groups + 2, 0);  // one row for each group, one for the hosts, one for memory
  for (int row = 0; row < groups; ++row) lp.setRowBounds(row, 1, COIN_DBL_MAX);
  lp.setRowBounds(groups, -COIN_DBL_MAX, platform.hosts);
  lp.setRowBounds(groups + 1, -COIN_DBL_MAX, platform.accelerators);
  const bool tolls = std::any_of(scaled.memory.begin(), scaled.memory.end(), [](Load memory) { return memory > 0; });
  ColumnBatch columns;
  for (GroupId v : scaled.host_time.all()) {
    const int rows[2] = {static_cast<int>(v.index()), groups};
    const double whole = 1;
    columns.add(1, rows, &whole, COIN_DBL_MAX, tolls ? kArtificialCostWithTolls : kArtificialCost);
    if (!scaled.on_host[v]) continue;
    const double entries[2] = {1, static_cast<double>(scaled.host_time[v]) / static_cast<double>(scaled.limit)};
    columns.add(2, rows, entries, 1, 0);
  }
  columns.move_to(lp);
}

MasterLp::~MasterLp() = default;

void MasterLp::add(const std::vector<GroupId>& column) {
  std::vector<int> rows;
  double memory = 0;
  for (GroupId v : column) {
    rows.push_back(static_cast<int>(v.index()));
    memory += static_cast<double>(scaled_.memory[v]) / static_cast<double>(kUnits);
  }
  std::vector<double> entries(rows.size(), 1);
  if (memory > 0) {
    rows.push_back(static_cast<int>(prices_.of.size()) + 1);
    entries.push_back(memory);
  }
  clp_->simplex.addColumn(static_cast<int>(rows.size()), rows.data(), entries.data(), 0, COIN_DBL_MAX, 1);
}

double MasterLp::solve(Budget& budget) {
  ClpSimplex& lp = clp_->simplex;
  solve_primal(lp, budget);
  const double* duals = lp.dualRowSolution();
  const std::size_t groups = prices_.of.size();
  for (std::size_t i = 0; i < groups; ++i) prices_.of[i] = std::max(0.0, duals[i]);
  prices_.toll = std::max(0.0, -duals[groups + 1]);
  const auto pivots = static_cast<std::uint64_t>(lp.numberIterations());
  budget.spend(kTicksPerSolve + (pivots + 1) * groups / kPivotEntriesPerTick);
  return lp.objectiveValue();
}

}  // namespace partita
