// SPDX-License-Identifier: Apache-2.0
#include "partita/model/fingerprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace partita {
namespace {

// FNV-1a of 64 bits.
class Digest {
 public:
  void add(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) add_byte(static_cast<unsigned char>(number >> shift));
  }
  void add(std::string_view text) {
    add(text.size());
    for (char c : text) add_byte(static_cast<unsigned char>(c));
  }
  std::uint64_t value() const { return value_; }

 private:
  void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3; }

  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace

std::string fingerprint(const Graph& graph) {
  Digest digest;
  digest.add(graph.nodes.size());
  for (const Node& node : graph.nodes) {
    digest.add(static_cast<std::uint64_t>(node.original_id));
    digest.add(node.name);
    digest.add(node.op);
    digest.add(node.backward ? 1 : 0);
  }
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  edges.reserve(graph.edges.size());
  for (const Edge& edge : graph.edges) edges.emplace_back(edge.from.index(), edge.to.index());
  std::ranges::sort(edges);
  for (const auto& [from, to] : edges) {
    digest.add(from);
    digest.add(to);
  }
  return fmt::format("{:016x}", digest.value());
}

}  // namespace partita
