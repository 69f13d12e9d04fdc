// SPDX-License-Identifier: Apache-2.0
// The answer by trying everything, for workloads of up to a dozen nodes. It reads the definitions of docs/formats.md
// literally and shares no code with `check`, `reduce` or `solve`: it knows only the nouns of `model`.
#pragma once

#include <optional>
#include <vector>

#include "partita/model/problem.h"

namespace partita::detail {

// What one assignment of nodes to devices is worth.
struct Evaluation {
  bool memory_ok = true;
  bool support_ok = true;
  bool colours_ok = true;
  bool subgraphs_ok = true;  // latency: no more of them than allowed
  bool shape_ok = true;
  bool wishes_ok = true;
  double value = 0;          // of the problem's objective; finite even where support is missing
  std::vector<double> load;  // by device, in the problem's transfer mode, forward and backward together

  bool legal() const { return memory_ok && support_ok && colours_ok && subgraphs_ok && shape_ok && wishes_ok; }
};

// `device_of` by node index; `subgraph_of` as in Split, for latency.
Evaluation evaluate_by_definition(const Problem& problem, const std::vector<std::size_t>& device_of,
                                  const std::vector<std::size_t>& subgraph_of = {});

// The best value of any legal split of the problem's shape, or nothing if there is no legal split. Devices of one class
// are interchangeable, so of each class only the first unused device is tried, but for problems with wishes; everything
// else is enumerated. For
// latency see latency_brute_force.h. Link factors and clusters count; for staged splits in clusters, with copies or
// with samples in flight see pipeline_brute_force.h.
std::optional<double> brute_force(const Problem& problem);

}  // namespace partita::detail
