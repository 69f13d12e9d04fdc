// SPDX-License-Identifier: Apache-2.0
#include "partita/check/names.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

constexpr std::size_t kNamed = 6;  // items of a list that are written out

template <class Item, class ToText>
std::string list_text(const std::vector<Item>& items, ToText to_text) {
  std::string text;
  // One item more is no longer than "and 1 more".
  const std::size_t named = items.size() <= kNamed + 1 ? items.size() : kNamed;
  for (std::size_t i = 0; i < named; ++i) text += (i ? ", " : "") + to_text(items[i]);
  if (named < items.size()) text += fmt::format(" and {} more", items.size() - named);
  return text;
}

}  // namespace

std::string node_text(const Graph& graph, NodeId node) {
  const Node& n = graph.nodes[node];
  return n.name.empty() ? std::to_string(n.original_id)
                        : fmt::format("{} ({})", n.original_id, visible(n.name, kLongestShownName));
}

std::string node_list(const Graph& graph, const std::vector<NodeId>& nodes) {
  return list_text(nodes, [&](NodeId v) { return node_text(graph, v); });
}

std::string id_list(const std::vector<std::int64_t>& original_ids) {
  return list_text(original_ids, [](std::int64_t id) { return std::to_string(id); });
}

std::string counted(std::size_t count, const std::string& noun) { return counted(count, noun, noun + "s"); }

std::string counted(std::size_t count, const std::string& one, const std::string& several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

std::string edge_text(const Graph& graph, const Edge& edge) {
  return node_text(graph, edge.from) + " -> " + node_text(graph, edge.to);
}

std::string human_bytes(double bytes) {
  static constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (!std::isfinite(bytes)) return "unlimited";
  if (std::abs(bytes) < 1024) return fmt::format("{:.4g} B", bytes);
  std::size_t unit = 0;
  bytes /= 1024;
  // 1023.96 would be printed as 1024.0, so it moves up.
  while (std::abs(bytes) >= 1023.95 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

std::string memory_text(double bytes) {
  if (bytes >= 1073741824.0) return fmt::format("{:.4g} GiB", bytes / 1073741824.0);
  if (bytes >= 1048576.0) return fmt::format("{:.4g} MiB", bytes / 1048576.0);
  return fmt::format("{:.6g} bytes", bytes);
}

std::string percent_text(double fraction) {
  if (fraction == 0) return "0 %";
  const double value = 100 * fraction;
  return std::abs(value) >= 0.01 ? fmt::format("{:.2f} %", value) : fmt::format("{:.2g} %", value);
}

std::string seconds_text(double seconds) {
  if (seconds < 0.0995) return fmt::format("{:.2g} ms", 1000 * seconds);
  return seconds < 9.995 ? fmt::format("{:.2f} s", seconds) : fmt::format("{:.1f} s", seconds);
}

std::string joined_in_short(const std::vector<std::string>& items, const std::string& separator) {
  constexpr std::size_t kHead = 5;
  constexpr std::size_t kTail = 3;
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i) text += separator;
    if (i == kHead && items.size() > kHead + kTail + 1) {
      const std::size_t skipped = items.size() - kHead - kTail;
      text += fmt::format("... ({} more) ...", skipped) + separator;
      i += skipped;
    }
    text += items[i];
  }
  return text;
}

}  // namespace partita::detail
