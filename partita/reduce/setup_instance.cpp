// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/setup_instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <ranges>

#include "partita/reduce/colours.h"
#include "partita/reduce/group_weights.h"
#include "partita/reduce/mirror.h"
#include "partita/reduce/transfers.h"

namespace partita::detail {
namespace {

// Where all devices are in one place.
Cluster whole_platform(const Platform& platform) {
  if (platform.clusters) return *platform.clusters;
  Cluster all;
  for (const DeviceClass& c : platform.classes) all.devices.push_back(c.count);
  return all;
}

// Adds the types of the clusters inside, then the cluster's own; returns which it is.
std::size_t add_type(const Platform& platform, const Cluster& cluster, std::size_t most_used,
                     std::vector<ClusterType>& types) {
  ClusterType type;
  type.factor = exchange_factor(cluster);
  for (const DeviceClass& c : platform.classes) type.links.push_back(link_within(cluster, c));
  const int most = static_cast<int>(std::max<std::size_t>(most_used, 1));  // further ones would stay empty
  for (ClassId c : cluster.devices.all()) {
    if (cluster.devices[c] > 0) type.members.push_back({std::min(cluster.devices[c], most), c});
  }
  for (std::size_t i = 0; i < cluster.clusters.size(); ++i) {
    std::vector<std::size_t> equal;
    for (std::size_t j = 0; j < cluster.clusters.size(); ++j) {
      if (cluster.clusters[j] == cluster.clusters[i]) equal.push_back(j);
    }
    if (equal[0] != i) continue;
    const int count = std::min(static_cast<int>(equal.size()), most);
    type.members.push_back({count, ClassId(), add_type(platform, cluster.clusters[i], most_used, types), equal});
  }
  types.push_back(std::move(type));
  return types.size() - 1;
}

// The types have a link for each class as yet.
void find_tariffs(SetupRules& rules) {
  std::vector<std::size_t> first;  // by tariff: a class
  for (ClassId c : rules.classes.all()) {
    const auto pays_as = [&](std::size_t other) {
      return std::ranges::all_of(rules.clusters,
                                 [&](const ClusterType& t) { return t.links[c.index()] == t.links[other]; });
    };
    if (std::ranges::all_of(rules.clusters, [&](const ClusterType& t) { return t.links[c.index()] == kPaysNothing; }))
      continue;
    const auto known = std::ranges::find_if(first, pays_as);
    rules.classes[c].tariff = static_cast<std::size_t>(known - first.begin());
    if (known == first.end()) first.push_back(c.index());
  }
  for (ClusterType& type : rules.clusters) {
    std::vector<Link> links;
    for (const std::size_t c : first) links.push_back(type.links[c]);
    type.links = std::move(links);
  }
}

SetupRules rules_of(const Problem& problem, std::size_t groups) {
  const Platform& platform = problem.workload->platform;
  SetupRules rules;
  rules.transfers = problem.transfers;
  rules.memory_model = problem.memory_model;
  rules.microbatches = problem.microbatches;
  rules.recompute = problem.recompute && problem.memory_model != MemoryModel::Flat;
  rules.replicas = problem.replicas;
  rules.sync_bandwidth = platform.sync_bandwidth;
  for (const DeviceClass& c : platform.classes) {
    assert(c.contention == 1);  // with_busy_times has it in the times
    rules.classes.push_back({c.memory});
  }
  add_type(platform, whole_platform(platform), groups * static_cast<std::size_t>(problem.replicas), rules.clusters);
  find_tariffs(rules);
  return rules;
}

// Whether the dearest way of one output is that of every other: where links differ by their factors alone.
bool one_order_of_links(const SetupRules& rules) {
  for (std::size_t t = 0; t < rules.tariffs(); ++t) {
    for (const ClusterType& type : rules.clusters) {
      if (type.links[t].latency != rules.root().links[t].latency) return false;
    }
  }
  return true;
}

struct Weights {
  IdVector<ClassId, IdVector<GroupId, ClassTime>> times;
  IdVector<GroupId, GroupMemory> memory;
};

Weights group_weights(const Problem& problem, const IdVector<NodeId, GroupId>& group_of, std::size_t groups,
                      bool passes_differ) {
  const Graph& graph = problem.workload->graph;
  const bool flat = problem.memory_model == MemoryModel::Flat;
  Weights weights;
  weights.memory.resize(groups);
  for (NodeId v : graph.nodes.all()) {
    const Node& node = graph.nodes[v];
    GroupMemory& sum = weights.memory[group_of[v]];
    sum.weights += node.parts.weights;
    sum.resident += flat ? node.memory : node.parts.resident();
    sum.activation += flat ? 0 : node.parts.activation;
    sum.kept += flat ? 0 : node.parts.recompute_activation;
  }
  const Passes passes = passes_differ ? Passes::Apart : Passes::AsOne;
  for (ClassId c : problem.workload->platform.classes.all())
    weights.times.push_back(times_on(c, graph, group_of, groups, passes));
  return weights;
}

}  // namespace

SetupInstance make_setup_instance(const Problem& problem) {
  const Graph& graph = problem.workload->graph;
  const ColourClasses classes = find_colour_classes(graph);
  const std::size_t count = classes.members.size();

  // For the order and for heuristics: each class with its time on the first class of devices that can run it.
  IdVector<GroupId, Group> groups(count);
  for (GroupId g : groups.all()) {
    for (NodeId v : classes.members[g.index()]) {
      const auto least = std::min_element(graph.nodes[v].time.begin(), graph.nodes[v].time.end());
      groups[g].accelerator_time += *least;
      groups[g].memory += graph.nodes[v].memory;
    }
  }
  IdVector<GroupId, GroupId> identity(count);
  for (GroupId g : identity.all()) identity[g] = g;
  const Contraction forward = contract(groups, class_precedence(graph, classes, problem.backward_shape),
                                       transfer_nets(graph, classes), identity);
  const std::size_t size = forward.graph.size();
  const auto from_the_end = [&](GroupId g) { return GroupId(size - 1 - forward.lift[g].index()); };

  SetupInstance instance;
  instance.rules = rules_of(problem, size);
  instance.group_of.resize(graph.nodes.size());
  for (NodeId v : graph.nodes.all()) instance.group_of[v] = from_the_end(classes.class_of[v]);
  // A sum of both passes and both directions needs neither told apart, and more nets are equal then.
  const bool passes_differ = graph.has_backward() && problem.transfers != TransferMode::Sum;
  const bool directed = problem.transfers == TransferMode::Duplex || instance.rules.has_clusters();
  std::vector<GroupTransfer> nets =
      group_transfers(graph, instance.group_of, passes_differ ? Passes::Apart : Passes::AsOne);
  if (!directed) {
    for (GroupTransfer& net : nets) net.producer = GroupId();
  }
  Weights weights = group_weights(problem, instance.group_of, size, passes_differ);
  instance.graph =
      SetupGraph(reversed(forward.graph), std::move(weights.times), std::move(weights.memory), std::move(nets),
                 passes_differ ? 2 : 1,
                 one_order_of_links(instance.rules) ? SetupGraph::Merge::Any : SetupGraph::Merge::OfOneCost);
  instance.steps.push_back(fmt::format("colour classes: {} nodes -> {} groups", graph.nodes.size(), count));
  instance.steps.push_back(fmt::format("cycles contracted: {} groups -> {}", count, size));
  return instance;
}

IdVector<ClassId, int> devices_in(const SetupRules& rules, std::size_t type) {
  IdVector<ClassId, int> total(rules.classes.size(), 0);
  for (const ClusterMember& member : rules.clusters[type].members) {
    if (!member.is_cluster()) {
      total[member.device_class] += member.count;
      continue;
    }
    const auto inside = devices_in(rules, member.inside);
    for (ClassId c : total.all()) total[c] += member.count * inside[c];
  }
  return total;
}

// Transfers cost the least factor, and the least latency. A stage with copies at several levels has r of them in all. Its weights are
// exchanged level by level: r' copies among r'' clusters, at least f w / B times (r' - 1) / (r' r'') and (r'' - 1) /
// r'', which add up to (r - 1) / r. Where exchanges are added up, that is what copies next to each other pay; where
// only the longest counts, it is at least this divided by the number of levels. Samples in flight are as many: the same
// devices are behind each stage, and the same number shares it.
SetupRules without_clusters(const SetupRules& rules) {
  SetupRules flat = rules;
  ClusterType all;
  all.factor = rules.root().factor;
  all.links = rules.root().links;
  double copies = 1;
  for (const ClusterType& type : rules.clusters) {
    all.factor = std::min(all.factor, type.factor);
    for (std::size_t t = 0; t < rules.tariffs(); ++t) all.links[t] = least_of(all.links[t], type.links[t]);
    copies = std::min(copies * rules.replicas, 1e9);
  }
  const IdVector<ClassId, int> count = all_devices(rules);
  for (ClassId c : count.all()) {
    if (count[c] > 0) all.members.push_back({count[c], c});
  }
  flat.clusters = {all};
  flat.replicas = static_cast<int>(copies);
  if (rules.transfers != TransferMode::Sum) flat.sync_bandwidth *= static_cast<double>(rules.clusters.size());
  return flat;
}

namespace {

// One cluster of the platform, with the devices that are in it.
struct Place {
  const Cluster* cluster;
  IdVector<ClassId, std::size_t> first;  // device of each class, those in clusters inside included
};

IdVector<ClassId, std::size_t> devices_in(const Cluster& cluster, std::size_t classes) {
  IdVector<ClassId, std::size_t> total(classes, 0);
  for (ClassId c : cluster.devices.all()) total[c] += static_cast<std::size_t>(cluster.devices[c]);
  for (const Cluster& inside : cluster.clusters) {
    const auto more = devices_in(inside, classes);
    for (ClassId c : total.all()) total[c] += more[c];
  }
  return total;
}

class PartLift {
 public:
  PartLift(const Problem& problem, const SetupInstance& instance) : problem_(problem), instance_(instance) {
    const Platform& platform = problem.workload->platform;
    split_.copy_of.resize(platform.device_count());
    for (DeviceId d : split_.copy_of.all()) split_.copy_of[d] = d;
    split_.recomputes.assign(platform.device_count(), 0);
    in_use_.assign(platform.device_count(), 0);
    device_of_.resize(instance.graph.size());
  }

  Split run(const std::vector<PipelinePart>& parts) {
    const Platform& platform = problem_.workload->platform;
    const Cluster whole = whole_platform(platform);
    Place place{&whole, {}};
    for (ClassId c : platform.classes.all()) place.first.push_back(platform.first_device(c).index());
    put(parts, instance_.rules.clusters.size() - 1, place);
    split_.device_of.resize(instance_.group_of.size());
    for (NodeId v : instance_.group_of.all()) split_.device_of[v] = device_of_[instance_.group_of[v]];
    if (!copies_) split_.copy_of.clear();
    if (!recomputes_) split_.recomputes.clear();
    return std::move(split_);
  }

 private:
  // Devices are numbered along the pipeline, so from its beginning.
  void put(const std::vector<PipelinePart>& parts, std::size_t type, const Place& place) {
    std::vector<std::size_t> used(instance_.rules.clusters[type].members.size(), 0);
    for (const PipelinePart& part : std::views::reverse(parts)) {
      const ClusterMember& member = instance_.rules.clusters[type].members[part.member];
      const std::size_t next = used[part.member];
      used[part.member] += static_cast<std::size_t>(part.replicas);
      if (member.is_cluster()) {
        put_run(part, member, next, place);
      } else {
        put_stage(part, DeviceId(place.first[member.device_class] + next));
      }
    }
  }

  void put_stage(const PipelinePart& part, DeviceId original) {
    for (GroupId v : part.groups) device_of_[v] = original;
    in_use_[original] = 1;
    split_.order.push_back(original);
    split_.recomputes[original] = part.recompute;
    recomputes_ = recomputes_ || part.recompute;
    for (int i = 1; i < part.replicas; ++i) copy(DeviceId(original.index() + static_cast<std::size_t>(i)), original);
  }

  void put_run(const PipelinePart& part, const ClusterMember& member, std::size_t next, const Place& place) {
    const Place original = inside(place, member.which[next]);
    put(part.parts, member.inside, original);
    const auto total = devices_in(*original.cluster, original.first.size());
    for (std::size_t i = 1; i < static_cast<std::size_t>(part.replicas); ++i) {
      const Place other = inside(place, member.which[next + i]);
      for (ClassId c : total.all()) {
        for (std::size_t d = 0; d < total[c]; ++d) {
          const DeviceId from = split_.copy_of[DeviceId(original.first[c] + d)];
          if (in_use_[from]) copy(DeviceId(other.first[c] + d), from);
        }
      }
    }
  }

  static Place inside(const Place& place, std::size_t which) {
    Place result{&place.cluster->clusters[which], place.first};
    const std::size_t classes = place.first.size();
    for (ClassId c : place.cluster->devices.all())
      result.first[c] += static_cast<std::size_t>(place.cluster->devices[c]);
    for (std::size_t before = 0; before < which; ++before) {
      const auto total = devices_in(place.cluster->clusters[before], classes);
      for (ClassId c : total.all()) result.first[c] += total[c];
    }
    return result;
  }

  void copy(DeviceId device, DeviceId original) {
    split_.copy_of[device] = original;
    split_.recomputes[device] = split_.recomputes[original];
    copies_ = true;
  }

  const Problem& problem_;
  const SetupInstance& instance_;
  Split split_;
  IdVector<GroupId, DeviceId> device_of_;
  IdVector<DeviceId, char> in_use_;
  bool copies_ = false, recomputes_ = false;
};

}  // namespace

Split lift_parts(const Problem& problem, const SetupInstance& instance, const std::vector<PipelinePart>& parts) {
  return PartLift(problem, instance).run(parts);
}

std::vector<PipelinePart> lift_parts(const Lift& lift, const std::vector<PipelinePart>& parts) {
  std::vector<std::pair<GroupId, GroupId>> pairs;
  std::size_t groups = 0;
  for (GroupId v : lift.all()) {
    pairs.emplace_back(lift[v], v);
    groups = std::max(groups, lift[v].index() + 1);
  }
  const Csr<GroupId, GroupId> members(groups, pairs);
  const auto lifted = [&](const auto& self, std::vector<PipelinePart> these) -> std::vector<PipelinePart> {
    for (PipelinePart& part : these) {
      std::vector<GroupId> held;
      for (GroupId v : part.groups) held.insert(held.end(), members[v].begin(), members[v].end());
      part.groups = std::move(held);
      part.parts = self(self, std::move(part.parts));
    }
    return these;
  };
  return lifted(lifted, parts);
}

std::vector<PipelinePart> turned_round(std::vector<PipelinePart> parts, std::size_t groups) {
  std::reverse(parts.begin(), parts.end());
  for (PipelinePart& part : parts) {
    for (GroupId& v : part.groups) v = GroupId(groups - 1 - v.index());
    part.parts = turned_round(std::move(part.parts), groups);
  }
  return parts;
}

}  // namespace partita::detail
