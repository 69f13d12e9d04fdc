// SPDX-License-Identifier: Apache-2.0
// Devices that share a stage: do they stand where copies may stand, and what does each of them pay?
//
// A copy names its original, a device with nodes. There are two constellations. Devices of one class that are in the
// same cluster, and in none inside it, may share a stage: r of them. Equal clusters right inside the same cluster may
// be copies of each other as a whole: r of them, each device in the same place holding, or copying, the same; and what
// is inside the original among them may in turn have copies inside it. At every level r is at most problem.replicas.
//
// At each level a device's load per sample is that of the level below divided by r, and the exchange of weights is
// added or taken as a maximum: f (r - 1) weights / (r B), where the weights are those of all that is copied, f the
// factor of the cluster around the copies and B the platform's bandwidth. From level to level the loads divide by all
// the r together, so that a device has one number of sharers, and the exchanges add up to one, those of lower levels
// divided by the r above.
#pragma once

#include "partita/check/clusters.h"
#include "partita/check/placement.h"

namespace partita::detail {

// Fills original of every copy, sharing and sync of every device with nodes, and names what is wrong with copies
// (Copies) and with who recomputes (Recompute). A copy that stands where it may not is as if it were not there.
// Precondition: the passes are measured. O((nodes + devices) * depth of the clusters), and a logarithm.
void share_stages(const Problem& problem, const Placement& placement, const ClusterTree& clusters, CheckReport& report);

// Gives every copy the costs of its original. Precondition: those of the originals are complete.
void fill_copies(CheckReport& report);

}  // namespace partita::detail
