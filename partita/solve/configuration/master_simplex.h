// SPDX-License-Identifier: Apache-2.0
// CLP for the master problem of the configuration LP (master_lp.h): filled with many columns at once, and stopped
// when time is up. Only sources that need CLP's headers include this one.
#pragma once

#include <ClpEventHandler.hpp>
#include <ClpSimplex.hpp>
#include <vector>

#include "partita/util/time_watch.h"

namespace partita::detail {

// Columns on their way into an LP. CLP copies all it has for every call of addColumn, which is quadratic for the first
// columns of a large graph: 100,000 of them took more than an hour.
class ColumnBatch {
 public:
  void add(int count, const int* rows, const double* entries, double upper, double cost) {
    rows_.insert(rows_.end(), rows, rows + count);
    entries_.insert(entries_.end(), entries, entries + count);
    starts_.push_back(static_cast<CoinBigIndex>(rows_.size()));
    lower_.push_back(0);
    upper_.push_back(upper);
    cost_.push_back(cost);
  }
  void move_to(ClpSimplex& lp) {
    lp.addColumns(static_cast<int>(cost_.size()), lower_.data(), upper_.data(), cost_.data(), starts_.data(),
                  rows_.data(), entries_.data());
    *this = ColumnBatch();
  }

 private:
  std::vector<CoinBigIndex> starts_{0};
  std::vector<int> rows_;
  std::vector<double> entries_, lower_, upper_, cost_;
};

// Looks at the clock after every pivot.
class StopInTime : public ClpEventHandler {
 public:
  explicit StopInTime(const Budget& budget) : budget_(&budget) {}
  int event(Event) override { return budget_->out_of_time() ? 5 : -1; }  // 5: stop; -1: go on
  ClpEventHandler* clone() const override { return new StopInTime(*this); }

 private:
  const Budget* budget_;
};

// Throws OutOfTime; the LP is then of no use any more.
inline void solve_primal(ClpSimplex& lp, const Budget& budget) {
  const StopInTime stop(budget);
  lp.passInEventHandler(&stop);
  lp.primal();
  TimeWatch(&budget).look();
  const ClpEventHandler forget;  // the budget may end before the LP does
  lp.passInEventHandler(&forget);
}

}  // namespace partita::detail
