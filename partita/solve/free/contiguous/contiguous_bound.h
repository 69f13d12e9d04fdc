// SPDX-License-Identifier: Apache-2.0
// A bound for contiguous splits, and sometimes a better split: limits refuted by the configuration LP, and by a tree of
// cases above it (bound_climber.h), over convex sets and over all sets.
//
// Over convex sets the LP is far stronger: on the paper's inputs it proves nearly all optima in seconds, where bounds of
// free splits stay up to a third below. Yet its trellis may be too large, or its prices slow to come; and every
// contiguous split is free, so that what is refuted for free splits is refuted here too. So both climb, by turns:
//   - convex sets first, until they have gone without a better bound for a while, or for a good part of the time;
//   - then whoever went without one for less long, so that who raises the bound goes on;
//   - free splits no more, once they have gone without one for as long as they usually take.
// Both try limits above the best bound of the two, and the proof handed back belongs to that one.
//
// The start is made better too, but only once convex sets had a turn: many staged optima are contiguous ones, and are
// proved to be in it. With several threads the search for a better start and the convex sets begin side by side, and later
// a turn of the one and turns of the other bound.
// Tests: tests/solve/contiguous_test.cpp, tests/portfolio/free_test.cpp.
#pragma once

#include <functional>
#include <optional>

#include "partita/solve/configuration/convex_order.h"
#include "partita/solve/free/free.h"

namespace partita::detail {

// Whether a split is what it should be, of one that the LP came across; sets its value.
using SplitCheck = std::function<bool(FreeSplit&)>;

// A split at least as good as the one given, with its value; or as good as the budget allows.
using SplitImprover = std::function<FreeSplit(const FreeSplit&, Budget&)>;

struct ContiguousQuestion {
  const FreeInstance& instance;
  const ConvexOrder& order;
  ProofCheck holds_convex, holds_free;  // is a proof about convex sets, or about all sets, what it should be?
  SplitCheck legal;
  SplitImprover improve;  // may be null; runs on a thread of its own, where there are several
};

struct ContiguousOutcome : FreeOutcome {
  bool of_free_splits = false;  // the bound and its proof
};

// From `start` on, which is legal and contiguous and has its value. Ends when value and bound agree, the budget ends, or
// nothing more can be refuted. Without `with_free`, over convex sets alone.
ContiguousOutcome bound_contiguous(const ContiguousQuestion& question, const FreeSplit& start,
                                   const FreeOptions& options, bool with_free, Budget& budget, const Sink& sink);

}  // namespace partita::detail
