// SPDX-License-Identifier: Apache-2.0
// The best split and the best bound so far, and who is told of them.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "partita/solve/throughput/staged_split.h"
#include "partita/util/budget.h"
#include "partita/util/progress.h"

namespace partita {

class Incumbent {
 public:
  Incumbent(const Budget& budget, const Sink& sink) : budget_(budget), sink_(sink) {}

  double value() const { return split_ ? split_->value : std::numeric_limits<double>::infinity(); }
  double bound() const { return bound_; }
  const std::optional<StagedSplit>& split() const { return split_; }
  const std::string& proof() const { return proof_; }

  // Take over what is better; say so.
  bool offer(StagedSplit split);
  void raise_bound(double bound, const char* proof);
  void tell(Progress::Event event, std::size_t groups, std::string detail) const;

  // Bound and value agree up to `gap`, relative to the value.
  bool closed(double gap) const;

 private:
  const Budget& budget_;
  const Sink& sink_;
  std::optional<StagedSplit> split_;
  double bound_ = 0;
  std::string proof_ = "loads are not negative";
};

}  // namespace partita
