// SPDX-License-Identifier: Apache-2.0
// What the configuration LP allows may still be impossible: a tree of cases above it [Ryan-Foster'81].
//
// In every split two groups share a device or do not. Where the LP has a solution in which two do in part, both cases are
// asked, each with its pair decided for every column; if both are refuted, and those that they are split into, the limit
// is. Any pair may be chosen, and a case may be split before its LP is solved to the end: whatever was chosen, one of the
// two cases holds. In a solution in which every pair is together or apart, sets are whole, and the devices of a split.
// Columns and prices are kept from case to case. The refuted cases are the proof.
//
// Where the sets are stages, which follow each other, the order of two groups may be decided instead
// (crossing_sets.h): a solution may have sets that no pipeline has side by side, even where every pair is together or
// apart. Such cases have no certificate. [A two-tower graph: at 1 % below the best value, devices hold convex sets
// within the limit, but they wait for each other.]
//
// Cases are taken depth first, together before apart, so that few are waiting. Tests: tests/solve/convex_bound_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "partita/solve/configuration/configuration_lp.h"

namespace partita::detail {

class PairTree {
 public:
  // The LP must outlive it, and is asked by nobody else meanwhile, or what was begun of a case begins anew.
  PairTree(ConfigurationLp& lp, double limit);

  double limit() const { return limit_; }

  // Refuted: `leaves()` are the proof, but for stages. LpFeasible: there is a split within the limit (`sets()`; memory
  // of single devices is not looked at, nor the order of stages), or nothing more can be decided. Undecided: the budget
  // ended; asked again it goes on. Throws OutOfTime, and neither it nor the LP must be asked any more then.
  Refutation refute(Budget& budget);
  const ProofTree& leaves() const { return leaves_; }
  // What the devices of a split within the limit hold, if the search came across one: whole sets.
  const std::vector<SetInUse>& sets() const { return sets_; }
  std::size_t cases() const { return cases_; }

 private:
  struct Case {
    std::vector<PairDecision> pairs = {};
    std::vector<ConvexOrder::Edge> precedence = {};

    std::size_t depth() const { return pairs.size() + precedence.size(); }
  };

  bool split_case(const std::vector<SetInUse>& solution);
  std::optional<PairDecision> pair_to_decide(const std::vector<SetInUse>& solution) const;
  void list_neighbours();

  ConfigurationLp& lp_;
  const double limit_;
  std::vector<std::pair<GroupId, GroupId>> neighbours_;  // pairs worth deciding: within a net, or along the order
  std::vector<Case> waiting_;
  ProofTree leaves_;
  std::vector<SetInUse> sets_;
  std::uint64_t spent_ = 0;  // ticks on the case at hand
  std::size_t cases_ = 0, refuted_ = 0;
  bool hopeless_ = false;
};

}  // namespace partita::detail
