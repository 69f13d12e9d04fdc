// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_split.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/support/copy_patterns.h"

namespace partita::detail {
namespace {

class SplitDraw {
 public:
  SplitDraw(const Problem& problem, std::mt19937& engine)
      : graph_(problem.workload->graph),
        problem_(problem),
        engine_(engine),
        devices_(problem.workload->platform.device_count()) {}

  Split split() {
    const auto most = static_cast<std::size_t>(problem_.replicas) + (toss(10) ? 1 : 0);
    const std::vector<CopyPattern> patterns = copy_patterns(problem_.workload->platform, most, true);
    pattern_ = patterns[engine_() % patterns.size()];
    order_originals();
    place_nodes();
    name_copies();
    if (problem_.recompute) set_flags();
    if (toss(3)) spoil();
    return split_;
  }

 private:
  bool toss(unsigned one_in) { return engine_() % one_in == 0; }
  DeviceId any_device() { return DeviceId(engine_() % devices_); }

  // Mostly with the devices of a cluster next to each other: by drawing a place for each cluster on the way.
  void order_originals() {
    const std::vector<DevicePlace> places = device_places(problem_.workload->platform);
    std::vector<std::size_t> salt(64);
    for (std::size_t& s : salt) s = engine_();
    const bool mix = toss(6);
    std::vector<std::pair<std::vector<std::size_t>, std::size_t>> keyed;
    for (std::size_t d = 0; d < devices_; ++d) {
      if (pattern_.original[d] != d) continue;
      std::vector<std::size_t> key;
      std::size_t prefix = 0;
      for (const std::size_t step : places[d].path) {
        prefix = prefix * 5 + step + 1;
        key.push_back(mix ? engine_() : salt[prefix % salt.size()]);
      }
      key.push_back(engine_());
      keyed.emplace_back(key, d);
    }
    std::sort(keyed.begin(), keyed.end());
    for (const auto& [key, d] : keyed) order_.push_back(DeviceId(d));
  }

  // Forward nodes go up the order, backward nodes without a place down, nodes of one colour together.
  void place_nodes() {
    std::vector<NodeId> sorted;
    std::vector<std::size_t> waits(graph_.nodes.size(), 0);
    for (const Edge& edge : graph_.edges) ++waits[edge.to.index()];
    while (sorted.size() < graph_.nodes.size()) {
      for (NodeId v : graph_.nodes.all()) {
        if (waits[v.index()] != 0) continue;
        waits[v.index()] = static_cast<std::size_t>(-1);
        sorted.push_back(v);
        for (const Edge& edge : graph_.edges) {
          if (edge.from == v) --waits[edge.to.index()];
        }
      }
    }
    split_.device_of.assign(graph_.nodes.size(), DeviceId());
    std::size_t at = engine_() % order_.size();
    at = toss(2) ? 0 : at;
    for (const NodeId v : sorted) {
      const Node& node = graph_.nodes[v];
      if (!node.backward && at + 1 < order_.size() && toss(2)) ++at;
      if (node.backward && at > 0 && toss(2)) --at;
      DeviceId d = order_[at];
      for (NodeId u : graph_.nodes.all()) {
        if (node.colour && graph_.nodes[u].colour == node.colour && split_.device_of[u].valid() && !toss(40))
          d = split_.device_of[u];
      }
      split_.device_of[v] = d;
    }
    split_.order = order_;
  }

  bool holds_nodes(DeviceId d) const {
    return std::find(split_.device_of.begin(), split_.device_of.end(), d) != split_.device_of.end();
  }

  void name_copies() {
    split_.copy_of.assign(devices_, DeviceId());
    bool any = false;
    for (std::size_t d = 0; d < devices_; ++d) {
      const DeviceId original(pattern_.original[d]);
      split_.copy_of[DeviceId(d)] = holds_nodes(original) ? original : DeviceId(d);
      any = any || split_.copy_of[DeviceId(d)] != DeviceId(d);
    }
    if (!any && toss(2)) split_.copy_of.clear();
  }

  void set_flags() {
    split_.recomputes.assign(devices_, 0);
    for (std::size_t d = 0; d < devices_; ++d) split_.recomputes[DeviceId(d)] = toss(3) ? 1 : 0;
    for (std::size_t d = 0; d < devices_; ++d)
      split_.recomputes[DeviceId(d)] = split_.recomputes[DeviceId(pattern_.original[d])];
  }

  void spoil() {
    switch (engine_() % 10) {
      case 0: split_.order.clear(); break;
      case 1: std::reverse(split_.order.begin(), split_.order.end()); break;
      case 2: split_.order.push_back(DeviceId(engine_() % (devices_ + 2))); break;
      case 3: split_.order.pop_back(); break;
      case 4: split_.device_of[NodeId(engine_() % graph_.nodes.size())] = any_device(); break;
      case 5:
        if (split_.copy_of.empty()) name_copies();
        if (!split_.copy_of.empty()) split_.copy_of[any_device()] = DeviceId(engine_() % (devices_ + 1));
        break;
      case 6: split_.copy_of.resize(devices_ + 1, DeviceId(0)); break;
      case 7:
        split_.recomputes.resize(devices_, 0);
        split_.recomputes[any_device()] ^= 1;
        break;
      case 8: split_.recomputes.resize(devices_ + 1, 0); break;
      default: split_.device_of[NodeId(engine_() % graph_.nodes.size())] = DeviceId(engine_() % (devices_ + 1)); break;
    }
  }

  const Graph& graph_;
  const Problem& problem_;
  std::mt19937& engine_;
  std::size_t devices_;
  CopyPattern pattern_;
  std::vector<DeviceId> order_;
  Split split_;
};

}  // namespace

Split random_split(const Problem& problem, std::mt19937& engine) { return SplitDraw(problem, engine).split(); }

}  // namespace partita::detail
