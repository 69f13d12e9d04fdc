// SPDX-License-Identifier: Apache-2.0
// A split cut into pieces that run without a break: the paper's virtual devices.
//
// A piece is part of one pass of one device: it reads all it needs from other devices, computes, and writes what others
// need. In a staged split each device has one piece in each pass. Elsewhere the devices wait for each other in circles,
// and what a device holds must be cut, so that the pieces can be put in an order that takes every edge forward. We look
// for an order with as few pieces as possible.
//
// Transfers are those of the devices, not of the pieces: an output enters a device once, with the first piece that
// needs it, and stays; what passes from one piece of a device to another of the same device moves nowhere. A transfer
// belongs to the pass of the node whose output moves (docs/formats.md). So the loads of a device's pieces in one pass
// add up to that pass's load of the device, as `check` has it. An output of the forward pass that only backward nodes
// of a device read enters with its last forward piece behind the producer, or with a piece that has no nodes. Where a
// device recomputes, its first backward piece does so, for all nodes at once.
#pragma once

#include <vector>

#include "partita/check/check.h"
#include "partita/model/problem.h"
#include "partita/model/split.h"
#include "partita/util/ids.h"

namespace partita {

using PieceId = Id<struct PieceTag>;

// What a piece moves over a shared link, for one sample and at the link's price.
struct LinkUse {
  std::size_t link = 0;  // its place in CheckReport::shared_links
  double in = 0;
  double out = 0;
};

struct Piece {
  DeviceId device;  // where devices share a stage: the original
  bool backward = false;
  std::vector<NodeId> nodes;        // ascending; none where it only reads for later pieces, or only recomputes
  PassLoad load;                    // for one sample: reading, computing, writing
  std::vector<PieceId> after;       // whose results it needs, itself left out; ascending
  std::vector<LinkUse> links = {};  // what it moves over shared links; ascending
};

struct Pieces {
  IdVector<PieceId, Piece> pieces;  // in an order that takes every edge forward: forward pieces, then backward ones
  IdVector<NodeId, PieceId> piece_of;
  bool fewest = false;  // proved: no order has fewer pieces with nodes
};

// Preconditions: `report` is check(problem, split), and legal.
Pieces cut_into_pieces(const Problem& problem, const Split& split, const CheckReport& report);

}  // namespace partita
