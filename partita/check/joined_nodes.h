// SPDX-License-Identifier: Apache-2.0
// What is known of all splits within the limit of a claim about latency: nodes that are in one block, groups that are
// not on hosts; and the *clusters* that follow.
//
// Nodes of a cluster are in one block wherever one of them is on an accelerator. If accelerators run one block in each
// pass, those are the nodes of one pass whose groups share a device; else only nodes that are known to share a block.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/check/latency_claim.h"
#include "partita/util/union_find.h"

namespace partita::detail {

class JoinedNodes {
 public:
  struct Cluster {
    bool backward = false;
    std::vector<std::size_t> nodes;
    std::vector<std::size_t> groups;      // each once, with those that only have nodes in the other pass
    std::vector<LatencyClaim::Int> time;  // by class of accelerators
    std::vector<std::size_t> transfers;   // that a member of it is in, each once
  };

  // The claim must outlive it.
  explicit JoinedNodes(const LatencyClaim& claim);

  // The two nodes, of one pass, are in one block of an accelerator. False if that was known.
  bool join(std::size_t a, std::size_t b);
  // False if that was known.
  bool ban_from_hosts(std::size_t group);
  // Makes the clusters anew, from what was said so far.
  void update();

  bool on_host(std::size_t group) const { return on_host_[group]; }
  bool joined(std::size_t a, std::size_t b) const { return cluster_of_[a] == cluster_of_[b] && !on_host_of(a); }
  const std::vector<Cluster>& clusters() const { return clusters_; }
  std::size_t cluster_of(std::size_t node) const { return cluster_of_[node]; }

 private:
  bool on_host_of(std::size_t node) const { return on_host_[claim_.nodes[node].group]; }
  // What is joined: groups where accelerators run one block, and else nodes.
  using PieceId = Id<struct PieceTag>;
  PieceId piece_of(std::size_t node) const { return PieceId(claim_.one_block ? claim_.nodes[node].group : node); }

  const LatencyClaim& claim_;
  std::vector<char> on_host_;  // by group
  UnionFind<PieceId> pieces_;
  std::vector<Cluster> clusters_;
  std::vector<std::size_t> cluster_of_;
};

}  // namespace partita::detail
