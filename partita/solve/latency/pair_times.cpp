// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/pair_times.h"

#include <algorithm>
#include <array>

#include "partita/reduce/never.h"
#include "partita/solve/latency/walk_together.h"

namespace partita::detail {

PairTimes::PairTimes(const BlockModel& model, const NodeReach& reach, bool reversed, double toll, KnownPairTimes& known)
    : model_(model),
      reach_(reach),
      reversed_(reversed),
      toll_(toll),
      finish_(model, reach, reversed, toll),
      none_(model.edge_count(), 0),
      turn_(model.node_count()),
      known_(known) {
  const std::vector<NodeId>& order = model.instance().order;
  for (std::size_t i = 0; i < order.size(); ++i) turn_[order[i]] = reversed ? order.size() - 1 - i : i;
}

// By several threads, where there are.
double PairTimes::least(const BlockFinish::Question& question, const EdgeLabels& labels,
                        const std::vector<double>& levels, std::uint64_t& ticks) {
  if (threads_of_question(model_.budget()) == 1) return finish_.least(question, labels, levels, ticks);
  std::vector<BlockFinish::Walk> walks{BlockFinish::begin_walk(question, levels)};
  std::atomic<std::uint64_t> all_ticks = 0;
  walk_together(*model_.budget(), walks, {},
                [&](std::size_t, BlockFinish::Walk& walk, std::size_t last, std::size_t steps, std::size_t) {
                  known_.plain.lend([&] { return std::make_unique<BlockFinish>(model_, reach_, reversed_, toll_); },
                                    [&](BlockFinish& finish) {
                                      std::uint64_t own_ticks = 0;
                                      finish.go_on(walk, last, steps, question, labels, levels, own_ticks);
                                      all_ticks += own_ticks;
                                    });
                });
  ticks += all_ticks;
  return walks[0].best;
}

double PairTimes::both(const EnteringEdge& one, const EnteringEdge& other, const EdgeLabels& labels,
                       const std::vector<double>& levels, double at_most, std::uint64_t& ticks) {
  const double later = std::max(one.label, other.label);
  if (one.producer == other.producer || later >= at_most) return std::min(later, at_most);
  const auto key = std::minmax(one.edge, other.edge);
  if (const auto known = known_.pairs.find(key, at_most)) return std::min(std::max(*known, later), at_most);
  const double found = find(one, other, labels, levels, at_most, ticks);
  known_.pairs.add(key, found, at_most);
  return std::max(found, later);
}

double PairTimes::find(const EnteringEdge& one, const EnteringEdge& other, const EdgeLabels& labels,
                       const std::vector<double>& levels, double at_most, std::uint64_t& ticks) {
  const NodeId p = one.producer, q = other.producer;
  const double together =
      least({one.producer, one.consumer, at_most, {&q, 1}, {&other.consumer, 1}}, labels, levels, ticks);
  if (together <= std::max(one.label, other.label)) return together;
  const BitMatrix& above = reversed_ ? reach_.below : reach_.above;
  if (above.test(q.index(), p.index())) return apart(other, p, p, labels, levels, together, ticks);
  if (above.test(p.index(), q.index())) return apart(one, q, q, labels, levels, together, ticks);
  const NodeId shared = last_before(std::array{p, q});
  const double first = apart(one, q, shared.valid() ? shared : q, labels, levels, together, ticks);
  return apart(other, p, shared.valid() ? shared : p, labels, levels, first, ticks);
}

double PairTimes::all(const std::vector<EnteringEdge>& edges, const EdgeLabels& labels,
                      const std::vector<double>& levels, double at_most, std::uint64_t& ticks) {
  double later = 0;
  std::vector<EdgeId> key;
  for (const EnteringEdge& e : edges) {
    later = std::max(later, e.label);
    key.push_back(e.edge);
  }
  if (later >= at_most) return at_most;
  std::sort(key.begin(), key.end());
  if (const auto known = known_.groups.find(key, at_most)) return std::min(std::max(*known, later), at_most);
  const double found = find_all(edges, labels, levels, at_most, ticks);
  known_.groups.add(key, found, at_most);
  return std::max(found, later);
}

double PairTimes::find_all(const std::vector<EnteringEdge>& edges, const EdgeLabels& labels,
                           const std::vector<double>& levels, double at_most, std::uint64_t& ticks) {
  std::vector<NodeId> producers, out;  // no consumer is in any of these blocks
  double later = 0;                    // no less than this is of use
  for (const EnteringEdge& e : edges) {
    producers.push_back(e.producer);
    out.push_back(e.consumer);
    later = std::max(later, e.label);
  }
  const auto block_of = [&](std::size_t i, std::span<const NodeId> also, double no_more) {
    if (edges[i].label >= no_more) return no_more;
    const double found = least({producers[i], edges[i].consumer, no_more, also, out}, labels, levels, ticks);
    return std::max(found, edges[i].label);
  };
  double least = block_of(0, std::span(producers).subspan(1), at_most);
  const NodeId c = last_before(producers);
  if (!c.valid()) {
    for (std::size_t i = 1; i < edges.size() && least > later; ++i)
      least = apart(edges[i], producers[0], producers[0], labels, levels, least, ticks);
    return least;
  }
  const double shortest = shortest_block(edges, c, least, ticks);
  if (shortest == kNever) return least;
  for (std::size_t i = 0; i < edges.size() && least > later; ++i)
    least = std::min(least, shortest + block_of(i, {&c, 1}, std::max(0.0, least - shortest)));
  out.push_back(c);
  for (std::size_t i = 0; i < edges.size() && edges.size() > 2; ++i) {
    for (std::size_t j = i + 1; j < edges.size() && least > later; ++j) least = block_of(i, {&producers[j], 1}, least);
  }
  double first = kNever, last = 0, tolls = 0, toll_of_last = 0;
  for (std::size_t i = 0; i < edges.size() && least > later; ++i) {
    const double found = apart(edges[i], c, c, labels, levels, least, ticks);
    const double toll = model_.on_host(producers[i]) ? 0 : toll_;
    first = std::min(first, found);
    tolls += toll;
    if (found > last) {
      last = found;
      toll_of_last = toll;
    }
  }
  return std::min({least, first + shortest, last + tolls - toll_of_last});
}

// That holds some producer, but neither its consumer nor c; or the producer on a host.
double PairTimes::shortest_block(const std::vector<EnteringEdge>& edges, NodeId c, double at_most,
                                 std::uint64_t& ticks) {
  double shortest = at_most;
  for (const EnteringEdge& e : edges) {
    if (model_.on_host(e.producer)) shortest = std::min(shortest, model_.instance().nodes[e.producer].host_time);
    shortest = least({e.producer, e.consumer, shortest, {}, {&c, 1}}, none_, zero_, ticks);
  }
  return shortest;
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
  if (from.label >= at_most) return at_most;
  const double found = least({from.producer, from.consumer, at_most, {}, left_out}, labels, levels, ticks);
  return std::max(found, from.label);
}

// The last node that all of these come after.
NodeId PairTimes::last_before(std::span<const NodeId> producers) const {
  const BitMatrix& above = reversed_ ? reach_.below : reach_.above;
  NodeId last;
  all_nodes(
      above.words_per_row(),
      [&](std::size_t w) {
        Word common = ~Word{0};
        for (NodeId p : producers) common &= above.row(p.index())[w];
        return common;
      },
      [&](NodeId v) {
        if (!last.valid() || turn_[v] > turn_[last]) last = v;
        return true;
      });
  return last;
}

}  // namespace partita::detail
