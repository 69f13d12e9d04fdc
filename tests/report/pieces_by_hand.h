// SPDX-License-Identifier: Apache-2.0
// A split cut into pieces as one would by hand: each device goes on as long as it can, then the next one that can.
#pragma once

#include <algorithm>
#include <cassert>
#include <vector>

#include "partita/model/graph.h"
#include "partita/schedule/pieces.h"

namespace partita::detail {

inline Pieces pieces_by_hand(const Graph& graph, const IdVector<NodeId, DeviceId>& device_of, std::size_t devices) {
  Pieces result;
  result.piece_of.resize(graph.nodes.size());
  IdVector<NodeId, char> done(graph.nodes.size(), 0);
  const auto ready = [&](NodeId v) {
    for (const Edge& edge : graph.edges) {
      if (edge.to == v && !done[edge.from]) return false;
    }
    return true;
  };
  std::size_t left = graph.nodes.size();
  for (const bool backward : {false, true}) {
    for (std::size_t turn = 0, idle = 0; idle < devices; ++turn) {
      Piece piece{DeviceId(turn % devices), backward, {}, {}, {}};
      for (bool more = true; more;) {
        more = false;
        for (const NodeId v : graph.nodes.all()) {
          if (done[v] || device_of[v] != piece.device || graph.nodes[v].backward != backward || !ready(v)) continue;
          done[v] = 1;
          result.piece_of[v] = PieceId(result.pieces.size());
          more = true;
          --left;
        }
      }
      for (const NodeId v : graph.nodes.all()) {
        if (result.piece_of[v] == PieceId(result.pieces.size())) piece.nodes.push_back(v);
      }
      idle = piece.nodes.empty() ? idle + 1 : 0;
      if (!piece.nodes.empty()) result.pieces.push_back(piece);
    }
  }
  assert(left == 0);
  for (const PieceId p : result.pieces.all()) {
    std::vector<PieceId>& after = result.pieces[p].after;
    for (const Edge& edge : graph.edges) {
      if (result.piece_of[edge.to] == p && result.piece_of[edge.from] != p) after.push_back(result.piece_of[edge.from]);
    }
    std::sort(after.begin(), after.end());
    after.erase(std::unique(after.begin(), after.end()), after.end());
  }
  return result;
}

}  // namespace partita::detail
