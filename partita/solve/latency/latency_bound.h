// SPDX-License-Identifier: Apache-2.0
// Lower bounds on the latency, better and better.
//
// First the labels of all splits (latency_labels.h). Then, once there is a split, the question whether there is a
// better one: sweeps forward and backward in turns, each with the other's labels and the value as its limit. Where an
// edge cannot be cut, its ends share an accelerator; where labels leave a node no time on a host, its group is on an
// accelerator. Both make the next sweep stronger. When nothing is left, or a group fits nowhere, the split is optimal;
// when nothing changes any more, this bound can do no more. Tests: tests/solve/latency_bound_test.cpp.
#pragma once

#include <memory>
#include <optional>

#include "partita/solve/latency/latency_labels.h"

namespace partita {

class LatencyBound {
 public:
  // The instance must outlive it.
  explicit LatencyBound(const LatencyInstance& instance);

  // Works until the slice ends or nothing is left to do. `value` is the latency of the best split known, or infinite.
  // True if the bound got better.
  bool improve(double value, Budget& slice);

  double bound() const { return bound_; }  // infinite if there is no split at all
  const char* proof() const { return proof_; }
  // Nothing can be gained by going on, unless a better split becomes known.
  bool finished() const { return finished_; }

 private:
  void begin_sweep();
  void end_sweep();
  bool learn();

  const LatencyInstance& instance_;
  std::optional<NodeReach> reach_;
  std::unique_ptr<LatencyFacts> facts_;
  std::unique_ptr<BlockModel> model_;
  std::unique_ptr<LatencyLabels> sweep_;
  EdgeLabels labels_[2];  // forward, backward
  double limit_;
  int direction_ = 0;
  bool first_ = true;       // the sweep without a limit
  bool facts_new_ = false;  // since the last sweep began
  int idle_ = 0;            // sweeps in a row that taught nothing
  double bound_ = 0;
  const char* proof_ = "";
  bool finished_ = false;
};

}  // namespace partita
