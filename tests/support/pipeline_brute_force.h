// SPDX-License-Identifier: Apache-2.0
// The best staged split by trying everything, for questions with unequal devices, clusters, copies, samples in flight
// and recomputing: up to about seven nodes and four devices. It reads the definitions of docs/formats.md literally and
// shares no code with `check`, `reduce` or `solve`: it knows only the nouns of `model`.
#pragma once

#include <optional>
#include <vector>

#include "partita/model/problem.h"
#include "partita/model/split.h"

namespace partita::detail {

// What one split of any kind, sensible or not, is worth.
struct PipelineEvaluation {
  bool placed_ok = true;  // every node is on a device
  bool support_ok = true;
  bool colours_ok = true;
  bool copies_ok = true;
  bool recompute_ok = true;
  bool shape_ok = true;  // and the order is good, where memory goes by it
  bool memory_ok = true;
  bool wishes_ok = true;
  // Of meaning only where all of the above but the limits of memory and the wishes hold.
  double value = 0;
  std::vector<double> load;    // by device
  std::vector<double> memory;  // by device

  bool measurable() const { return placed_ok && support_ok && colours_ok && copies_ok && recompute_ok && shape_ok; }
  bool legal() const { return measurable() && memory_ok && wishes_ok; }
};

// Precondition: the problem is for throughput, with the shape staged.
PipelineEvaluation evaluate_pipeline(const Problem& problem, const Split& split);

// The least value of a legal split, or nothing if there is none. Pipelines are built stage by stage: every chain of
// ideals, on every sequence of devices, with every constellation of copies and every choice of who recomputes. A
// pipeline is given up when what a device computes is already no better than the best.
std::optional<double> pipeline_brute_force(const Problem& problem);

}  // namespace partita::detail
