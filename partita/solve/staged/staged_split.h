// SPDX-License-Identifier: Apache-2.0
// A split into stages, and what it costs. Costs need groups and nets only; the order is the business of those who make
// stages.
#pragma once

#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "partita/reduce/pass_graphs.h"
#include "partita/reduce/staged_instance.h"

namespace partita::detail {

struct StagedSplit {
  double value = 0;  // the largest load; for gpipe the sum of the largest loads of the passes
  std::vector<Stage> stages;
};

double largest_load(const NetGraph& graph, std::span<const Stage> stages);

// The largest load of each pass, whose sum is what a split costs. With one pass, that is the largest load.
template <std::size_t P>
struct PassValue {
  std::array<double, P> largest{};
  double sum() const { return std::accumulate(largest.begin(), largest.end(), 0.0); }
};

template <class Graphs>
PassValue<kPassesOf<Graphs>> pass_value(const Graphs& graphs, std::span<const Stage> stages) {
  PassValue<kPassesOf<Graphs>> value;
  for (std::size_t p = 0; p < kPassesOf<Graphs>; ++p)
    value.largest[p] = largest_load(view(graphs, kFirstPass<Graphs> + p), stages);
  return value;
}

}  // namespace partita::detail
