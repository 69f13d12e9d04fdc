// SPDX-License-Identifier: Apache-2.0
// The least load of a block as a minimum cut. What is surely in the block is the source, what is surely out the sink, a
// cluster that may be either is a vertex: on the source's side it is in the block. Its time is an arc to the sink, a
// net with ends on both sides is cut, and "with this one also that one" is an arc of infinite capacity. Who knows what
// is in and out adds the nets and conditions; vertices come as they are mentioned. Tests: through those who use it,
// tests/solve/latency_bound_test.cpp and spine_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "partita/solve/latency/block_model.h"
#include "partita/util/max_flow.h"

namespace partita::detail {

class BlockCut {
 public:
  using Vertex = std::size_t;

  explicit BlockCut(const BlockModel& model);

  // Forgets everything.
  void begin();
  Vertex vertex(ClusterId c);
  // The clusters that have a vertex, in the order in which they were mentioned.
  const std::vector<ClusterId>& open() const { return open_; }

  // A net with these open ends, each mentioned once, and perhaps ends that are surely in the block, or out of it.
  void add_net(double cost, bool in, bool out, std::span<const Vertex> open);
  void add_time(ClusterId c, double time) { arcs_.push_back({vertex(c), kSink, time, 0}); }
  void demand(ClusterId with, ClusterId also) { arcs_.push_back({vertex(with), vertex(also), kInfiniteCapacity, 0}); }

  double direct() const { return direct_; }  // the cost of nets that are surely cut
  std::size_t arc_count() const { return arcs_.size(); }
  // The least cost of what is not sure, or at least `enough`; infinite if the conditions contradict each other.
  double run(double enough);
  // After a run() that was not ended by `enough`: is the cluster in the cheapest block?
  bool is_inside(ClusterId c) const { return stamp_of_[c] == stamp_ && flow_.on_source_side(vertex_of_[c]); }

 private:
  static constexpr Vertex kSource = 0, kSink = 1, kFirstOpen = 2;
  struct Arc {
    Vertex from, to;
    double capacity, reverse;
  };

  double tolerance_ = 0;
  MaxFlow flow_;
  std::vector<Arc> arcs_;
  double direct_ = 0;
  std::size_t helpers_ = 0;
  std::vector<ClusterId> open_;
  IdVector<ClusterId, std::uint32_t> vertex_of_, stamp_of_;
  std::uint32_t stamp_ = 0;
};

}  // namespace partita::detail
