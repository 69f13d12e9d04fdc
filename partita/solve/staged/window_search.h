// SPDX-License-Identifier: Apache-2.0
// Better splits by large-neighbourhood search [Shaw-CP'98]: a few stages that follow each other are split anew, all at
// once and where possible exactly, while all others stay.
//
// A window (pipeline_window.h) of two or three stages is asked for a split with all its loads below its largest. Loads
// outside do not change, so with every yes the loads of the pipeline, sorted from the largest down, become
// lexicographically smaller. The bottleneck itself falls only now and then; in between neighbours hand work along until
// those beside the bottleneck have room. Limits are first just below the largest load, where most windows that cannot
// be improved say no at once, and lower after a yes. What the exact search does not decide within its ticks is annealed
// (anneal.h). Windows with the bottleneck come first, narrow ones before wide ones; a window that said no is not asked
// again until it changes. Where all say no, the devices that are not in use may help, and wider windows are asked.
// It only ever gives splits, never bounds. Complexity: that of the questions, each of a third or so of the graph.
// Tests: tests/solve/window_search_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "partita/model/settings/presolve.h"
#include "partita/model/settings/staged.h"
#include "partita/solve/staged/orders.h"
#include "partita/solve/staged/staged_split.h"
#include "partita/util/budget.h"

namespace partita::detail {

struct WindowSearchOptions {
  std::uint64_t slice = 100'000;  // ticks of one question, and moves where it stays open
  std::size_t widest = 5;         // stages
  StagedSettings settings = {};   // of the questions
  PresolveSettings presolve = {};
};

// What windows have said, from one call to the next for the same graph and devices.
struct WindowMemory {
  std::unordered_map<std::uint64_t, std::uint64_t>
      asked;  // by stages of the window: the largest slice that was in vain
};

// A staged split with a smaller value than `start`, or with the same and loads that are lexicographically smaller, or
// none. `start` must be legal. Ends where no window can be improved, or with the budget.
std::optional<StagedSplit> search_windows(const StageGraph& graph, const StagePlatform& platform,
                                          const StagedSplit& start, const WindowSearchOptions& options,
                                          WindowMemory& memory, Rng& rng, Budget& budget);

}  // namespace partita::detail
