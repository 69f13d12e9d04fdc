// SPDX-License-Identifier: Apache-2.0
// What an input file describes: a graph and the devices to run it on.
#pragma once

#include <string>

#include "partita/model/graph.h"
#include "partita/model/platform.h"

namespace partita {

struct Workload {
  std::string name;  // the file's own, or the file name without its endings
  Graph graph;
  Platform platform;
};

}  // namespace partita
