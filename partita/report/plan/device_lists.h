// SPDX-License-Identifier: Apache-2.0
// What plans list of each device of a split, in original ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "partita/check/check.h"
#include "partita/model/problem.h"
#include "partita/model/split.h"

namespace partita::detail {

using OriginalIds = std::vector<std::int64_t>;

// What each device holds, in the file's order.
IdVector<DeviceId, OriginalIds> node_lists(const Problem& problem, const Split& split);

// What each device runs together, in running order: the subgraphs of each pass by number, so that the number in the
// schedule is the place in the list.
struct SubgraphLists {
  IdVector<DeviceId, std::vector<OriginalIds>> forward;
  IdVector<DeviceId, std::vector<OriginalIds>> backward;
};
SubgraphLists subgraph_lists(const Problem& problem, const Split& split);

// With one subgraph in each pass, the list of nodes says all.
bool has_subgraphs(const Problem& problem);

// By device: its place in the list of devices, which has all of them, or on a large platform those in use. Nothing for
// those left out.
using PlacesInList = IdVector<DeviceId, std::optional<std::size_t>>;
PlacesInList places_in_list(const Platform& platform, const CheckReport& report);

bool is_copy(const Split& split, DeviceId device);
bool has_copies(const Split& split);
bool recomputes(const Split& split, DeviceId device);
bool has_recomputing(const Split& split);

}  // namespace partita::detail
