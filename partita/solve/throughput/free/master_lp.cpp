// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/throughput/free/master_lp.h"

#include <ClpSimplex.hpp>
#include <algorithm>

namespace partita {
namespace {

constexpr double kArtificialCost = 3;  // above any dual price of a group: a set that holds it costs 1
constexpr std::uint64_t kTicksPerSolve = 200, kPivotEntriesPerTick = 16;

}  // namespace

class MasterLp::Clp {
 public:
  ClpSimplex simplex;
};

MasterLp::MasterLp(const Scaled& scaled, int hosts) : clp_(std::make_unique<Clp>()), prices_(scaled.host_time.size()) {
  ClpSimplex& lp = clp_->simplex;
  const int groups = static_cast<int>(scaled.host_time.size());
  lp.setLogLevel(0);
  lp.resize(groups + 1, 0);
  for (int row = 0; row < groups; ++row) lp.setRowBounds(row, 1, COIN_DBL_MAX);
  lp.setRowBounds(groups, -COIN_DBL_MAX, hosts);
  for (GroupId v : scaled.host_time.all()) {
    const int rows[2] = {static_cast<int>(v.index()), groups};
    const double whole = 1;
    lp.addColumn(1, rows, &whole, 0, COIN_DBL_MAX, kArtificialCost);
    if (!scaled.on_host[v]) continue;
    const double entries[2] = {1, static_cast<double>(scaled.host_time[v]) / static_cast<double>(scaled.limit)};
    lp.addColumn(2, rows, entries, 0, 1, 0);
  }
}

MasterLp::~MasterLp() = default;

void MasterLp::add(const std::vector<GroupId>& column) {
  std::vector<int> rows;
  for (GroupId v : column) rows.push_back(static_cast<int>(v.index()));
  const std::vector<double> ones(rows.size(), 1);
  clp_->simplex.addColumn(static_cast<int>(rows.size()), rows.data(), ones.data(), 0, COIN_DBL_MAX, 1);
}

double MasterLp::solve(Budget& budget) {
  ClpSimplex& lp = clp_->simplex;
  lp.primal();
  const double* duals = lp.dualRowSolution();
  for (std::size_t i = 0; i < prices_.size(); ++i) prices_[i] = std::max(0.0, duals[i]);
  const auto pivots = static_cast<std::uint64_t>(lp.numberIterations());
  budget.spend(kTicksPerSolve + (pivots + 1) * prices_.size() / kPivotEntriesPerTick);
  return lp.objectiveValue();
}

}  // namespace partita
