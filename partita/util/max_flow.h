// SPDX-License-Identifier: Apache-2.0
// Maximum flow by blocking flows [Dinic'70] on real capacities, for minimum-cut bounds.
//
// The value returned is always that of a feasible flow, so it never exceeds a minimum cut: stopping early, at a limit
// or because residuals fell below the tolerance, only makes a bound weaker. One network serves many runs: a run costs
// no more than the part of the network that it looks at, and clear_flow() undoes only what was changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace partita::detail {

inline constexpr double kInfiniteCapacity = std::numeric_limits<double>::infinity();

class MaxFlow {
 public:
  using Vertex = std::uint32_t;
  using ArcIndex = std::uint32_t;

  explicit MaxFlow(std::size_t vertices = 0) { reset(vertices); }

  void reset(std::size_t vertices);
  // An arc and its reverse. Capacities may be infinite.
  ArcIndex add_arc(std::size_t from, std::size_t to, double capacity, double reverse_capacity = 0);
  // Only while no flow is there: before run(), or after clear_flow().
  void set_capacity(ArcIndex arc, double capacity);
  // The maximum flow, or any flow of at least `enough`. Residuals of at most `tolerance` count as used up.
  double run(std::size_t source, std::size_t sink, double enough, double tolerance);
  void clear_flow();
  // After a run() that was not ended by `enough`: is the vertex on the source's side of a minimum cut?
  bool on_source_side(std::size_t vertex) const { return label_[vertex].phase == phase_; }
  std::size_t arc_count() const { return arcs_.size(); }

 private:
  struct Arc {
    Vertex to;
    ArcIndex next;  // the next arc out of the same vertex
    double residual;
    double capacity;
  };
  struct Label {
    std::uint32_t phase = 0;  // the rest is meant only if this is the current phase
    std::uint32_t level = 0;
    ArcIndex arc = 0;  // the first arc that may still lead to the sink
  };
  static constexpr ArcIndex kNone = static_cast<ArcIndex>(-1);

  bool label_levels(Vertex source, Vertex sink, double tolerance);
  double push_path(Vertex source, Vertex sink, double tolerance);

  std::vector<Arc> arcs_;  // arc i's reverse is i ^ 1
  std::vector<ArcIndex> first_arc_, touched_, path_;
  std::vector<Label> label_;
  std::vector<Vertex> queue_;
  std::uint32_t phase_ = 0;
};

}  // namespace partita::detail
