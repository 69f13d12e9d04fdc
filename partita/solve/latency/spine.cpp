// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/spine.h"

#include <algorithm>

#include "partita/util/time_watch.h"

namespace partita::detail {
namespace {

constexpr std::size_t kLongestChain = 48;
constexpr std::size_t kSpineStepsPerLook = 100'000;  // at the clock

// What a node is worth on a chain: the time it takes where it takes more, for that is what a chain can prove.
double weight(const BlockModel& model, NodeId v) {
  const LatencyNode& node = model.instance().nodes[v];
  const double there = model.cluster(model.cluster_of(v)).on_accelerator ? node.accelerator_time : 0;
  return model.on_host(v) ? std::max(node.host_time, there) : there;
}

class SpineFinder {
 public:
  SpineFinder(const BlockModel& model, const NodeReach& reach)
      : model_(model), reach_(reach), watch_(model.budget(), kSpineStepsPerLook) {
    for (NodeId v : model.instance().nodes.all()) weight_.push_back(weight(model, v));
    for (const double w : weight_) total_ += w;
  }

  Spine find(double neglect) {
    Spine spine;
    spine.nodes = narrow_nodes(neglect);
    spine.nodes.insert(spine.nodes.begin(), NodeId());
    spine.nodes.push_back(NodeId());
    const std::vector<Word> core = core_of(spine.nodes);
    for (std::size_t i = 0; i + 1 < spine.nodes.size(); ++i) {
      spine.modules.push_back(make_module(core, spine.nodes[i], spine.nodes[i + 1]));
    }
    return spine;
  }

 private:
  std::span<const Word> above(NodeId v) const { return reach_.above.row(v.index()); }
  std::span<const Word> below(NodeId v) const { return reach_.below.row(v.index()); }
  bool comparable(NodeId a, NodeId b) const { return test_bit(above(a), b.index()) || test_bit(below(a), b.index()); }

  double beside(NodeId v) {
    watch_.step(weight_.size());
    double related = weight_[v];
    for_each_bit(above(v), [&](std::size_t x) { related += weight_[NodeId(x)]; });
    for_each_bit(below(v), [&](std::size_t x) { related += weight_[NodeId(x)]; });
    return total_ - related;
  }

  std::vector<NodeId> narrow_nodes(double neglect) {
    std::vector<std::pair<double, NodeId>> candidates;
    for (NodeId v : model_.instance().order) {
      const double left_aside = beside(v);
      if (left_aside <= (neglect + 1e-9) * total_) candidates.emplace_back(left_aside, v);
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<NodeId> taken;
    for (const auto& [aside, v] : candidates) {
      const NodeId node = v;
      watch_.step(taken.size());
      if (std::all_of(taken.begin(), taken.end(), [&](NodeId other) { return comparable(node, other); }))
        taken.push_back(node);
    }
    std::sort(taken.begin(), taken.end(), [&](NodeId a, NodeId b) { return test_bit(below(a), b.index()); });
    return taken;
  }

  std::vector<Word> core_of(const std::vector<NodeId>& spine) const {
    std::vector<Word> core(reach_.below.words_per_row());
    for (NodeId v : model_.instance().nodes.all()) set_bit(core, v.index());
    for (NodeId s : spine) {
      if (!s.valid()) continue;
      for (std::size_t w = 0; w < core.size(); ++w) {
        Word related = above(s)[w] | below(s)[w];
        if (s.index() / kWordBits == w) related |= Word{1} << (s.index() % kWordBits);
        core[w] &= related;
      }
    }
    return core;
  }

  Spine::Module make_module(const std::vector<Word>& core, NodeId first, NodeId last) {
    std::vector<NodeId> inside;  // in topological order
    std::vector<char> open(model_.node_count(), 0);
    for (NodeId v : order_between(first, last)) {
      if (!test_bit(core, v.index())) continue;
      inside.push_back(v);
      open[v.index()] = 1;
    }
    Spine::Module module;
    while (module.chains.size() < Spine::kMostChains) {
      std::vector<NodeId> chain = heaviest_chain(inside, open);
      if (chain.empty()) break;
      for (NodeId v : chain) open[v.index()] = 0;
      module.chains.push_back(thinned(std::move(chain)));
    }
    return module;
  }

  std::vector<NodeId> order_between(NodeId first, NodeId last) {
    watch_.step(weight_.size());
    std::vector<NodeId> found;
    for (NodeId v : model_.instance().order) {
      const bool after = !first.valid() || test_bit(below(first), v.index());
      const bool before = !last.valid() || test_bit(above(last), v.index());
      if (after && before) found.push_back(v);
    }
    return found;
  }

  std::vector<NodeId> heaviest_chain(const std::vector<NodeId>& inside, const std::vector<char>& open) {
    watch_.step(weight_.size());
    IdVector<NodeId, double> best(model_.node_count(), 0);
    IdVector<NodeId, NodeId> next(model_.node_count());
    NodeId start;
    for (std::size_t i = inside.size(); i > 0; --i) {
      const NodeId v = inside[i - 1];
      if (!open[v.index()]) continue;
      for (const auto& [w, edge] : model_.edges_out(v)) {
        // best is positive only for open nodes of this module
        if (best[w] > 0 && (!next[v].valid() || best[w] > best[next[v]])) next[v] = w;
      }
      best[v] = weight_[v] + 1e-12 * total_ + (next[v].valid() ? best[next[v]] : 0);
      if (!start.valid() || best[v] > best[start]) start = v;
    }
    std::vector<NodeId> chain;
    if (!start.valid() || !(best[start] > 1e-9 * total_)) return chain;
    for (NodeId v = start; v.valid(); v = next[v]) chain.push_back(v);
    return chain;
  }

  // The heaviest nodes of a long chain: part of a chain is a chain.
  std::vector<NodeId> thinned(std::vector<NodeId> chain) const {
    if (chain.size() <= kLongestChain) return chain;
    std::vector<double> weights;
    for (NodeId v : chain) weights.push_back(weight_[v]);
    std::nth_element(weights.begin(), weights.begin() + kLongestChain, weights.end(), std::greater<>());
    const double least = weights[kLongestChain];
    std::vector<NodeId> kept;
    for (NodeId v : chain) {
      if (weight_[v] > least) kept.push_back(v);
    }
    return kept;
  }

  const BlockModel& model_;
  const NodeReach& reach_;
  TimeWatch watch_;
  IdVector<NodeId, double> weight_;
  double total_ = 0;
};

}  // namespace

Spine find_spine(const BlockModel& model, const NodeReach& reach, double neglect) {
  return SpineFinder(model, reach).find(neglect);
}

}  // namespace partita::detail
