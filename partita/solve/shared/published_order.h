// SPDX-License-Identifier: Apache-2.0
// The groups in the topological order that the paper's published code takes them in.
//
// Depth first: of the groups that are ready, the one that became ready last. What a group makes ready becomes so in the
// order in which the file lists its edges, and it counts which edge was the last to be waited for; so all edges are
// needed here, those that follow from others and those given twice included, which a StageGraph no longer has. Groups
// that are ready from the start became so in the order of the file; the original takes them as a hash table has them.
//
// The order matters. On the paper's eight latency inputs this one gives the greedy baseline the paper's value every
// time, and which of the first groups comes first plays no part; the order of the file gives ResNet50 3479 in place of
// the 4197 printed. For PipeDream on GNMT (inference) the first groups do play a part: 33.04 in this order, as printed,
// 33.19 in the opposite one.
#pragma once

#include <utility>
#include <vector>

#include "partita/model/problem.h"
#include "partita/util/ids.h"

namespace partita::detail {

using GroupEdges = std::vector<std::pair<GroupId, GroupId>>;

// Everything that orders the groups of staged splits, in the order of the file: forward edges, and backward ones turned
// round as in mirror.h.
GroupEdges group_edges(const Problem& problem, const IdVector<NodeId, GroupId>& group_of);

// Edges from smaller to larger ids, or any others without a cycle. O(groups + edges).
std::vector<GroupId> published_order(std::size_t groups, const GroupEdges& edges);

}  // namespace partita::detail
