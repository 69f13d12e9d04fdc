// SPDX-License-Identifier: Apache-2.0
// From a problem to the form in which staged splits are searched for where stages can run in several ways, and back.
#pragma once

#include <string>
#include <vector>

#include "partita/model/problem.h"
#include "partita/model/split.h"
#include "partita/reduce/setup_graph.h"

namespace partita::detail {

// Equal members of a cluster: devices of one class that are directly in it, or equal clusters inside it.
struct ClusterMember {
  int count = 0;
  ClassId device_class;                 // of devices
  std::size_t inside = 0;               // of clusters: which ClusterType
  std::vector<std::size_t> which = {};  // of clusters: their places in Cluster::clusters

  bool is_cluster() const { return !device_class.valid(); }
};

struct ClusterType {
  double factor = 1;        // of the exchange of weights among copies
  std::vector<Link> links;  // by tariff: of what moves in the cluster, and in none inside it
  std::vector<ClusterMember> members;
};

// A tariff is what classes of devices have in common that pay the same for the same transfers, wherever they are.
struct SetupClass {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  double memory = 0;           // bytes, with room for rounding
  std::size_t tariff = kNone;  // none: transfers are free, as on hosts

  bool pays() const { return tariff != kNone; }
};

// How stages may run, and what they cost then.
struct SetupRules {
  TransferMode transfers = TransferMode::Sum;
  MemoryModel memory_model = MemoryModel::Flat;
  int microbatches = 0;
  bool recompute = false;
  int replicas = 1;
  double sync_bandwidth = kUnlimited;
  IdVector<ClassId, SetupClass> classes;
  std::vector<ClusterType> clusters;  // the last is the whole platform
  const ClusterType& root() const { return clusters.back(); }
  bool has_clusters() const { return clusters.size() > 1; }
  std::size_t tariffs() const { return root().links.size(); }
  // What a device of the class pays for what moves in a cluster of the type.
  const Link& link(ClassId c, const ClusterType& type) const {
    return classes[c].pays() ? type.links[classes[c].tariff] : kPaysNothing;
  }
};

// How many devices of each class a cluster type has, those in clusters inside included.
IdVector<ClassId, int> devices_in(const SetupRules& rules, std::size_t type);
inline IdVector<ClassId, int> all_devices(const SetupRules& rules) {
  return devices_in(rules, rules.clusters.size() - 1);
}

// A relaxation: the same devices, all next to each other, on the best links there are. Every stage of a pipeline costs
// no more than it did, on as many devices.
SetupRules without_clusters(const SetupRules& rules);

struct SetupInstance {
  SetupGraph graph;
  SetupRules rules;
  IdVector<NodeId, GroupId> group_of;
  std::vector<std::string> steps;  // what was done, for people to read
};

SetupInstance make_setup_instance(const Problem& problem);

// Some of a pipeline: a stage on one or more equal devices, or a run of stages in one or more equal clusters.
struct PipelinePart {
  std::size_t member = 0;  // of the cluster that it is in
  int replicas = 1;
  bool recompute = false;           // a stage
  std::vector<GroupId> groups;      // a stage
  std::vector<PipelinePart> parts;  // a run, from the END of the pipeline on
};

// `parts` are those of the whole platform, from the END of the pipeline on.
Split lift_parts(const Problem& problem, const SetupInstance& instance, const std::vector<PipelinePart>& parts);

// Parts of a contracted graph as parts of the graph it was made from.
std::vector<PipelinePart> lift_parts(const Lift& lift, const std::vector<PipelinePart>& parts);

// Parts of the reversed graph, so from the BEGINNING of the pipeline on, as parts of the graph.
std::vector<PipelinePart> turned_round(std::vector<PipelinePart> parts, std::size_t groups);

}  // namespace partita::detail
