// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/joined_classes.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

namespace partita::detail {
namespace {

using SetPairs = std::vector<std::pair<GroupId, GroupId>>;

// Numbers that nobody has yet.
class FreshNumbers {
 public:
  void is_taken(std::int64_t number) { taken_.insert(number); }
  std::int64_t next() {
    while (taken_.contains(next_)) ++next_;
    return next_++;
  }

 private:
  std::unordered_set<std::int64_t> taken_;
  std::int64_t next_ = 1;
};

// A set keeps the colour of its first coloured node. Returns the colours by representative.
std::vector<std::optional<std::int64_t>> recolour(Graph& graph, const ColourClasses& classes,
                                                  const UnionFind<GroupId>& sets) {
  std::vector<std::optional<std::int64_t>> colour_of(classes.members.size());
  std::vector<std::size_t> size_of(classes.members.size(), 0);
  FreshNumbers fresh;
  for (NodeId v : graph.nodes.all()) {
    const std::size_t set = sets.find(classes.class_of[v]).index();
    ++size_of[set];
    if (!graph.nodes[v].colour) continue;
    fresh.is_taken(*graph.nodes[v].colour);
    if (!colour_of[set]) colour_of[set] = graph.nodes[v].colour;
  }
  for (NodeId v : graph.nodes.all()) {
    const std::size_t set = sets.find(classes.class_of[v]).index();
    if (!colour_of[set] && size_of[set] > 1) colour_of[set] = fresh.next();
    graph.nodes[v].colour = colour_of[set];
  }
  return colour_of;
}

// The mirrored edges of orphans that are no longer orphans, as pairs of sets (earlier, later).
SetPairs lost_mirrors(const Graph& graph, const ColourClasses& classes, const UnionFind<GroupId>& sets) {
  std::vector<char> has_forward(sets.size(), 0);  // by the set's representative
  for (GroupId c : IdRange<GroupId>(sets.size())) has_forward[sets.find(c).index()] |= classes.has_forward[c.index()];
  SetPairs lost;
  for (const Edge& edge : graph.edges) {
    if (!graph.nodes[edge.from].backward || !graph.nodes[edge.to].backward) continue;
    const GroupId from = classes.class_of[edge.from], to = classes.class_of[edge.to];
    if (classes.has_forward[from.index()] && classes.has_forward[to.index()]) continue;
    const GroupId later = sets.find(from), earlier = sets.find(to);
    if (earlier == later || !has_forward[later.index()] || !has_forward[earlier.index()]) continue;
    lost.emplace_back(earlier, later);
  }
  std::sort(lost.begin(), lost.end());
  lost.erase(std::unique(lost.begin(), lost.end()), lost.end());
  return lost;
}

void add_order(Graph& graph, const SetPairs& pairs, const std::vector<std::optional<std::int64_t>>& colour_of,
               std::size_t device_classes) {
  FreshNumbers ids;
  for (const Node& node : graph.nodes) ids.is_taken(node.original_id);
  const auto add = [&](GroupId set) {
    Node node;
    node.original_id = ids.next();
    node.name = "mirror image";
    node.time.assign(device_classes, 0);
    node.colour = colour_of[set.index()];
    return graph.nodes.push_back(std::move(node));
  };
  for (const auto& [earlier, later] : pairs) {
    const NodeId from = add(earlier), to = add(later);
    graph.edges.push_back({from, to, 0});
  }
}

}  // namespace

Problem with_classes_joined(const Problem& problem, const ColourClasses& classes, const UnionFind<GroupId>& sets) {
  Problem joined = problem;
  Graph& graph = joined.workload.change().graph;
  const SetPairs lost = lost_mirrors(graph, classes, sets);
  const auto colour_of = recolour(graph, classes, sets);
  // Only staged splits have mirror images, and the backward shape asks for all of them anyway.
  const bool mirrored =
      problem.shape == Shape::Staged && problem.objective != Objective::Latency && !problem.backward_shape;
  if (mirrored) add_order(graph, lost, colour_of, problem.workload->platform.classes.size());
  return joined;
}

Split lift_joined(const Problem& original, const Split& joined) {
  Split split = joined;
  const std::size_t nodes = original.workload->graph.nodes.size();
  split.device_of.resize(nodes);
  if (!split.subgraph_of.empty()) split.subgraph_of.resize(nodes);
  return split;
}

}  // namespace partita::detail
