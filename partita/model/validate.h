// SPDX-License-Identifier: Apache-2.0
// Whether what was made by hand can be computed with: the same that readers ask of a file.
//
// plan(), compare(), sweep() and the other functions that take a problem ask this first, so who calls them need not. It
// is for errors that should be told where a graph is made, and for check() and simulate(), which take it for granted.
#pragma once

#include "partita/model/problem.h"

namespace partita {

// Throw InputError, whose where() is the field at fault: "graph.nodes[3].time", "platform.classes[0].count",
// "Question::replicas".
//
// Platform: classes with different names, sensible counts and limits, at least one device, clusters that hold as many
// devices of a class as there are. Workload: the invariants of Graph, a time for each class of the platform, ids that
// are all different, and numbers that add up. O(nodes * classes + edges), but for ids in no order, which are sorted.
void validate(const Platform& platform);
void validate(const Workload& workload);
void validate(const Question& question);
void validate(const Problem& problem);

}  // namespace partita
