// SPDX-License-Identifier: Apache-2.0
#include "partita/check/point_order.h"

#include <algorithm>

#include "partita/util/strong_components.h"

namespace partita::detail {
namespace {

void sort_out(std::vector<std::size_t>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

PointOrder::PointOrder(std::size_t points, const std::vector<Arc>& arcs, std::size_t most_bytes)
    : after_(points), before_(points) {
  std::vector<std::pair<NodeId, NodeId>> pairs;
  for (const auto& [from, to] : arcs) {
    if (from == to) continue;
    after_[from].push_back(to);
    before_[to].push_back(from);
    pairs.emplace_back(NodeId(from), NodeId(to));
  }
  for (auto* lists : {&after_, &before_}) {
    for (auto& list : *lists) sort_out(list);
  }
  Components found = strong_components(Csr<NodeId, NodeId>(points, pairs));
  if (found.count == 0 || words_for(found.count) * sizeof(Word) > most_bytes / found.count) return;
  reached_ = BitMatrix(found.count, found.count);
  std::vector<std::vector<std::size_t>> members(found.count);
  for (std::size_t p = 0; p < points; ++p) members[found.component_of[p]].push_back(p);
  for (std::size_t c = 0; c < found.count; ++c) {  // what arcs lead to has smaller numbers
    reached_.set(c, c);
    for (const std::size_t p : members[c]) {
      for (const std::size_t q : after_[p]) {
        if (found.component_of[q] != c) reached_.join_row(c, found.component_of[q]);
      }
    }
  }
  component_of_ = std::move(found.component_of);
}

bool PointOrder::leads_to(std::size_t from, std::size_t to) const {
  if (reached_.empty()) return std::binary_search(after_[from].begin(), after_[from].end(), to);
  return reached_.test(component_of_[from], component_of_[to]);
}

}  // namespace partita::detail
