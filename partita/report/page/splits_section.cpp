// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "partita/report/page/sections.h"

namespace partita::detail {
namespace {

bool same_split(const Split& a, const Split& b) {
  return a.device_of == b.device_of && a.order == b.order && a.subgraph_of == b.subgraph_of && a.copy_of == b.copy_of &&
         a.recomputes == b.recomputes;
}

// Of one question: the points of a sweep have a platform, and so a workload, of their own.
bool same_workload(const Problem& a, const Problem& b) { return &*a.workload == &*b.workload; }

bool same_edge_costs(const Graph& a, const Graph& b) {
  return std::ranges::equal(a.edges, b.edges, {}, &Edge::cost, &Edge::cost);
}

bool is_own(const PageContent& content, const PageRow& row) {
  return content.result && content.result->split && same_workload(*content.problem, row.problem) &&
         same_split(*content.result->split, *row.result.split);
}

std::size_t size_of(const PageContent& content, const PageRow& row) {
  const Graph& graph = row.problem.workload->graph;
  const bool other_costs = !same_edge_costs(graph, content.problem->workload->graph);
  return graph.nodes.size() + (other_costs ? graph.edges.size() : 0);
}

}  // namespace

PageSplits choose_splits(const PageContent& content) {
  PageSplits splits;
  if (!content.rows || !content.result) return splits;
  std::size_t room = kMostRowNodes;
  for (const std::optional<PageRow>& row : *content.rows) {
    std::optional<std::size_t>& shown = splits.of_row.emplace_back();
    if (!row || !row->result.split) continue;
    if (is_own(content, *row)) {
      shown = 0;
      continue;
    }
    const auto known = std::ranges::find_if(splits.written, [&](const PageRow* other) {
      return same_workload(other->problem, row->problem) && same_split(*other->result.split, *row->result.split);
    });
    if (known != splits.written.end()) {
      shown = static_cast<std::size_t>(known - splits.written.begin()) + 1;
      continue;
    }
    const std::size_t size = size_of(content, *row);
    if (size > room) continue;
    room -= size;
    splits.written.push_back(&*row);
    shown = splits.written.size();
  }
  return splits;
}

void write_splits(const PageContent& content, const PageSplits& splits, JsonWriter& json) {
  json.array(splits.written, [&](const PageRow* row) {
    json.object([&] {
      if (!same_workload(*content.problem, row->problem))
        write_devices(row->problem.workload->platform, json.key("devices"));
      write_plan(row->problem, row->result, &row->report, json.key("plan"));
      json.key("graph").object([&] {
        add_drawing(row->problem, row->result, &row->report, nullptr, json);
        const Graph& graph = row->problem.workload->graph;
        if (!same_edge_costs(graph, content.problem->workload->graph)) add_edge_costs(graph, json);
      });
    });
  });
}

}  // namespace partita::detail
