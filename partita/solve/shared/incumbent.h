// SPDX-License-Identifier: Apache-2.0
// The best split and the best bound so far, and who is told of them. Threads may share one.
#pragma once

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "partita/solve/shared/outcome.h"
#include "partita/util/budget.h"
#include "partita/util/progress.h"

namespace partita::detail {

template <class Split>  // has a `value`
class Incumbent {
 public:
  Incumbent(const Budget& budget, const Sink& sink) : budget_(budget), sink_(sink) {}

  double value() const {
    const std::lock_guard lock(mutex_);
    return value_of(known_);
  }
  double bound() const {
    const std::lock_guard lock(mutex_);
    return known_.bound;
  }
  // Bound and value agree up to `gap`, relative to the value.
  bool closed(double gap) const {
    const std::lock_guard lock(mutex_);
    return known_.split && value_of(known_) - known_.bound <= gap * value_of(known_);
  }
  std::optional<Split> copy_of_split() const {
    const std::lock_guard lock(mutex_);
    return known_.split;
  }
  // Without a copy: while no other thread offers splits or raises bounds.
  const std::optional<Split>& split() const { return known_.split; }
  const std::string& proof() const { return known_.proof; }
  const Outcome<Split>& outcome() const { return known_; }

  // Takes over what is better, and says so.
  bool offer(Split split) {
    {
      const std::lock_guard lock(mutex_);
      if (split.value >= value_of(known_)) return false;
      known_.split = std::move(split);
    }
    tell(Progress::Event::Split, 0, {});
    return true;
  }
  bool raise_bound(double bound, std::string proof) {
    {
      const std::lock_guard lock(mutex_);
      bound = std::min(bound, value_of(known_));
      if (bound <= known_.bound) return false;
      known_.bound = bound;
      known_.proof = proof;
    }
    tell(Progress::Event::Bound, 0, std::move(proof));
    return true;
  }
  void prove_infeasible() { known_.infeasible = true; }

  void tell(Progress::Event event, std::size_t groups, std::string detail) const {
    if (!sink_) return;
    const std::lock_guard lock(mutex_);
    sink_({event, budget_.seconds_used(), value_of(known_), known_.bound, groups, std::move(detail)});
  }

 private:
  static double value_of(const Outcome<Split>& known) {
    return known.split ? known.split->value : std::numeric_limits<double>::infinity();
  }

  const Budget& budget_;
  const Sink& sink_;
  mutable std::mutex mutex_;
  Outcome<Split> known_{.split = {}, .bound = 0, .infeasible = false, .proof = "loads are not negative"};
};

}  // namespace partita::detail
