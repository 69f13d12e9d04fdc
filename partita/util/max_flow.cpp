// SPDX-License-Identifier: Apache-2.0
#include "partita/util/max_flow.h"

#include <algorithm>

namespace partita::detail {

void MaxFlow::reset(std::size_t vertices) {
  arcs_.clear();
  touched_.clear();
  first_arc_.assign(vertices, kNone);
  label_.assign(vertices, Label{});
  phase_ = 0;
}

MaxFlow::ArcIndex MaxFlow::add_arc(std::size_t from, std::size_t to, double capacity, double reverse_capacity) {
  const ArcIndex index = static_cast<ArcIndex>(arcs_.size());
  arcs_.push_back({static_cast<Vertex>(to), first_arc_[from], capacity, capacity});
  first_arc_[from] = index;
  arcs_.push_back({static_cast<Vertex>(from), first_arc_[to], reverse_capacity, reverse_capacity});
  first_arc_[to] = index + 1;
  return index;
}

void MaxFlow::set_capacity(ArcIndex arc, double capacity) { arcs_[arc].residual = arcs_[arc].capacity = capacity; }

void MaxFlow::clear_flow() {
  for (const ArcIndex a : touched_) {
    arcs_[a].residual = arcs_[a].capacity;
    arcs_[a ^ 1].residual = arcs_[a ^ 1].capacity;
  }
  touched_.clear();
}

bool MaxFlow::label_levels(Vertex source, Vertex sink, double tolerance) {
  ++phase_;
  queue_.assign(1, source);
  label_[source] = {phase_, 0, first_arc_[source]};
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    const Vertex v = queue_[head];
    for (ArcIndex a = first_arc_[v]; a != kNone; a = arcs_[a].next) {
      const Arc& arc = arcs_[a];
      if (arc.residual <= tolerance || label_[arc.to].phase == phase_) continue;
      label_[arc.to] = {phase_, label_[v].level + 1, first_arc_[arc.to]};
      if (arc.to == sink) return true;
      queue_.push_back(arc.to);
    }
  }
  return false;
}

// One augmenting path in the level graph, found by walking forward and retreating from dead ends. 0 if none is left.
double MaxFlow::push_path(Vertex source, Vertex sink, double tolerance) {
  path_.clear();
  Vertex v = source;
  const auto leads_on = [&](const Arc& arc) {
    const Label& to = label_[arc.to];
    return arc.residual > tolerance && to.phase == phase_ && to.level == label_[v].level + 1;
  };
  while (v != sink) {
    ArcIndex& a = label_[v].arc;
    while (a != kNone && !leads_on(arcs_[a])) a = arcs_[a].next;
    if (a != kNone) {
      path_.push_back(a);
      v = arcs_[a].to;
      continue;
    }
    if (path_.empty()) return 0;
    v = arcs_[path_.back() ^ 1].to;
    path_.pop_back();
    label_[v].arc = arcs_[label_[v].arc].next;
  }
  double amount = kInfiniteCapacity;
  for (const ArcIndex a : path_) amount = std::min(amount, arcs_[a].residual);
  if (amount == kInfiniteCapacity) return amount;
  for (const ArcIndex a : path_) {
    arcs_[a].residual -= amount;
    arcs_[a ^ 1].residual += amount;
    touched_.push_back(a);
  }
  return amount;
}

double MaxFlow::run(std::size_t source, std::size_t sink, double enough, double tolerance) {
  const Vertex s = static_cast<Vertex>(source), t = static_cast<Vertex>(sink);
  double flow = 0;
  while (flow < enough && label_levels(s, t, tolerance)) {
    while (flow < enough) {
      const double amount = push_path(s, t, tolerance);
      if (amount <= 0) break;
      flow += amount;
      if (flow == kInfiniteCapacity) return flow;
    }
  }
  return flow;
}

}  // namespace partita::detail
