// SPDX-License-Identifier: Apache-2.0
#include "partita/model/graph_builder.h"

#include <utility>

#include "partita/model/exact_memory.h"
#include "partita/model/graph_checks.h"
#include "partita/model/validate.h"

namespace partita {

using namespace detail;

NodeId GraphBuilder::add_node(NodeSpec spec) {
  Node node;
  node.original_id = spec.id.value_or(static_cast<std::int64_t>(size()));
  node.name = std::move(spec.name);
  node.time = std::move(spec.time);
  node.backward = spec.backward;
  node.set_memory(spec.memory, spec.parts, spec.recompute_share);
  node.colour = spec.colour;
  node.layer = spec.layer;
  node.op = std::move(spec.op);
  node.output_bytes = spec.output_bytes;
  return workload_.graph.nodes.push_back(std::move(node));
}

void GraphBuilder::validate() const { partita::validate(workload_); }

Workload GraphBuilder::build(std::string name, std::string time_unit) const {
  validate();
  Workload workload = workload_;
  drop_repeated_edges(workload.graph);
  make_memory_sums_exact(workload);
  workload.name = std::move(name);
  workload.time_unit = std::move(time_unit);
  return workload;
}

}  // namespace partita
