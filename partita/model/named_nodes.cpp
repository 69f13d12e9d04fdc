// SPDX-License-Identifier: Apache-2.0
#include "partita/model/named_nodes.h"

#include <fnmatch.h>

#include <charconv>

#include "partita/util/nearest_name.h"

namespace partita::detail {
namespace {

template <class Matches>
std::vector<NodeId> nodes_where(const Graph& graph, Matches matches) {
  std::vector<NodeId> found;
  for (NodeId v : graph.nodes.all()) {
    if (matches(graph.nodes[v])) found.push_back(v);
  }
  return found;
}

std::optional<std::int64_t> as_id(const std::string& text) {
  std::int64_t id = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, id);
  return error == std::errc() && rest == end ? std::optional(id) : std::nullopt;
}

}  // namespace

std::vector<NodeId> named_nodes(const Graph& graph, const std::string& name) {
  std::vector<NodeId> found = nodes_where(graph, [&](const Node& node) { return node.name == name; });
  if (!found.empty()) return found;
  if (const auto id = as_id(name)) return nodes_where(graph, [&](const Node& node) { return node.original_id == *id; });
  // A backslash stands for itself: names may hold one, and nobody quotes a name for a pattern.
  return nodes_where(graph,
                     [&](const Node& node) { return fnmatch(name.c_str(), node.name.c_str(), FNM_NOESCAPE) == 0; });
}

std::optional<std::string> nearest_node_name(const Graph& graph, const std::string& name) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) names.push_back(node.name);
  return nearest_name(name, names);
}

}  // namespace partita::detail
