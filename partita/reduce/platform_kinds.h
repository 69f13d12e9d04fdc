// SPDX-License-Identifier: Apache-2.0
// The one class of accelerators and the one class of hosts that the throughput solvers work with.
#pragma once

#include <optional>

#include "partita/model/graph.h"
#include "partita/model/platform.h"
#include "partita/reduce/net_graph.h"

namespace partita::detail {

struct PlatformKinds {
  ClassId accelerator, host;  // invalid where the platform has none
  Link link = {};             // of the accelerators: what nets are priced at
};

// Throws InputError(Unsupported) for platforms with more than one class of a kind.
PlatformKinds platform_kinds(const Platform& platform);

// The devices, with no more of a kind than there are groups: further ones would stay empty.
StagePlatform stage_platform(const Platform& platform, const PlatformKinds& kinds, std::size_t groups);

// The weights of each group on the two kinds: times of one pass, or of both where none is named, and memory added up;
// support where every member has it.
IdVector<GroupId, Group> kind_weights(const Graph& graph, const IdVector<NodeId, GroupId>& group_of, std::size_t groups,
                                      const PlatformKinds& kinds, std::optional<std::size_t> pass = std::nullopt);

}  // namespace partita::detail
