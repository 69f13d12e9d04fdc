// SPDX-License-Identifier: Apache-2.0
// Where each node is, as the rest of this room sees it: on a device of the platform, or nowhere.
#pragma once

#include <vector>

#include "partita/check/check.h"

namespace partita::detail {

struct Placement {
  IdVector<NodeId, DeviceId> device_of;         // an id that names nothing: the node is on no device
  std::vector<DeviceId> order;                  // the pipeline order the split itself gives; may be empty or wrong
  IdVector<NodeId, std::uint32_t> subgraph_of;  // as in Split, but never empty; of no meaning off an accelerator
  IdVector<DeviceId, DeviceId> copy_of;         // the other device that it says it copies; names nothing for no copy
  IdVector<DeviceId, char> recomputes;
};

// Both name what cannot be matched: MissingNode, TooManyDevices and, from a listing, UnknownNode and DuplicateNode (the
// first device that lists a node keeps it). For latency, a listing's lists of subgraphs must agree with its nodes and
// their passes (Subgraph); a node that is in no list, though its device has lists for its pass, is taken to be in the
// first subgraph. What is said of copies or recomputing is put on devices of the platform (Copies, Recompute); whether
// it makes sense there is for copies.h. Linear.
Placement match_split(const Problem& problem, const Split& split, std::vector<Violation>& violations);
Placement match_listing(const Problem& problem, const SplitListing& listing, std::vector<Violation>& violations);

}  // namespace partita::detail
