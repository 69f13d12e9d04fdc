// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/block_cut.h"

#include <algorithm>

namespace partita::detail {

BlockCut::BlockCut(const BlockModel& model)
    : vertex_of_(model.cluster_count(), 0), stamp_of_(model.cluster_count(), 0) {
  for (const double cost : model.instance().net_cost) tolerance_ = std::max(tolerance_, cost);
  for (const LatencyNode& node : model.instance().nodes) tolerance_ = std::max(tolerance_, node.accelerator_time);
  tolerance_ *= 1e-13;
}

void BlockCut::begin() {
  ++stamp_;
  arcs_.clear();
  open_.clear();
  helpers_ = 0;
  direct_ = 0;
}

BlockCut::Vertex BlockCut::vertex(ClusterId c) {
  if (stamp_of_[c] != stamp_) {
    stamp_of_[c] = stamp_;
    vertex_of_[c] = static_cast<std::uint32_t>(kFirstOpen + open_.size());
    open_.push_back(c);
  }
  return vertex_of_[c];
}

void BlockCut::add_net(double cost, bool in, bool out, std::span<const Vertex> open) {
  if (in && out) {
    direct_ += cost;
    return;
  }
  if (open.empty() || (open.size() == 1 && !in && !out)) return;
  if (open.size() == 1 || (open.size() == 2 && !in && !out)) {
    const Vertex other = open.size() == 2 ? open[1] : in ? kSource : kSink;
    arcs_.push_back({other, open[0], cost, cost});
    return;
  }
  // Helpers are numbered from the other end, and moved behind the open clusters once these are all known.
  const auto helper = [&] { return static_cast<Vertex>(-1) - helpers_++; };
  const Vertex enter = in ? kSource : helper();  // reached if some end is in the block
  const Vertex leave = out ? kSink : helper();   // in the block only if all ends are
  arcs_.push_back({enter, leave, cost, 0});
  for (const Vertex v : open) {
    if (!in) arcs_.push_back({v, enter, kInfiniteCapacity, 0});
    if (!out) arcs_.push_back({leave, v, kInfiniteCapacity, 0});
  }
}

double BlockCut::run(double enough) {
  const Vertex first_helper = kFirstOpen + open_.size();
  const auto number = [&](Vertex v) {
    return v > static_cast<Vertex>(-1) - helpers_ ? first_helper + (static_cast<Vertex>(-1) - v) : v;
  };
  flow_.reset(first_helper + helpers_);
  for (const Arc& arc : arcs_) flow_.add_arc(number(arc.from), number(arc.to), arc.capacity, arc.reverse);
  return flow_.run(kSource, kSink, enough, tolerance_);
}

}  // namespace partita::detail
