// SPDX-License-Identifier: Apache-2.0
// Makes a workload node by node, for programs that have a graph in memory and not in a file. What is left out means
// what it means in a file that is silent (docs/formats.md), and what comes out has passed the same checks.
//
//   GraphBuilder builder(make_platform(2, 16e9, 1));             // class 0: two accelerators, class 1: one host
//   const NodeId a = builder.add_node({.name = "conv", .time = {1.5, 12}, .memory = 4e6});
//   const NodeId b = builder.add_node({.name = "relu", .time = {0.5, kCannotRun}});
//   builder.add_edge(a, b, 0.25);
//   Problem problem(builder.build("network"));
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "partita/model/workload.h"

namespace partita {

struct NodeSpec {
  std::string name = {};
  std::vector<double> time = {};  // by class of the platform, in order; kCannotRun where it cannot run
  // Bytes, all of it and taken apart. Without `memory`: weights, optimizer state and activation together. Without
  // `parts`: all of it is weights.
  std::optional<double> memory = {};
  std::optional<MemoryParts> parts = {};
  std::optional<double> recompute_share = {};  // none: 1 for forward nodes, 0 for backward ones
  bool backward = false;
  std::optional<std::int64_t> colour = {};  // nodes of one colour share a device
  std::optional<std::int64_t> layer = {};
  std::optional<std::int64_t> id = {};  // as plans name it; none: how many nodes were added before
  std::string op = {};
  std::optional<double> output_bytes = {};
};

class GraphBuilder {
 public:
  explicit GraphBuilder(Platform platform) { workload_.platform = std::move(platform); }

  // Nothing is checked yet: a node may be added before its inputs, and an edge before all is said of its ends.
  NodeId add_node(NodeSpec spec);
  // The time to move the output of `from` between host memory and an accelerator; see Edge.
  void add_edge(NodeId from, NodeId to, double cost = 0) { workload_.graph.edges.push_back({from, to, cost}); }

  std::size_t size() const { return workload_.graph.nodes.size(); }

  // Throws the InputError that build() would.
  void validate() const;

  // The workload of all that was added so far: valid, repeated edges left out, memory such that its sums are exact.
  // `time_unit`, for people: "ms".
  Workload build(std::string name = {}, std::string time_unit = {}) const;

 private:
  Workload workload_;
};

}  // namespace partita
