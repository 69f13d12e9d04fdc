// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/linear_model.h"

#include <algorithm>
#include <cmath>

namespace partita::detail {
namespace {

constexpr double kRounding = 1e-12;  // of two terms that cancel each other

// What is left where terms of one column cancel each other may be rounding, and no solver can tell it from a number.
Terms added_up(Terms terms) {
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.column < b.column; });
  Terms result;
  for (const Term& term : terms) {
    if (!result.empty() && result.back().column == term.column) {
      double& sum = result.back().factor;
      const double size = std::max(std::abs(sum), std::abs(term.factor));
      sum += term.factor;
      if (std::abs(sum) <= kRounding * size) sum = 0;
    } else {
      result.push_back(term);
    }
  }
  std::erase_if(result, [](const Term& term) { return term.factor == 0; });
  return result;
}

// The largest and the smallest of some coefficients.
struct Range {
  double least = kNoLimit, most = 0;

  void add(double factor) {
    least = std::min(least, std::abs(factor));
    most = std::max(most, std::abs(factor));
  }
  double ratio() const { return most == 0 ? 1 : most / least; }
};

}  // namespace

void append(Terms& terms, std::span<const Term> more, double factor) {
  for (const Term& term : more) terms.push_back({term.column, factor * term.factor});
}

void LinearModel::add_row(std::string name, double lower, Terms terms, double upper) {
  Row row{std::move(name), lower, upper, added_up(std::move(terms))};
  if (row.terms.empty() && lower <= 0 && upper >= 0) return;
  rows_.push_back(std::move(row));
}

std::size_t LinearModel::integer_count() const {
  return static_cast<std::size_t>(
      std::count_if(columns_.begin(), columns_.end(), [](const Column& c) { return c.integer; }));
}

std::size_t LinearModel::entry_count() const {
  std::size_t count = 0;
  for (const Row& row : rows_) count += row.terms.size();
  return count;
}

double LinearModel::objective(std::span<const double> x) const {
  double sum = 0;
  for (ColumnId c : columns_.all()) sum += columns_[c].objective * x[c.index()];
  return sum;
}

double LinearModel::largest_column_violation(std::span<const double> x) const {
  double worst = 0;
  for (ColumnId c : columns_.all()) {
    const Column& column = columns_[c];
    const double value = x[c.index()];
    worst = std::max({worst, column.lower - value, value - column.upper});
    if (column.integer) worst = std::max(worst, std::abs(value - std::round(value)));
  }
  return worst;
}

double LinearModel::largest_violation(std::span<const double> x) const {
  double worst = largest_column_violation(x);
  for (const Row& row : rows_) {
    double sum = 0;
    for (const Term& term : row.terms) sum += term.factor * x[term.column.index()];
    worst = std::max({worst, row.lower - sum, sum - row.upper});
  }
  return worst;
}

double LinearModel::coefficient_ratio() const {
  double worst = 1;
  IdVector<ColumnId, Range> by_column(columns_.size());
  for (const Row& row : rows_) {
    Range by_row;
    for (const Term& term : row.terms) {
      if (columns_[term.column].lower == columns_[term.column].upper) continue;
      by_row.add(term.factor);
      by_column[term.column].add(term.factor);
    }
    worst = std::max(worst, by_row.ratio());
  }
  for (const Range& range : by_column) worst = std::max(worst, range.ratio());
  return worst;
}

}  // namespace partita::detail
