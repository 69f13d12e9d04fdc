// SPDX-License-Identifier: Apache-2.0
#include "partita/report/node_remark.h"

#include <fmt/format.h>

#include "partita/check/names.h"
#include "partita/check/times.h"
#include "partita/util/visible_text.h"

namespace partita::detail {

std::string node_remark(const Problem& problem, NodeId node, DeviceId device) {
  const Workload& workload = problem.workload;
  const Node& what = workload.graph.nodes[node];
  std::string text = node_text(workload.graph, node) + ": ";
  for (const std::string& known : {what.op, what.facts.output}) {
    if (!known.empty()) text += visible(known, kLongestShownName) + ", ";
  }
  text += time_text(what.time[workload.platform.class_of(device).index()], workload.time_unit);
  if (what.facts.source != CostSource::Given) text += fmt::format(", {}", to_string(what.facts.source));
  return text;
}

}  // namespace partita::detail
