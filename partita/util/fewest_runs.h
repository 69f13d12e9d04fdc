// SPDX-License-Identifier: Apache-2.0
// An order of a coloured DAG that changes colour as seldom as possible.
#pragma once

#include <utility>
#include <vector>

#include "partita/util/ids.h"

namespace partita::detail {

using VertexId = Id<struct VertexTag>;
using ColourId = Id<struct ColourTag>;

struct ColouredDag {
  std::size_t colour_count = 0;
  IdVector<VertexId, ColourId> colour_of;
  std::vector<std::pair<VertexId, VertexId>> edges;  // parallel ones do no harm
};

// Runs of one colour, one after the other; each takes all it can of what the runs before left.
struct Runs {
  std::vector<ColourId> colour_of;         // by run; two in a row differ
  IdVector<VertexId, std::size_t> run_of;  // edges go from a run to the same or a later one
  bool fewest = false;                     // proved: no topological order has fewer
};

// About a fifth of a second: additions, comparisons and copied words.
inline constexpr std::size_t kRunsWork = 16'000'000;

// The first try goes through the colours of `preferred` again and again; its order is kept where none has fewer runs.
// Colours that it leaves out come last. Deterministic. `work` limits the search, not the first try.
Runs fewest_runs(const ColouredDag& dag, const std::vector<ColourId>& preferred, std::size_t work = kRunsWork);

}  // namespace partita::detail
