// SPDX-License-Identifier: Apache-2.0
// A mixed-integer linear program as plain data: minimise a sum of columns subject to rows. No solver is known here;
// write_model.h turns it into a file and backend.h hands it to a solver.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "partita/util/ids.h"

namespace partita::detail {

using ColumnId = Id<struct ColumnTag>;
using RowId = Id<struct RowTag>;

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

struct Column {
  // Unique; letters, digits and '_', not starting with 'e' or a digit, so that every file format takes it.
  std::string name;
  double lower = 0;
  double upper = kNoLimit;
  double objective = 0;
  bool integer = false;
};

struct Term {
  ColumnId column;
  double factor = 0;
};
using Terms = std::vector<Term>;

// lower <= sum of the terms <= upper.
struct Row {
  std::string name;  // as for columns
  double lower = -kNoLimit;
  double upper = kNoLimit;
  Terms terms;  // each column at most once, no zero factors
};

class LinearModel {
 public:
  ColumnId add_column(Column column) { return columns_.push_back(std::move(column)); }
  // Terms of one column are added up first. A row without terms is kept only where it cannot be met.
  void add_row(std::string name, double lower, Terms terms, double upper);
  void add_at_least(std::string name, Terms terms, double lower) {
    add_row(std::move(name), lower, std::move(terms), kNoLimit);
  }
  void add_at_most(std::string name, Terms terms, double upper) {
    add_row(std::move(name), -kNoLimit, std::move(terms), upper);
  }

  const IdVector<ColumnId, Column>& columns() const { return columns_; }
  const IdVector<RowId, Row>& rows() const { return rows_; }
  std::size_t integer_count() const;
  std::size_t entry_count() const;

  double objective(std::span<const double> x) const;
  // How far x is outside a row, a bound or the whole numbers, at most. 0 for a solution.
  double largest_violation(std::span<const double> x) const;
  double largest_column_violation(std::span<const double> x) const;  // the same without the rows
  // The largest ratio of two coefficients of one row or one column, columns that are fixed left out. Floating point
  // holds no more than 1e16 apart, solvers with their tolerances much less. At least 1.
  double coefficient_ratio() const;

 private:
  IdVector<ColumnId, Column> columns_;
  IdVector<RowId, Row> rows_;
};

// Appends `factor` times the other terms.
void append(Terms& terms, std::span<const Term> more, double factor = 1);

}  // namespace partita::detail
