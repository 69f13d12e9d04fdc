// SPDX-License-Identifier: Apache-2.0
// Which graph a plan is for.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "partita/model/graph.h"

namespace partita {

// 16 hexadecimal digits of what a split depends on to be one of this graph: the nodes' ids, names, operators and passes, in
// order, and the edges, in any order. Times, costs and memory are not in it: a plan may be judged by other measurements.
// For mistakes, not for enemies. O(nodes + edges log edges).
std::string fingerprint(const Graph& graph);

// Where the graph of a plan comes from.
struct ModelRecord {
  std::string file = {};         // as it was named; empty where it was standard input
  std::string fingerprint = {};  // empty in plans of older versions
  // How a model file was read: options of the command line without their dashes, {"dtype", "bf16"}.
  std::vector<std::pair<std::string, std::string>> options = {};
};

}  // namespace partita
