// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_workload.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include <fmt/format.h>

namespace partita::detail {
namespace {

constexpr std::array kTimeUnits{1.0, 0.25, 0.1, 0.37};
constexpr std::array kCostUnits{0.25, 0.5, 1.0, 0.1};  // transfers that cost more than the work leave nothing to split

// A node on its way into a workload: where it stands in a topological order is its place in the vector of drafts.
struct Draft {
  NodeRecipe recipe;
  bool backward = false;
  std::optional<std::int64_t> colour;
  std::size_t twin_of = Recipe::kMaxNodes;  // mirrored training: the draft of the forward node
};

double host_time(const NodeRecipe& recipe) {
  switch (recipe.host) {
    case 1:
    case 2:
    case 3: return 3 * recipe.work;
    case 4:
    case 5:
    case 6: return 10 * recipe.work;
    case 7:
    case 8: return recipe.work + 1;
    case 9: return 0;
    default: return recipe.work;
  }
}

Node make_node(const Draft& draft, double unit, std::size_t place) {
  const NodeRecipe& recipe = draft.recipe;
  Node node;
  node.original_id = static_cast<std::int64_t>(10 + 3 * place);
  node.name = fmt::format("{}{}", draft.backward ? "b" : "f", place);
  node.time = {recipe.support == 18 ? kCannotRun : recipe.work * unit,
               recipe.support == 19 ? kCannotRun : host_time(recipe) * unit};
  node.memory = recipe.memory;
  node.backward = draft.backward;
  node.colour = draft.colour;
  return node;
}

double edge_cost(const NodeRecipe& recipe, std::size_t ordinal, double unit) {
  const int extra = recipe.spread < 5 ? 0 : static_cast<int>(ordinal * static_cast<std::size_t>(recipe.spread)) % 4;
  return (recipe.cost + extra) * unit;
}

std::optional<std::int64_t> colour_of(const NodeRecipe& recipe) {
  if (recipe.colour < 1 || recipe.colour > 3) return std::nullopt;
  return recipe.colour;
}

// Forward nodes, then backward nodes. In mirrored training the first forward nodes get a twin in the backward part (in
// reverse order), as far as the room for nodes goes, and the recipe's backward nodes stand between the twins.
std::vector<Draft> make_drafts(const Recipe& recipe) {
  std::vector<Draft> drafts;
  std::vector<Draft> backward;
  for (const NodeRecipe& node : recipe.nodes) {
    if (node.presence == 0) continue;
    const bool is_backward = recipe.style != Recipe::kInference && node.backward != 0;
    Draft draft{node, is_backward, colour_of(node)};
    if (recipe.even != 0 && node.work > 0) draft.recipe.work = 4 + node.work % 3;
    (is_backward ? backward : drafts).push_back(draft);
  }
  if (drafts.empty() && backward.empty()) drafts.push_back({});
  std::vector<Draft> twins;
  if (recipe.style == Recipe::kMirroredTraining) {
    while (drafts.size() > 1 && 2 * drafts.size() + backward.size() > Recipe::kMaxNodes + 1) drafts.pop_back();
    for (std::size_t v = drafts.size(); v-- > 0;) {
      if (drafts.size() + backward.size() + twins.size() >= Recipe::kMaxNodes) break;
      if (!drafts[v].colour) drafts[v].colour = 100 + static_cast<std::int64_t>(v);
      Draft twin = drafts[v];
      twin.backward = true;
      twin.twin_of = v;
      twin.recipe.work = 2 * twin.recipe.work;
      twins.push_back(twin);
    }
  }
  for (std::size_t i = 0; i < std::max(twins.size(), backward.size()); ++i) {
    if (i < twins.size()) drafts.push_back(twins[i]);
    if (i < backward.size()) drafts.push_back(backward[i]);
  }
  return drafts;
}

bool wants_edge(const NodeRecipe& from, std::size_t distance) {
  const int bits = from.successors & (from.thinning | (from.presence == 7 ? 255 : 0));
  return distance >= 1 && distance <= 8 && ((bits >> (distance - 1)) & 1) != 0;
}

bool has_twin(const std::vector<Draft>& drafts, std::size_t v) {
  return std::any_of(drafts.begin(), drafts.end(), [v](const Draft& draft) { return draft.twin_of == v; });
}

// Whether the draft at `from` feeds the later draft at `to`. The edges between twins mirror those of
// the originals, and there may be more of them.
bool connects(const Recipe& recipe, const std::vector<Draft>& drafts, std::size_t from, std::size_t to) {
  const Draft& u = drafts[from];
  const Draft& v = drafts[to];
  if (recipe.chain != 0 && to == from + 1 && !v.backward) return true;
  const bool u_twin = u.twin_of < Recipe::kMaxNodes;
  const bool v_twin = v.twin_of < Recipe::kMaxNodes;
  if (has_twin(drafts, from) && has_twin(drafts, to) && (u.recipe.spread == 1 || u.recipe.spread == 2)) return false;
  if (u_twin && v_twin && wants_edge(drafts[v.twin_of].recipe, u.twin_of - v.twin_of)) return true;
  if (v_twin && v.twin_of == from) return u.recipe.presence >= 4;
  return wants_edge(u.recipe, to - from);
}

}  // namespace

Workload make_workload(const Recipe& recipe) {
  const double unit = kTimeUnits[static_cast<std::size_t>(recipe.unit)];
  const double cost_unit = unit * kCostUnits[static_cast<std::size_t>(recipe.cost_unit)];
  const std::vector<Draft> drafts = make_drafts(recipe);
  Workload workload;
  workload.name = "random";
  for (std::size_t v = 0; v < drafts.size(); ++v) workload.graph.nodes.push_back(make_node(drafts[v], unit, v));
  for (std::size_t u = 0; u < drafts.size(); ++u) {
    std::size_t ordinal = 0;
    for (std::size_t v = u + 1; v < drafts.size(); ++v) {
      if (connects(recipe, drafts, u, v)) {
        workload.graph.edges.push_back({NodeId(u), NodeId(v), edge_cost(drafts[u].recipe, ordinal++, cost_unit)});
      }
    }
  }
  const int accelerators = recipe.accelerators + recipe.hosts == 0 ? 2 : recipe.accelerators;
  const double memory = recipe.memory < 4 ? kUnlimited : 3.0 * (recipe.memory - 2);
  workload.platform = make_platform(accelerators, memory, recipe.hosts);
  if (recipe.latency >= 2)
    workload.platform.classes[ClassId(0)].link_latency = cost_unit * (recipe.latency == 2 ? 0.5 : 2);
  if (recipe.shuffle == 0) return workload;
  return shuffled(workload, static_cast<std::uint64_t>(recipe.shuffle));
}

Recipe random_recipe(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto draw = [&engine](int count) { return static_cast<int>(engine() % static_cast<std::uint64_t>(count)); };
  Recipe recipe;
  for (NodeRecipe& node : recipe.nodes) {
    node.presence = draw(8);
    node.work = draw(3) == 0 ? 0 : draw(12);
    node.host = draw(12);
    node.support = draw(20);
    node.memory = draw(7);
    node.colour = draw(20);
    node.backward = draw(2);
    node.successors = draw(256);
    node.thinning = draw(256);
    node.cost = draw(7);
    node.spread = draw(8);
  }
  recipe.accelerators = draw(5);
  recipe.hosts = draw(3);
  recipe.chain = draw(2);
  recipe.even = draw(2);
  recipe.memory = draw(8);
  recipe.unit = draw(4);
  recipe.cost_unit = draw(4);
  recipe.style = draw(3);
  recipe.shuffle = draw(2) == 0 ? 0 : draw(256);
  recipe.latency = draw(4);
  return recipe;
}

std::string describe(const Workload& workload) {
  std::string text;
  for (const DeviceClass& c : workload.platform.classes) {
    text += fmt::format("{} x{} memory {} link factor {} latency {}\n", c.name, c.count, c.memory, c.link_factor,
                        c.link_latency);
  }
  for (const Node& node : workload.graph.nodes) {
    text +=
        fmt::format("node {} {} time {} memory {} colour {}", node.original_id, node.backward ? "backward" : "forward",
                    fmt::join(node.time, "/"), node.memory, node.colour ? std::to_string(*node.colour) : "-");
    if (node.parts != MemoryParts{}) {
      text += fmt::format(" weights {} gradients {} optimizer {} activation {} recomputed {} share {}",
                          node.parts.weights, node.parts.gradients, node.parts.optimizer_state, node.parts.activation,
                          node.parts.recompute_activation, node.recompute_share);
    }
    text += "\n";
  }
  for (const Edge& edge : workload.graph.edges) {
    text += fmt::format("edge {} -> {} cost {}\n", workload.graph.nodes[edge.from].original_id,
                        workload.graph.nodes[edge.to].original_id, edge.cost);
  }
  return text;
}

Workload shuffled(const Workload& workload, std::uint64_t seed) {
  const std::size_t count = workload.graph.nodes.size();
  std::mt19937_64 engine(seed);
  std::vector<std::size_t> place(count);  // the new index of each node
  std::iota(place.begin(), place.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(place[i - 1], place[engine() % i]);

  Workload result = workload;
  for (NodeId v : workload.graph.nodes.all()) {
    Node& node = result.graph.nodes[NodeId(place[v.index()])];
    node = workload.graph.nodes[v];
    node.original_id = static_cast<std::int64_t>(7 * place[v.index()] + seed % 5);
  }
  for (Edge& edge : result.graph.edges) {
    edge.from = NodeId(place[edge.from.index()]);
    edge.to = NodeId(place[edge.to.index()]);
  }
  for (std::size_t i = result.graph.edges.size(); i > 1; --i) {
    std::swap(result.graph.edges[i - 1], result.graph.edges[engine() % i]);
  }
  return result;
}

Workload scaled(const Workload& workload, double factor) {
  Workload result = workload;
  for (Node& node : result.graph.nodes) {
    for (double& time : node.time) time *= factor;
  }
  for (Edge& edge : result.graph.edges) edge.cost *= factor;
  for (DeviceClass& c : result.platform.classes) c.link_latency *= factor;
  return result;
}

Workload rounded(const Workload& workload) {
  const auto round = [](double time) { return std::round(time * 64) / 64; };
  Workload result = workload;
  for (Node& node : result.graph.nodes) {
    for (double& time : node.time) time = round(time);
  }
  for (Edge& edge : result.graph.edges) edge.cost = round(edge.cost);
  for (DeviceClass& c : result.platform.classes) c.link_latency = round(c.link_latency);
  return result;
}

Workload subdivided(const Workload& workload) {
  const Graph& graph = workload.graph;
  IdVector<NodeId, bool> differs(graph.nodes.size(), false);
  IdVector<NodeId, double> first_cost(graph.nodes.size(), -1);
  for (const Edge& edge : graph.edges) {
    if (first_cost[edge.from] < 0) first_cost[edge.from] = edge.cost;
    if (edge.cost != first_cost[edge.from]) differs[edge.from] = true;
  }
  Workload result = workload;
  std::int64_t next_id = 100000;
  std::int64_t next_colour = 100000;
  std::vector<Edge> extra;
  for (Edge& edge : result.graph.edges) {
    if (!differs[edge.from]) continue;
    Node& producer = result.graph.nodes[edge.from];
    if (!producer.colour) producer.colour = next_colour++;
    Node carrier;
    carrier.original_id = next_id++;
    carrier.name = producer.name + " output";
    carrier.time.assign(workload.platform.classes.size(), 0);
    carrier.backward = producer.backward;
    carrier.colour = producer.colour;
    const NodeId from = edge.from;
    edge.from = result.graph.nodes.push_back(carrier);
    extra.push_back({from, edge.from, 0});
  }
  result.graph.edges.insert(result.graph.edges.end(), extra.begin(), extra.end());
  return result;
}

}  // namespace partita::detail
