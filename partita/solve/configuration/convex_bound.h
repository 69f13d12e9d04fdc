// SPDX-License-Identifier: Apache-2.0
// Refutes limits for staged splits by the configuration LP over convex sets (configuration_lp.h): every stage is a convex
// set of the groups' order, so what the LP refutes no chain of stages is within.
//
// Exact: the loads that are refuted are those of the graph as real numbers; scaling rounds outward. The graph may be what
// presolve and relaxations leave of another one at this limit; whoever made it says what a "no" means there. On graphs
// that stay wide the trellis explodes; it gives up as soon as that shows.
// Tests: tests/solve/convex_bound_test.cpp.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "partita/reduce/staged_instance.h"
#include "partita/solve/configuration/configuration_lp.h"
#include "partita/solve/configuration/pair_tree.h"

namespace partita::detail {

struct ConvexBoundOptions {
  std::uint64_t seed = 1;               // of the order in which groups are decided
  std::size_t widest_layer = 60'000;    // a wider layer forgets nets
  std::size_t most_states = 1'000'000;  // with more it gives up
};

// The LP that refutes limits of staged splits: prices begin at the groups' times, and the trellises, along the order, take
// what memory the budget has.
ConfigurationLp convex_lp(ConfigurationModel model, std::vector<GroupId> order, const ConvexBoundOptions& options,
                          const Budget& budget);

class ConvexBound {
 public:
  // Both must outlive it. A platform may have no hosts, or no accelerators.
  ConvexBound(const StageGraph& graph, const StagePlatform& platform, const ConvexBoundOptions& options = {});

  // Refuted: no staged split has every load at most `limit`. LpFeasible: this relaxation cannot tell, or the graph is too
  // large for it. Undecided: the budget ended, also where time ended; asked the same limit again it goes on where it
  // stopped, unless time had ended.
  Refutation refute(double limit, Budget& budget);

  // The same by a tree of cases above the LP (pair_tree.h), for limits that the LP allows.
  Refutation refute_by_cases(double limit, Budget& budget);

  // Of the limit asked last, if it was not refuted: by how much a lower one seems to be (configuration_lp.h).
  double shortfall() const { return lp_ ? lp_->shortfall() : std::numeric_limits<double>::infinity(); }

  // It says LpFeasible of the limit asked last only because the graph is too large for it.
  bool too_large() const;

  // Stages worth having as columns: those of good splits.
  void suggest(const std::vector<Stage>& stages);
  // Topological orders of which intervals are (tiling_sets.h).
  void suggest_orders(std::vector<std::vector<GroupId>> orders) { orders_ = std::move(orders); }

 private:
  void start(Budget& budget);
  void tile(double limit, Budget& budget);
  template <class Ask>
  Refutation ask(double limit, Budget& budget, Ask ask_lp);

  const StageGraph& graph_;
  const StagePlatform& platform_;
  const ConvexBoundOptions options_;
  std::vector<std::vector<GroupId>> suggested_, orders_;
  double tiled_for_ = 0;  // the limit that intervals of the orders were made for
  std::unique_ptr<ConfigurationLp> lp_;
  std::unique_ptr<PairTree> tree_;  // of the limit asked for last
};

}  // namespace partita::detail
