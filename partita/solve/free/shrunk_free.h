// SPDX-License-Identifier: Apache-2.0
// A smaller graph on which every free or contiguous split is at least as cheap, for bounds: rows of the configuration LP
// and states of its trellises are fewer by half and more, and limits are refuted in a fraction of the time.
//
// shrink.h removes groups by shifts, links and drops (shrink_nets.h), each of which makes no load of any set of groups
// larger, on accelerators; on hosts a set only loses what was removed. That is said of sets, whatever their order. So a
// free split of the large graph, without what was removed, is a free split of the small one with loads that are no
// larger and memory that is no more, and a limit that the small graph refutes is refuted for the large one. The order
// of groups is used only to choose who is removed; here it is that of the trace, along nets.
//
// Contiguous splits: points of removed groups leave the order (order_without), and what was convex is convex without
// them. So a contiguous split of the large graph, without what was removed, is one of the small graph.
//
// What the LP proves of the small graph is told in groups of the large one, with the removals before it, which become
// the steps of a certificate (docs/algorithms/certificates.md). For plain platforms: elsewhere a group's time differs
// from class to class.
// Tests: tests/solve/shrunk_free_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "partita/reduce/free_instance.h"
#include "partita/reduce/shrink.h"
#include "partita/solve/configuration/configuration_lp.h"

namespace partita::detail {

class ShrunkFree {
 public:
  static constexpr std::size_t kMostGroups = 8192;  // of the large graph: the closure is quadratic

  // Nothing if the dose (shrink.h; a share of the limit, which need not be the one asked later) removes too little to be
  // worth it, or the graph is too large. For plain instances.
  // With an order, for splits whose devices hold convex sets. Throws OutOfTime.
  static std::optional<ShrunkFree> make(const FreeInstance& instance, const ConvexOrder& order, double limit,
                                        const ShrinkDose& dose, const Budget& budget);

  const NetGraph& graph() const { return graph_; }
  const ConvexOrder& order() const { return left_.order; }
  std::size_t removed() const { return log_->removals.size(); }
  ConfigurationModel model(const FreeInstance& instance) const;

  // Of the large graph to the small one: what was removed has given its price to whom it went to.
  GroupPrices without_removed(GroupPrices prices) const;
  FreeSplit without_removed(const FreeSplit& split) const;
  // The other way: what was removed is where its dearest net leads. Loads may be larger than they seem, and devices may
  // be unable to run it.
  FreeSplit with_removed(const FreeSplit& split) const;
  FreeProof with_removed(FreeProof proof) const;

 private:
  ShrunkFree() = default;

  NetGraph graph_;
  std::vector<GroupId> kept_;  // groups of the large graph, by group of the small one
  std::size_t groups_ = 0;     // of the large graph
  OrderLeft left_;
  std::shared_ptr<const ShrinkLog> log_;
};

}  // namespace partita::detail
