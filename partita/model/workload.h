// SPDX-License-Identifier: Apache-2.0
// What an input file describes: a graph and the devices to run it on.
#pragma once

#include <string>
#include <vector>

#include "partita/model/graph.h"
#include "partita/model/platform.h"

namespace partita {

struct Workload {
  std::string name;  // the file's own, or the file name without its endings
  Graph graph;
  Platform platform;
  std::string time_unit = {};           // of every time and cost: "ms"; empty where nobody said
  std::vector<std::string> notes = {};  // what the reader found odd and went on with, a line each
};

}  // namespace partita
