// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/latency_labels.h"

#include <algorithm>
#include <limits>

#include "partita/reduce/never.h"

namespace partita::detail {
namespace {

constexpr std::size_t kLabelledPerLook = 100'000;  // at the clock

}  // namespace

LatencyLabels::LatencyLabels(const BlockModel& model, const NodeReach& reach, bool reversed, EdgeLabels labels,
                             const EdgeLabels& other, const Way& way)
    : model_(model), reversed_(reversed), limit_(way.limit), labels_(std::move(labels)), other_(other), levels_(1, 0) {
  for (const BlockModel& one : model.by_class()) finish_.emplace_back(one, reach, reversed, way.toll);
  if (way.pairs && finish_.size() == 1) finish_[0].look_at_pairs(reach);
  for (const double label : labels_) {
    if (label < kNever) levels_.push_back(label);
  }
  std::sort(levels_.begin(), levels_.end());
  levels_.erase(std::unique(levels_.begin(), levels_.end()), levels_.end());
  if (model.contradicts_itself()) bound_ = kNever;
}

bool LatencyLabels::advance(Budget& slice) {
  const std::vector<NodeId>& order = model_.instance().order;
  while (next_ < order.size() && bound_ < limit_) {
    if (slice.exhausted()) return false;
    label(reversed_ ? order[order.size() - 1 - next_] : order[next_], slice);
    ++next_;
  }
  if (bound_ >= limit_) bound_ = kNever;
  return true;
}

void LatencyLabels::raise(EdgeId e, double value) {
  if (value <= labels_[e]) return;
  labels_[e] = value;
  if (value == kNever) return;
  const auto at = std::lower_bound(levels_.begin(), levels_.end(), value);
  if (at == levels_.end() || *at != value) levels_.insert(at, value);
}

void LatencyLabels::label(NodeId u, Budget& slice) {
  double start = 0, after = 0;  // a host starts u no sooner, and leaves so much to come
  for (const auto& [p, e] : finish_[0].edges_in(u)) start = std::max(start, labels_[e]);
  for (const auto& [w, e] : finish_[0].edges_out(u)) after = std::max(after, other_[e]);
  double on_host = model_.on_host(u) ? start + model_.instance().nodes[u].host_time : kNever;
  if (on_host + after >= limit_) on_host = kNever;

  std::uint64_t ticks = 1;
  const auto least = [&](NodeId without, double after_it) {
    const double no_use = limit_ - after_it;  // infinite without a limit
    double found = std::min(on_host, no_use);
    for (BlockFinish& finish : finish_) found = finish.least({u, without, found}, labels_, levels_, ticks);
    return found >= no_use ? kNever : found;
  };
  const auto out = finish_[0].edges_out(u);
  for (const auto& [w, e] : out) {
    if (labels_[e] < kNever) raise(e, least(w, other_[e]));
  }
  if (out.empty()) bound_ = std::max(bound_, least(NodeId(), 0));
  slice.spend(ticks);
}

double time_around(const BlockModel& model, const EdgeLabels (&labels)[2], NodeId v) {
  double before = 0, after = 0;
  for (const auto& [p, e] : model.edges_in(v)) before = std::max(before, labels[0][e]);
  for (const auto& [w, e] : model.edges_out(v)) after = std::max(after, labels[1][e]);
  return before + after;
}

bool join_ends(const BlockModel& model, const EdgeLabels (&labels)[2], double limit, LatencyFacts& facts) {
  const LatencyInstance& instance = model.instance();
  bool any = false;
  TimeWatch watch(model.budget(), kLabelledPerLook);
  for (EdgeId e : model.edges()) {
    if (labels[0][e] + labels[1][e] < limit) continue;
    const auto& [from, to] = model.edge(e);
    watch.step(instance.group_count());
    if (instance.nodes[from].backward == instance.nodes[to].backward) any = facts.join(from, to) || any;
  }
  return any;
}

}  // namespace partita::detail
