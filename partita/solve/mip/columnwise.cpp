// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/columnwise.h"

#include <cmath>
#include <numeric>

namespace partita::detail {

ColumnwiseModel columnwise(const LinearModel& model, double infinity) {
  const auto limit = [infinity](double value) {
    return std::isinf(value) ? (value > 0 ? infinity : -infinity) : value;
  };
  ColumnwiseModel arrays;
  for (const Column& column : model.columns()) {
    arrays.lower.push_back(limit(column.lower));
    arrays.upper.push_back(limit(column.upper));
    arrays.objective.push_back(column.objective);
    arrays.integer.push_back(column.integer ? 1 : 0);
  }
  arrays.start.assign(model.columns().size() + 1, 0);
  for (const Row& row : model.rows()) {
    for (const Term& term : row.terms) ++arrays.start[term.column.index() + 1];
    arrays.row_lower.push_back(limit(row.lower));
    arrays.row_upper.push_back(limit(row.upper));
  }
  std::partial_sum(arrays.start.begin(), arrays.start.end(), arrays.start.begin());
  arrays.rows.resize(model.entry_count());
  arrays.factors.resize(model.entry_count());
  std::vector<int> next = arrays.start;
  for (RowId r : model.rows().all()) {
    for (const Term& term : model.rows()[r].terms) {
      const auto at = static_cast<std::size_t>(next[term.column.index()]++);
      arrays.rows[at] = static_cast<int>(r.index());
      arrays.factors[at] = term.factor;
    }
  }
  return arrays;
}

}  // namespace partita::detail
