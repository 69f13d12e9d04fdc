// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/master_lp.h"

#include <algorithm>

#include "partita/solve/configuration/master_simplex.h"

namespace partita::detail {
namespace {

// Above the dual price of a group, in prices of a device of the scarcest class: a column that holds it costs no more
// than that, and the toll on its memory where memory binds.
constexpr double kArtificialCost = 3, kArtificialCostWithTolls = 50;
constexpr double kNothingArtificial = 1e-7;
constexpr int kUnscaled = 0, kScaledAsClpLikes = 3;  // CLP's numbers
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
  ColumnBatch added;  // since it was solved last
};

// Rows: groups; then memory, by class; then devices of a class of accelerators, or time of a class of hosts.
MasterLp::MasterLp(IdVector<GroupId, std::size_t> row_of, const std::vector<ScaledClass>& classes, Kind kind)
    : clp_(std::make_unique<Clp>()),
      row_of_(std::move(row_of)),
      group_rows_(row_of_.size() == 0 ? 0 : 1 + *std::ranges::max_element(row_of_)),
      classes_(classes),
      prices_{std::vector<double>(row_of_.size(), 0), std::vector<double>(classes.size(), 0)},
      device_price_(classes.size(), 0),
      kind_(kind),
      artificial_cost_(artificial_cost(classes, kind)) {
  const bool exactly = kind == Kind::Exactly;
  ClpSimplex& lp = clp_->simplex;
  lp.setLogLevel(0);
  const auto first_memory = static_cast<int>(group_rows_),
             first_device = first_memory + static_cast<int>(classes.size());
  lp.resize(first_device + static_cast<int>(classes.size()), 0);
  std::vector<int> groups_of(group_rows_, 0);
  for (std::size_t row : row_of_) ++groups_of[row];
  for (int row = 0; row < first_memory; ++row)
    lp.setRowBounds(row, groups_of[row], exactly ? groups_of[row] : COIN_DBL_MAX);
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
  first_column_ = first_artificial_ + artificial_count();
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
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    const Scaled& scaled = classes_[c].scaled;
    for (GroupId v : ids<GroupId>(classes_[c].host ? row_of_.size() : 0)) {
      if (!scaled.on_host(v)) continue;
      const int rows[3] = {static_cast<int>(row_of_[v]), static_cast<int>(group_rows_ + classes_.size() + c),
                           static_cast<int>(group_rows_ + c)};
      const double parts[3] = {1, static_cast<double>(scaled.time[v]) / static_cast<double>(scaled.limit),
                               in_devices(scaled.memory[v])};
      columns.add(parts[2] > 0 ? 3 : 2, rows, parts, 1, 0);
      ++first_column_;
    }
  }
}

void MasterLp::add(const std::vector<GroupId>& column, std::size_t device_class) {
  const auto groups = static_cast<int>(group_rows_), classes = static_cast<int>(classes_.size());
  std::vector<int> rows;
  double memory = 0;
  for (GroupId v : column) {
    rows.push_back(static_cast<int>(row_of_[v]));
    memory += in_devices(classes_[device_class].scaled.memory[v]);
  }
  std::sort(rows.begin(), rows.end());
  std::vector<double> entries;
  std::size_t distinct = 0;
  for (int row : rows) {
    if (distinct > 0 && rows[distinct - 1] == row) {
      ++entries.back();
    } else {
      rows[distinct++] = row;
      entries.push_back(1);
    }
  }
  rows.resize(distinct);
  rows.push_back(groups + classes + static_cast<int>(device_class));
  entries.push_back(1);
  if (memory > 0) {
    rows.push_back(groups + static_cast<int>(device_class));
    entries.push_back(memory);
  }
  clp_->added.add(static_cast<int>(rows.size()), rows.data(), entries.data(), COIN_DBL_MAX, 0);
}

double MasterLp::solve(Budget& budget) {
  ClpSimplex& lp = clp_->simplex;
  clp_->added.move_to(lp);
  // Where artificial columns are still in use, scaling leads from one such solution to the next: GPT-2 medium,
  // contiguous training, is refuted in 0.9 s without it and not in 15 s with it. Once they are gone, scaled solves
  // converge better: InceptionV3 training is within 1.2 % of a proof after 12 s, and within 3.4 % without.
  if (kind_ == Kind::Exactly) lp.scaling(artificial_part_ > kNothingArtificial ? kUnscaled : kScaledAsClpLikes);
  solve_primal(lp, budget);
  const double* duals = lp.dualRowSolution();
  for (GroupId v : row_of_.all()) {
    const double dual = duals[row_of_[v]];
    prices_.of[v.index()] = kind_ == Kind::Cover ? std::max(0.0, dual) : dual;
  }
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    prices_.toll[c] = std::max(0.0, -duals[group_rows_ + c]);
    device_price_[c] = std::max(0.0, -duals[group_rows_ + classes_.size() + c]);
  }
  const auto pivots = static_cast<std::uint64_t>(lp.numberIterations());
  budget.spend(kTicksPerSolve + (pivots + 1) * group_rows_ / kPivotEntriesPerTick);
  artificial_part_ = 0;
  for (int i = first_artificial_; i < first_artificial_ + artificial_count(); ++i)
    artificial_part_ += lp.primalColumnSolution()[i];
  return lp.objectiveValue();
}

int MasterLp::artificial_count() const { return static_cast<int>((kind_ == Kind::Exactly ? 2 : 1) * group_rows_); }

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
