// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/pair_times.h"

#include <algorithm>

namespace partita::detail {

PairTimes::PairTimes(const BlockModel& model, const NodeReach& reach, bool reversed, double toll)
    : model_(model),
      reach_(reach),
      reversed_(reversed),
      finish_(model, reach, reversed, toll),
      turn_(model.node_count()) {
  const std::vector<NodeId>& order = model.instance().order;
  for (std::size_t i = 0; i < order.size(); ++i) turn_[order[i]] = reversed ? order.size() - 1 - i : i;
}

double PairTimes::both(const EnteringEdge& one, const EnteringEdge& other, const EdgeLabels& labels,
                       const std::vector<double>& levels, double at_most, std::uint64_t& ticks) {
  const double later = std::max(one.label, other.label);
  if (one.producer == other.producer || later >= at_most) return std::min(later, at_most);
  const auto key = std::minmax(one.edge, other.edge);
  const auto at = known_.find(key);
  if (at != known_.end() && (at->second.asked_up_to >= at_most || at->second.time < at->second.asked_up_to))
    return std::min(std::max(at->second.time, later), at_most);
  const double found = find(one, other, labels, levels, at_most, ticks);
  known_[key] = {found, at_most};
  return std::max(found, later);
}

double PairTimes::find(const EnteringEdge& one, const EnteringEdge& other, const EdgeLabels& labels,
                       const std::vector<double>& levels, double at_most, std::uint64_t& ticks) {
  const NodeId p = one.producer, q = other.producer;
  const double together =
      finish_.least({one.producer, one.consumer, at_most, {&q, 1}, {&other.consumer, 1}}, labels, levels, ticks);
  if (together <= std::max(one.label, other.label)) return together;
  const BitMatrix& above = reversed_ ? reach_.below : reach_.above;
  if (above.test(q.index(), p.index())) return apart(other, p, p, labels, levels, together, ticks);
  if (above.test(p.index(), q.index())) return apart(one, q, q, labels, levels, together, ticks);
  const NodeId shared = last_before_both(p, q);
  const double first = apart(one, q, shared.valid() ? shared : q, labels, levels, together, ticks);
  return apart(other, p, shared.valid() ? shared : p, labels, levels, first, ticks);
}

// The least finish of the producer's block if it holds neither its consumer nor these two.
double PairTimes::apart(const EnteringEdge& from, NodeId other, NodeId shared, const EdgeLabels& labels,
                        const std::vector<double>& levels, double at_most, std::uint64_t& ticks) {
  if (model_.on_host(from.producer)) {
    double start = 0;
    for (const auto& [p, e] : finish_.edges_in(from.producer)) start = std::max(start, labels[e]);
    at_most = std::min(at_most, start + model_.instance().nodes[from.producer].host_time);
  }
  const NodeId left_out[] = {other, shared};
  return finish_.least({from.producer, from.consumer, at_most, {}, left_out}, labels, levels, ticks);
}

NodeId PairTimes::last_before_both(NodeId p, NodeId q) const {
  const BitMatrix& above = reversed_ ? reach_.below : reach_.above;
  const auto of_p = above.row(p.index()), of_q = above.row(q.index());
  NodeId last;
  all_nodes(
      of_p.size(), [&](std::size_t w) { return of_p[w] & of_q[w]; },
      [&](NodeId v) {
        if (!last.valid() || turn_[v] > turn_[last]) last = v;
        return true;
      });
  return last;
}

}  // namespace partita::detail
