// SPDX-License-Identifier: Apache-2.0
// A linear model as solvers take it: arrays, with the entries column by column.
#pragma once

#include <vector>

#include "partita/solve/mip/linear_model.h"

namespace partita::detail {

struct ColumnwiseModel {
  std::vector<double> lower, upper, objective;  // by column
  std::vector<int> integer;                     // by column: 1 or 0
  std::vector<double> row_lower, row_upper;
  std::vector<int> start;  // of a column's entries; one more than columns
  std::vector<int> rows;   // by entry
  std::vector<double> factors;

  int column_count() const { return static_cast<int>(lower.size()); }
  int row_count() const { return static_cast<int>(row_lower.size()); }
  int entry_count() const { return static_cast<int>(rows.size()); }
};

// `infinity` is what the solver takes for no limit.
ColumnwiseModel columnwise(const LinearModel& model, double infinity);

}  // namespace partita::detail
