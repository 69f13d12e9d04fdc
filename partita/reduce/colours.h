// SPDX-License-Identifier: Apache-2.0
// Colour classes: the nodes of one class share a device, so a class is one group from the start.
#pragma once

#include <vector>

#include "partita/model/graph.h"
#include "partita/util/ids.h"

namespace partita::detail {

// Each colour class, and each node without a colour, is one class. The forward and the backward nodes of a class stay
// apart in all that concerns order: only forward edges, and mirrored backward ones, order the classes (mirror.h).
struct ColourClasses {
  IdVector<NodeId, GroupId> class_of;
  std::vector<std::vector<NodeId>> members;  // in file order
  std::vector<char> has_forward;             // a class without a forward node is orphaned
};

// Classes are numbered along the trace: see trace_order.h.
ColourClasses find_colour_classes(const Graph& graph);

}  // namespace partita::detail
