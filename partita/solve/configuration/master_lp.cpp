// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/master_lp.h"

#include <algorithm>

#include "partita/solve/configuration/master_simplex.h"

namespace partita::detail {
namespace {

// Above the dual price of a group, in prices of a device of the scarcest class: a column that holds it costs no more
// than that, and the toll on its memory where memory binds.
constexpr double kArtificialCost = 3, kArtificialCostWithTolls = 50;
constexpr std::uint64_t kTicksPerSolve = 200, kPivotEntriesPerTick = 16;

double artificial_cost(const std::vector<ScaledClass>& classes) {
  int fewest = 0;
  bool tolls = false;
  for (const ScaledClass& c : classes) {
    if (!c.host) fewest = fewest == 0 ? c.count : std::min(fewest, c.count);
    tolls = tolls || std::ranges::any_of(c.scaled.memory, [](Load memory) { return memory > 0; });
  }
  return (tolls ? kArtificialCostWithTolls : kArtificialCost) / std::max(fewest, 1);
}

double in_devices(Load amount) { return static_cast<double>(amount) / static_cast<double>(kUnits); }

}  // namespace

class MasterLp::Clp {
 public:
  ClpSimplex simplex;
};

// Rows: groups; then memory, by class; then devices of a class of accelerators, or time of a class of hosts.
MasterLp::MasterLp(std::size_t groups, const std::vector<ScaledClass>& classes)
    : clp_(std::make_unique<Clp>()),
      classes_(classes),
      prices_{std::vector<double>(groups, 0), std::vector<double>(classes.size(), 0)},
      device_price_(classes.size(), 0) {
  ClpSimplex& lp = clp_->simplex;
  lp.setLogLevel(0);
  const auto first_memory = static_cast<int>(groups), first_device = first_memory + static_cast<int>(classes.size());
  lp.resize(first_device + static_cast<int>(classes.size()), 0);
  for (int row = 0; row < first_memory; ++row) lp.setRowBounds(row, 1, COIN_DBL_MAX);
  std::vector<int> rows;
  std::vector<double> entries;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const int at = static_cast<int>(c);
    lp.setRowBounds(first_memory + at, -COIN_DBL_MAX, classes[c].count);
    lp.setRowBounds(first_device + at, -COIN_DBL_MAX, classes[c].host ? classes[c].count : 0);
    if (classes[c].host) continue;
    rows.push_back(first_device + at);
    entries.push_back(-classes[c].count);
  }
  ColumnBatch columns;
  columns.add(static_cast<int>(rows.size()), rows.data(), entries.data(), COIN_DBL_MAX, 1);
  const double artificial = artificial_cost(classes);
  for (GroupId v : ids<GroupId>(groups)) {
    int at[3] = {static_cast<int>(v.index()), 0, 0};
    double parts[3] = {1, 0, 0};
    columns.add(1, at, parts, COIN_DBL_MAX, artificial);
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const Scaled& scaled = classes[c].scaled;
      if (!classes[c].host || !scaled.on_host(v)) continue;
      at[1] = first_device + static_cast<int>(c);
      parts[1] = static_cast<double>(scaled.time[v]) / static_cast<double>(scaled.limit);
      at[2] = first_memory + static_cast<int>(c);
      parts[2] = in_devices(scaled.memory[v]);
      columns.add(parts[2] > 0 ? 3 : 2, at, parts, 1, 0);
    }
  }
  columns.move_to(lp);
}

MasterLp::~MasterLp() = default;

void MasterLp::add(const std::vector<GroupId>& column, std::size_t device_class) {
  const auto groups = static_cast<int>(prices_.of.size()), classes = static_cast<int>(classes_.size());
  std::vector<int> rows;
  double memory = 0;
  for (GroupId v : column) {
    rows.push_back(static_cast<int>(v.index()));
    memory += in_devices(classes_[device_class].scaled.memory[v]);
  }
  rows.push_back(groups + classes + static_cast<int>(device_class));
  std::vector<double> entries(rows.size(), 1);
  if (memory > 0) {
    rows.push_back(groups + static_cast<int>(device_class));
    entries.push_back(memory);
  }
  clp_->simplex.addColumn(static_cast<int>(rows.size()), rows.data(), entries.data(), 0, COIN_DBL_MAX, 0);
}

double MasterLp::solve(Budget& budget) {
  ClpSimplex& lp = clp_->simplex;
  solve_primal(lp, budget);
  const double* duals = lp.dualRowSolution();
  const std::size_t groups = prices_.of.size();
  for (std::size_t i = 0; i < groups; ++i) prices_.of[i] = std::max(0.0, duals[i]);
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    prices_.toll[c] = std::max(0.0, -duals[groups + c]);
    device_price_[c] = std::max(0.0, -duals[groups + classes_.size() + c]);
  }
  const auto pivots = static_cast<std::uint64_t>(lp.numberIterations());
  budget.spend(kTicksPerSolve + (pivots + 1) * groups / kPivotEntriesPerTick);
  return lp.objectiveValue();
}

}  // namespace partita::detail
