// SPDX-License-Identifier: Apache-2.0
// The graph as one block of an accelerator sees it, for bounds.
//
// Nodes that are in one block whenever one of them is on an accelerator are one *cluster*. If accelerators run one
// block in each pass, those are the nodes of one pass and of one group, or of groups that are known to share an
// accelerator. If they run several, they are nodes that are known to share a block. Joining nodes and banning groups
// from hosts is how a search says what it assumes or has proved; the model is then made anew from the instance.
#pragma once

#include <span>
#include <vector>

#include "partita/reduce/latency_instance.h"
#include "partita/util/bit_matrix.h"
#include "partita/util/budget.h"

namespace partita::detail {

using ClusterId = Id<struct ClusterTag>;
using EdgeId = Id<struct EdgeTag>;

// Which nodes lie on paths from a node and to it, itself left out. Quadratic memory: see affordable().
struct NodeReach {
  BitMatrix below, above;

  // Throws OutOfTime.
  explicit NodeReach(const LatencyInstance& instance, const Budget* budget = nullptr);
  static bool affordable(const LatencyInstance& instance) { return instance.size() <= 16'384; }
};

// What is known, or assumed, of the splits that are still looked for.
struct LatencyFacts {
  // Groups with one leader share an accelerator; alone, a group leads itself. The rest is equal for all groups of one
  // leader.
  IdVector<GroupId, GroupId> leader;
  IdVector<GroupId, char> on_host, on_accelerator;  // may be
  IdVector<GroupId, DeviceId> device;               // must be on this accelerator
  // Nodes with one leader share a block. Used only where accelerators run several blocks in a pass; else it is groups
  // that say so.
  IdVector<NodeId, NodeId> block_leader;
  bool contradiction = false;  // groups of two devices are on one

  explicit LatencyFacts(const LatencyInstance& instance);
  // Puts two nodes of one pass into one block, wherever it is. False if that was known.
  bool join(NodeId a, NodeId b);
  bool ban_from_hosts(GroupId g);
  // On this accelerator, with all that is there already.
  void put(GroupId g, DeviceId accelerator);

 private:
  bool share_accelerator(GroupId a, GroupId b);

  const LatencyInstance* instance_;
};

// Where accelerators are of several classes, this is their relaxation, and there is a model of each class by itself
// (LatencyInstance::views): a block is all of one class, so the least over the classes of what is asked of single
// blocks is a bound as good as the relaxation's, or better.
class BlockModel {
 public:
  struct Cluster {
    double time = 0;  // on an accelerator
    // Of its groups, whole, for their nodes of the other pass are on the same device; if several clusters of this pass
    // share the groups, an equal part.
    double memory = 0;
    bool backward = false;
    bool on_accelerator = true;  // supported, and not too large
    DeviceId device;             // on this accelerator, if it is known
    NodeId last;                 // of its nodes in the topological order

    // In a block of this pass, on this accelerator if that is known.
    bool may_run(bool in_backward, DeviceId there) const {
      return on_accelerator && backward == in_backward && (!device.valid() || !there.valid() || device == there);
    }
  };
  struct Edge {
    NodeId from, to;
  };
  struct EdgeEnd {
    NodeId node;
    EdgeId edge;
  };

  // The budget, if there is one, must outlive it: work on a model ends with OutOfTime when time is up.
  BlockModel(const LatencyInstance& instance, const LatencyFacts& facts, const Budget* budget = nullptr);
  // Copies would refer to their original.
  BlockModel(const BlockModel&) = delete;
  BlockModel(BlockModel&&) = default;

  const LatencyInstance& instance() const { return instance_; }
  const Budget* budget() const { return budget_; }
  // One for each class of accelerators. Itself, where there is no more than one.
  std::span<const BlockModel> by_class() const {
    return by_class_.empty() ? std::span<const BlockModel>(this, 1) : std::span<const BlockModel>(by_class_);
  }
  std::size_t node_count() const { return instance_.size(); }
  std::size_t cluster_count() const { return clusters_.size(); }
  const Cluster& cluster(ClusterId c) const { return clusters_[c]; }
  IdRange<ClusterId> clusters() const { return clusters_.all(); }
  ClusterId cluster_of(NodeId v) const { return cluster_of_[v]; }
  std::span<const NodeId> nodes(ClusterId c) const { return nodes_[c]; }
  bool on_host(NodeId v) const { return on_host_[v]; }
  double memory_limit() const { return memory_limit_; }
  // No split agrees with the facts: some group fits neither kind of device, or is on two.
  bool contradicts_itself() const { return contradicts_itself_; }

  std::size_t edge_count() const { return edges_.size(); }
  const Edge& edge(EdgeId e) const { return edges_[e]; }
  IdRange<EdgeId> edges() const { return edges_.all(); }
  std::span<const EdgeEnd> edges_in(NodeId v) const { return in_[v]; }
  std::span<const EdgeEnd> edges_out(NodeId v) const { return out_[v]; }

  // The instance's nets, between clusters.
  std::span<const ClusterId> net_clusters(NetId e) const { return net_clusters_[e]; }  // at least two, or none
  std::span<const NetId> nets_of(ClusterId c) const { return nets_of_[c]; }

 private:
  void add_classes(const LatencyFacts& facts);

  const LatencyInstance& instance_;
  const Budget* budget_;
  double memory_limit_;
  bool contradicts_itself_ = false;
  std::vector<BlockModel> by_class_;
  IdVector<NodeId, ClusterId> cluster_of_;
  IdVector<NodeId, char> on_host_;
  IdVector<ClusterId, Cluster> clusters_;
  Csr<ClusterId, NodeId> nodes_;
  IdVector<EdgeId, Edge> edges_;
  Csr<NodeId, EdgeEnd> in_, out_;
  Csr<NetId, ClusterId> net_clusters_;
  Csr<ClusterId, NetId> nets_of_;
};

}  // namespace partita::detail
