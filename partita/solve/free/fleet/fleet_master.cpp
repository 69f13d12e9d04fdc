// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/fleet/fleet_master.h"

#include <algorithm>

#include "partita/solve/free/master_simplex.h"

namespace partita {
namespace {

constexpr double kArtificialCost = 30;  // far above the price of any group, as all devices together cost 1
constexpr std::uint64_t kTicksPerSolve = 200, kPivotEntriesPerTick = 16;

}  // namespace

class FleetMaster::Clp {
 public:
  ClpSimplex simplex;
};

// Rows: groups, devices by class of accelerators, memory by class of accelerators, time by class of hosts.
FleetMaster::FleetMaster(std::size_t groups, const std::vector<ScaledClass>& accelerators,
                         const std::vector<ScaledClass>& hosts)
    : clp_(std::make_unique<Clp>()),
      accelerators_(accelerators),
      prices_{std::vector<double>(groups, 0), std::vector<double>(accelerators.size(), 0)},
      device_price_(accelerators.size(), 0) {
  ClpSimplex& lp = clp_->simplex;
  lp.setLogLevel(0);
  const auto first_device = static_cast<int>(groups), classes = static_cast<int>(accelerators.size());
  const int first_memory = first_device + classes, first_host = first_memory + classes;
  lp.resize(first_host + static_cast<int>(hosts.size()), 0);
  for (int row = 0; row < first_device; ++row) lp.setRowBounds(row, 1, COIN_DBL_MAX);
  std::vector<int> rows;
  std::vector<double> entries;
  for (int c = 0; c < classes; ++c) {
    const double count = accelerators[static_cast<std::size_t>(c)].count;
    lp.setRowBounds(first_device + c, -COIN_DBL_MAX, 0);
    lp.setRowBounds(first_memory + c, -COIN_DBL_MAX, count);
    rows.push_back(first_device + c);
    entries.push_back(-count);
  }
  ColumnBatch columns;
  columns.add(classes, rows.data(), entries.data(), COIN_DBL_MAX, 1);
  for (std::size_t h = 0; h < hosts.size(); ++h)
    lp.setRowBounds(first_host + static_cast<int>(h), -COIN_DBL_MAX, hosts[h].count);
  for (GroupId v : ids<GroupId>(groups)) {
    int both[2] = {static_cast<int>(v.index()), 0};
    const double whole = 1;
    columns.add(1, both, &whole, COIN_DBL_MAX, kArtificialCost);
    for (std::size_t h = 0; h < hosts.size(); ++h) {
      const Scaled& scaled = hosts[h].scaled;
      if (!scaled.on_host[v]) continue;
      both[1] = first_host + static_cast<int>(h);
      const double parts[2] = {1, static_cast<double>(scaled.host_time[v]) / static_cast<double>(scaled.limit)};
      columns.add(2, both, parts, 1, 0);
    }
  }
  columns.move_to(lp);
}

FleetMaster::~FleetMaster() = default;

void FleetMaster::add(const std::vector<GroupId>& column, std::size_t device_class) {
  const auto groups = static_cast<int>(prices_.of.size()), classes = static_cast<int>(accelerators_.size());
  const Scaled& scaled = accelerators_[device_class].scaled;
  std::vector<int> rows;
  double memory = 0;
  for (GroupId v : column) {
    rows.push_back(static_cast<int>(v.index()));
    memory += static_cast<double>(scaled.memory[v]) / static_cast<double>(kUnits);
  }
  rows.push_back(groups + static_cast<int>(device_class));
  std::vector<double> entries(rows.size(), 1);
  if (memory > 0) {
    rows.push_back(groups + classes + static_cast<int>(device_class));
    entries.push_back(memory);
  }
  clp_->simplex.addColumn(static_cast<int>(rows.size()), rows.data(), entries.data(), 0, COIN_DBL_MAX, 0);
}

double FleetMaster::solve(Budget& budget) {
  ClpSimplex& lp = clp_->simplex;
  solve_primal(lp, budget);
  const double* duals = lp.dualRowSolution();
  const std::size_t groups = prices_.of.size(), classes = accelerators_.size();
  for (std::size_t i = 0; i < groups; ++i) prices_.of[i] = std::max(0.0, duals[i]);
  for (std::size_t c = 0; c < classes; ++c) {
    device_price_[c] = std::max(0.0, -duals[groups + c]);
    prices_.toll[c] = std::max(0.0, -duals[groups + classes + c]);
  }
  const auto pivots = static_cast<std::uint64_t>(lp.numberIterations());
  budget.spend(kTicksPerSolve + (pivots + 1) * groups / kPivotEntriesPerTick);
  return lp.objectiveValue();
}

}  // namespace partita
