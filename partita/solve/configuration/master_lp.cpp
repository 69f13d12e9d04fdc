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

// Where every group is on devices exactly once, that is not enough: a group may be worth a set with many others that
// are worth less than nothing.
constexpr double kDearerArtificial = 4, kDearestArtificial = 1e4;

double artificial_cost(const std::vector<ScaledClass>& classes, MasterLp::Kind kind) {
  int fewest = 0, all = 0;
  bool tolls = false;
  for (const ScaledClass& c : classes) {
    if (!c.host) all += c.count;
    if (!c.host) fewest = fewest == 0 ? c.count : std::min(fewest, c.count);
    tolls = tolls || std::ranges::any_of(c.scaled.memory, [](Load memory) { return memory > 0; });
  }
  return ((tolls ? kArtificialCostWithTolls : kArtificialCost) + (kind == MasterLp::Kind::Exactly ? all : 0)) /
         std::max(fewest, 1);
}

double in_devices(Load amount) { return static_cast<double>(amount) / static_cast<double>(kUnits); }

}  // namespace

class MasterLp::Clp {
 public:
  ClpSimplex simplex;
};

// Rows: groups; then memory, by class; then devices of a class of accelerators, or time of a class of hosts.
MasterLp::MasterLp(std::size_t groups, const std::vector<ScaledClass>& classes, Kind kind)
    : clp_(std::make_unique<Clp>()),
      classes_(classes),
      prices_{std::vector<double>(groups, 0), std::vector<double>(classes.size(), 0)},
      device_price_(classes.size(), 0),
      kind_(kind),
      artificial_cost_(artificial_cost(classes, kind)) {
  const bool exactly = kind == Kind::Exactly;
  ClpSimplex& lp = clp_->simplex;
  lp.setLogLevel(0);
  const auto first_memory = static_cast<int>(groups), first_device = first_memory + static_cast<int>(classes.size());
  lp.resize(first_device + static_cast<int>(classes.size()), 0);
  for (int row = 0; row < first_memory; ++row) lp.setRowBounds(row, 1, exactly ? 1 : COIN_DBL_MAX);
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
  first_artificial_ = 1;
  first_column_ = first_artificial_ + static_cast<int>(exactly ? 2 * groups : groups);
  for (int row = 0; row < first_memory; ++row) {
    for (const double part : {1.0, -1.0}) {
      if (part > 0 || exactly) columns.add(1, &row, &part, COIN_DBL_MAX, artificial_cost_);
    }
  }
  if (!exactly) add_host_times(columns);
  columns.move_to(lp);
}

MasterLp::~MasterLp() = default;

void MasterLp::add_host_times(ColumnBatch& columns) {
  const std::size_t groups = prices_.of.size();
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    const Scaled& scaled = classes_[c].scaled;
    for (GroupId v : ids<GroupId>(classes_[c].host ? groups : 0)) {
      if (!scaled.on_host(v)) continue;
      const int rows[3] = {static_cast<int>(v.index()), static_cast<int>(groups + classes_.size() + c),
                           static_cast<int>(groups + c)};
      const double parts[3] = {1, static_cast<double>(scaled.time[v]) / static_cast<double>(scaled.limit),
                               in_devices(scaled.memory[v])};
      columns.add(parts[2] > 0 ? 3 : 2, rows, parts, 1, 0);
      ++first_column_;
    }
  }
}

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
  for (std::size_t i = 0; i < groups; ++i) prices_.of[i] = kind_ == Kind::Cover ? std::max(0.0, duals[i]) : duals[i];
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    prices_.toll[c] = std::max(0.0, -duals[groups + c]);
    device_price_[c] = std::max(0.0, -duals[groups + classes_.size() + c]);
  }
  const auto pivots = static_cast<std::uint64_t>(lp.numberIterations());
  budget.spend(kTicksPerSolve + (pivots + 1) * groups / kPivotEntriesPerTick);
  artificial_part_ = 0;
  for (int i = first_artificial_; i < first_artificial_ + artificial_count(); ++i)
    artificial_part_ += lp.primalColumnSolution()[i];
  return lp.objectiveValue();
}

int MasterLp::artificial_count() const {
  return static_cast<int>((kind_ == Kind::Exactly ? 2 : 1) * prices_.of.size());
}

std::vector<double> MasterLp::column_parts() const {
  const ClpSimplex& lp = clp_->simplex;
  return {lp.primalColumnSolution() + first_column_, lp.primalColumnSolution() + lp.numberColumns()};
}

bool MasterLp::make_artificial_dearer() {
  if (artificial_cost_ > kDearestArtificial) return false;
  artificial_cost_ *= kDearerArtificial;
  for (int i = first_artificial_; i < first_artificial_ + artificial_count(); ++i)
    clp_->simplex.setObjectiveCoefficient(i, artificial_cost_);
  return true;
}

}  // namespace partita::detail
