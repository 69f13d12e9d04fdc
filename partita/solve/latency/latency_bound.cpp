// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/latency_bound.h"

#include <algorithm>
#include <limits>

namespace partita {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-9;  // sums and flows are exact to far less
constexpr const char* kByLabels = "labels: how soon each subgraph can finish";
constexpr const char* kByLimit = "labels from both ends: no split below the bound is left";

}  // namespace

LatencyBound::LatencyBound(const LatencyInstance& instance)
    : instance_(instance), facts_(std::make_unique<LatencyFacts>(instance)), limit_(kNever) {
  if (instance.size() == 0 || !NodeReach::affordable(instance)) finished_ = true;
}

bool LatencyBound::improve(double value, Budget& slice) {
  if (!finished_ && !reach_) {
    reach_.emplace(instance_);
    model_ = std::make_unique<BlockModel>(instance_, *facts_);
    for (EdgeLabels& labels : labels_) labels.assign(model_->edge_count(), 0);
    slice.spend(1 + instance_.size() * instance_.size() / 2048);
  }
  const double before = bound_;
  if (value < limit_ && !first_) {
    // What was learned for a higher limit holds for a lower one.
    limit_ = value;
    finished_ = !reach_.has_value();
    idle_ = 0;
  }
  while (!finished_ && !slice.exhausted()) {
    if (!sweep_) begin_sweep();
    if (sweep_->advance(slice)) end_sweep();
    if (!first_ && limit_ == kNever) {
      if (value == kNever) break;
      limit_ = value;
    }
  }
  return bound_ > before;
}

void LatencyBound::begin_sweep() {
  if (facts_new_) model_ = std::make_unique<BlockModel>(instance_, *facts_);
  facts_new_ = false;
  sweep_ = std::make_unique<LatencyLabels>(*model_, *reach_, direction_ == 1, labels_[direction_],
                                           labels_[1 - direction_], first_ ? kNever : limit_);
}

void LatencyBound::end_sweep() {
  const double found = sweep_->bound();
  const EdgeLabels before = std::move(labels_[direction_]);
  labels_[direction_] = sweep_->labels();
  sweep_.reset();
  if (found == kNever) {
    // Without a limit: there is no split at all.
    bound_ = first_ ? kNever : limit_ * (1 - kRounding);
    proof_ = first_ ? kByLabels : kByLimit;
    finished_ = true;
    return;
  }
  if (found * (1 - kRounding) > bound_) {
    bound_ = found * (1 - kRounding);
    proof_ = kByLabels;
  }
  const bool learned = !first_ && learn();
  const bool moved = labels_[direction_] != before;
  idle_ = learned || moved ? 0 : idle_ + 1;
  if (!first_ && idle_ >= 2) finished_ = true;
  first_ = false;
  direction_ = 1 - direction_;
}

// What the labels say about splits below the limit. True if there is something new.
bool LatencyBound::learn() {
  bool any = false;
  const auto at_edge = [&](EdgeId e) { return labels_[0][e] + labels_[1][e]; };
  for (EdgeId e : model_->edges()) {
    if (at_edge(e) < limit_) continue;
    const LatencyNode &from = instance_.nodes[model_->edge(e).from], &to = instance_.nodes[model_->edge(e).to];
    if (from.backward == to.backward) any = facts_->join(from.group, to.group) || any;
  }
  for (NodeId v : instance_.nodes.all()) {
    if (!facts_->on_host[instance_.nodes[v].group]) continue;
    double start = 0, after = 0;
    for (const auto& [p, e] : model_->edges_in(v)) start = std::max(start, labels_[0][e]);
    for (const auto& [w, e] : model_->edges_out(v)) after = std::max(after, labels_[1][e]);
    if (start + instance_.nodes[v].host_time + after >= limit_)
      any = facts_->ban_from_hosts(instance_.nodes[v].group) || any;
  }
  facts_new_ = facts_new_ || any;
  return any;
}

}  // namespace partita
