// SPDX-License-Identifier: Apache-2.0
#include "partita/check/latency_claim.h"

#include <algorithm>
#include <set>

#include "partita/model/platform.h"

namespace partita::detail {
namespace {

// The groups, times, memory and transfers are those of claims about loads; blocks are made of nodes, so times and
// members of transfers are wanted by node. A problem in which each node has a colour of its own gives them.
class LatencyClaimMaker {
 public:
  LatencyClaimMaker(const Problem& problem, double limit) : problem_(problem), graph_(problem.workload->graph) {
    claim_.limit = limit;
    claim_.shape = Shape::Free;
  }

  LatencyClaim make() {
    const ClaimInstance whole = claim_instance(problem_, claim_);
    Problem apart = problem_;
    for (Node& node : apart.workload.change().graph.nodes) node.colour.reset();
    const ClaimInstance single = claim_instance(apart, claim_);
    find_devices(whole);
    add_groups(whole);
    add_nodes(whole, single);
    add_transfers(single);
    add_edges();
    return std::move(result_);
  }

 private:
  void find_devices(const ClaimInstance& whole) {
    const Platform& platform = problem_.workload->platform;
    LatencyClaim::Int accelerators = 0;
    for (std::size_t c = 0; c < whole.devices.size(); ++c) {
      const DeviceClass& one = platform.classes[whole.devices[c]];
      const bool host = one.kind == DeviceKind::Host;
      (host ? hosts_ : accelerators_).push_back(c);
      if (!host) accelerators += one.count;
    }
    const int subgraphs = std::max(problem_.subgraphs, 1);
    const bool two_passes =
        std::any_of(graph_.nodes.begin(), graph_.nodes.end(), [](const auto& v) { return v.backward; });
    result_.classes = accelerators_.size();
    result_.blocks = accelerators * subgraphs * (two_passes ? 2 : 1);
    result_.one_block = subgraphs == 1;
  }

  void add_groups(const ClaimInstance& whole) {
    for (const ClaimInstance::Group& group : whole.groups) {
      LatencyClaim::Group& added = result_.groups.emplace_back();
      for (const std::size_t c : hosts_) added.on_host = added.on_host || group.on[c].may_be_held;
      for (const std::size_t c : accelerators_) {
        added.held.push_back(group.on[c].may_be_held);
        added.memory.push_back(group.on[c].memory);
      }
    }
  }

  void add_nodes(const ClaimInstance& whole, const ClaimInstance& single) {
    for (NodeId v : graph_.nodes.all()) {
      LatencyClaim::Node& added = result_.nodes.emplace_back();
      added.group = whole.group_of[v];
      added.backward = graph_.nodes[v].backward;
      const ClaimInstance::Group& group = whole.groups[added.group];
      const ClaimInstance::Group& alone = single.groups[single.group_of[v]];
      added.host_time = 4 * kLoadUnits;
      for (const std::size_t c : hosts_) {
        if (group.on[c].may_be_held) added.host_time = std::min(added.host_time, alone.on[c].load);
      }
      for (const std::size_t c : accelerators_) added.time.push_back(alone.on[c].load);
      result_.by_id.emplace(graph_.nodes[v].original_id, v.index());
    }
  }

  void add_transfers(const ClaimInstance& single) {
    std::vector<std::size_t> node_of(single.groups.size());
    for (NodeId v : graph_.nodes.all()) node_of[single.group_of[v]] = v.index();
    for (const ClaimInstance::Transfer& transfer : single.transfers) {
      LatencyClaim::Transfer& added = result_.transfers.emplace_back();
      for (const std::size_t g : transfer.members) added.members.push_back(node_of[g]);
      for (const std::size_t c : accelerators_) added.cost.push_back(transfer.load[c]);
    }
  }

  void add_edges() {
    const std::size_t count = graph_.nodes.size();
    std::set<std::pair<std::size_t, std::size_t>> pairs;
    for (const Edge& edge : graph_.edges) pairs.emplace(edge.from.index(), edge.to.index());
    result_.into.resize(count);
    result_.out_of.resize(count);
    for (const auto& [from, to] : pairs) {
      result_.out_of[from].push_back(result_.edges.size());
      result_.into[to].push_back(result_.edges.size());
      result_.edges.push_back({from, to});
    }
    std::vector<std::size_t> missing(count);
    for (std::size_t v = 0; v < count; ++v) {
      missing[v] = result_.into[v].size();
      if (missing[v] == 0) result_.order.push_back(v);
    }
    for (std::size_t i = 0; i < result_.order.size(); ++i) {
      for (const std::size_t e : result_.out_of[result_.order[i]]) {
        const std::size_t to = result_.edges[e].to;
        if (--missing[to] == 0) result_.order.push_back(to);
      }
    }
  }

  const Problem& problem_;
  const Graph& graph_;
  Certificate claim_;                              // of the limit, and else of nothing
  std::vector<std::size_t> hosts_, accelerators_;  // classes, as in claim instances
  LatencyClaim result_;
};

}  // namespace

void LatencyClaim::find_paths() {
  below = above = BitMatrix(nodes.size(), nodes.size());
  const auto add = [](BitMatrix& matrix, std::size_t v, std::size_t next) {
    matrix.set(v, next);
    matrix.join_row(v, next);
  };
  for (const std::size_t v : order) {
    for (const std::size_t e : into[v]) add(above, v, edges[e].from);
  }
  for (auto v = order.rbegin(); v != order.rend(); ++v) {
    for (const std::size_t e : out_of[*v]) add(below, *v, edges[e].to);
  }
}

LatencyClaim::Int LatencyClaim::longest_path() const {
  std::vector<Int> finish(nodes.size(), 0);
  Int longest = 0;
  for (const std::size_t v : order) {
    const Group& group = groups[nodes[v].group];
    Int least = group.on_host ? nodes[v].host_time : 4 * kLoadUnits;
    for (std::size_t c = 0; c < classes; ++c) {
      if (group.held[c]) least = std::min(least, nodes[v].time[c]);
    }
    for (const std::size_t e : into[v]) finish[v] = std::max(finish[v], finish[edges[e].from]);
    finish[v] += least;
    longest = std::max(longest, finish[v]);
  }
  return longest;
}

LatencyClaim latency_claim(const Problem& problem, double limit) { return LatencyClaimMaker(problem, limit).make(); }

}  // namespace partita::detail
