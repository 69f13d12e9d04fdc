// SPDX-License-Identifier: Apache-2.0
// A few stages of a pipeline that follow each other, as a question of their own: how else could the same devices hold
// the same groups, with all else left where it is?
//
// **What lies outside does not change.** A device pays a net if it holds some but not all of its members. Where the
// other members are does not matter, so the loads of the stages outside stay what they are, however the window is
// split. And the groups of a window are the difference of two ideals: no path leaves the window and comes back, so an
// order among them that respects the edges between them is all that a staged split needs.
//
// **What a window pays for nets that reach out.** Whoever holds a member inside pays, even if it holds all of those
// inside. With one member inside that is the same as more time on an accelerator (hosts pay no nets), and is added
// there. With several, a group that stands for the outside joins the net. It must be held by nobody who holds anything
// else, so it gets a host of its own: no accelerator can run it. If the window has no hosts, its groups are banned from
// hosts, and the outside is alone. If it has, the time of the outside on a host is the limit itself, and no group takes
// less than kLeastHostTime of the limit there: so none fits beside it. Thus the answer is exact without hosts, and off
// by at most that share for each group on a host with them. Loads found are recomputed on the whole graph in any case.
// Tests: tests/solve/window_search_test.cpp.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "partita/solve/staged/staged_split.h"

namespace partita::detail {

inline constexpr double kLeastHostTime = 1e-8;

class PipelineWindow {
 public:
  // `stages` follow each other in a staged split of `graph`; `platform` has the devices that may hold their groups, and
  // must have those of the stages at least. What is asked of the window is asked with this limit on its loads.
  PipelineWindow(const StageGraph& graph, const StagePlatform& platform, std::span<const Stage> stages, double limit);

  const StageGraph& graph() const { return graph_; }
  const StagePlatform& platform() const { return platform_; }  // with the host of the outside
  bool reaches_out() const { return reaches_out_; }            // then group 0 stands for the outside

  // Stages of the window's graph as stages of the whole, without that of the outside. None if some group stands beside
  // the outside, which can only be where the limit was not kept.
  std::optional<std::vector<Stage>> lift(const std::vector<Stage>& stages) const;
  // The other way round: the stage of the outside comes first.
  std::vector<Stage> lower(std::span<const Stage> stages) const;

 private:
  StageGraph graph_;
  StagePlatform platform_;
  bool reaches_out_ = false;
  std::vector<GroupId> whole_id_;  // of each group of the window but the outside, ascending
};

}  // namespace partita::detail
