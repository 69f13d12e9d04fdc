// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/baseline/partition.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "partita/reduce/platform_kinds.h"
#include "partita/reduce/staged_instance.h"
#include "partita/reduce/transfers.h"

namespace partita {
namespace {

constexpr double kWeightSum = 1 << 28;

struct WeightedPair {
  GroupId a, b;  // a < b
  double cost;
};

// What moves between each two groups, each pair once.
std::vector<WeightedPair> traffic(const Graph& graph, const IdVector<NodeId, GroupId>& group_of) {
  std::vector<WeightedPair> pairs;
  std::vector<GroupId> readers;
  for (const Transfer& transfer : find_transfers(graph)) {
    const GroupId from = group_of[transfer.producer];
    readers.clear();
    for (NodeId v : transfer.consumers) readers.push_back(group_of[v]);
    std::sort(readers.begin(), readers.end());
    readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
    for (GroupId to : readers) {
      if (to != from && transfer.cost > 0) pairs.push_back({std::min(from, to), std::max(from, to), transfer.cost});
    }
  }
  // Also by cost, so that sums do not depend on the order of the file.
  std::sort(pairs.begin(), pairs.end(), [](const WeightedPair& x, const WeightedPair& y) {
    return std::tie(x.a, x.b, x.cost) < std::tie(y.a, y.b, y.cost);
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (kept > 0 && pairs[kept - 1].a == pairs[i].a && pairs[kept - 1].b == pairs[i].b) {
      pairs[kept - 1].cost += pairs[i].cost;
    } else {
      pairs[kept++] = pairs[i];
    }
  }
  pairs.resize(kept);
  return pairs;
}

std::int32_t scaled(double weight, double sum) {
  return sum > 0 ? static_cast<std::int32_t>(std::lround(weight / sum * kWeightSum)) : 1;
}

class Partitioning {
 public:
  explicit Partitioning(const Problem& problem)
      : problem_(problem),
        kinds_(platform_kinds(problem.workload.platform)),
        instance_(make_staged_instance(problem)),
        on_accelerators_(instance_.platform.accelerators > 0),
        vertex_of_(instance_.graph.size(), kNoVertex),
        device_of_(instance_.graph.size()) {}

  std::optional<Split> run(const Partitioner& partitioner) {
    if (!place_the_rest()) return std::nullopt;
    const int devices = on_accelerators_ ? instance_.platform.accelerators : instance_.platform.hosts;
    const std::size_t parts = std::min(static_cast<std::size_t>(devices), vertices_.size());
    std::vector<std::int32_t> part_of(vertices_.size(), 0);
    if (parts > 1) {
      const auto graph = make_graph();
      if (!graph) return std::nullopt;
      part_of = partitioner(*graph, parts);
      if (part_of.size() != vertices_.size()) return std::nullopt;
    }
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
      device_of_[vertices_[i]] = device(!on_accelerators_, static_cast<std::size_t>(part_of[i]));
    }
    Split split;
    for (NodeId v : instance_.group_of.all()) split.device_of.push_back(device_of_[instance_.group_of[v]]);
    return split;
  }

 private:
  static constexpr std::int32_t kNoVertex = -1;

  DeviceId device(bool host, std::size_t index) const {
    return DeviceId(problem_.workload.platform.first_device(host ? kinds_.host : kinds_.accelerator).index() + index);
  }

  // Numbers the groups that are to be partitioned, and puts the others on hosts.
  bool place_the_rest() {
    std::vector<double> host_load(static_cast<std::size_t>(instance_.platform.hosts), 0);
    for (GroupId g : instance_.graph.all()) {
      const Group& group = instance_.graph.group(g);
      if (on_accelerators_ ? group.on_accelerator : group.on_host) {
        vertex_of_[g] = static_cast<std::int32_t>(vertices_.size());
        vertices_.push_back(g);
        continue;
      }
      if (!group.on_host || host_load.empty()) return false;
      const auto least = std::min_element(host_load.begin(), host_load.end());
      *least += group.host_time;
      device_of_[g] = device(true, static_cast<std::size_t>(least - host_load.begin()));
    }
    return true;
  }

  std::optional<PartitionGraph> make_graph() const {
    PartitionGraph graph;
    double sum = 0;
    const auto time = [&](GroupId g) {
      return on_accelerators_ ? instance_.graph.accelerator_time(g) : instance_.graph.host_time(g);
    };
    for (GroupId g : vertices_) sum += time(g);
    for (GroupId g : vertices_) graph.vertex_weight.push_back(scaled(time(g), sum));

    auto pairs = traffic(problem_.workload.graph, instance_.group_of);
    std::erase_if(pairs, [&](const WeightedPair& pair) {
      return vertex_of_[pair.a] == kNoVertex || vertex_of_[pair.b] == kNoVertex;
    });
    if (pairs.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max() / 4)) return std::nullopt;
    double cost_sum = 0;
    for (const WeightedPair& pair : pairs) cost_sum += pair.cost;
    graph.row_begin.assign(vertices_.size() + 1, 0);
    const auto row = [&](GroupId g) { return static_cast<std::size_t>(vertex_of_[g]); };
    for (const WeightedPair& pair : pairs) {
      ++graph.row_begin[row(pair.a) + 1];
      ++graph.row_begin[row(pair.b) + 1];
    }
    for (std::size_t i = 0; i < vertices_.size(); ++i) graph.row_begin[i + 1] += graph.row_begin[i];
    graph.neighbour.resize(2 * pairs.size());
    graph.edge_weight.resize(2 * pairs.size());
    std::vector<std::int32_t> next(graph.row_begin.begin(), graph.row_begin.end() - 1);
    const auto put = [&](GroupId from, GroupId to, std::int32_t weight) {
      const auto place = static_cast<std::size_t>(next[row(from)]++);
      graph.neighbour[place] = vertex_of_[to];
      graph.edge_weight[place] = weight;
    };
    for (const WeightedPair& pair : pairs) {
      const std::int32_t weight = std::max(scaled(pair.cost, cost_sum), 1);
      put(pair.a, pair.b, weight);
      put(pair.b, pair.a, weight);
    }
    return graph;
  }

  const Problem& problem_;
  const PlatformKinds kinds_;
  const StagedInstance instance_;
  const bool on_accelerators_;  // else the hosts are the parts
  std::vector<GroupId> vertices_;
  IdVector<GroupId, std::int32_t> vertex_of_;
  IdVector<GroupId, DeviceId> device_of_;
};

}  // namespace

std::optional<Split> split_by_partition(const Problem& problem, const Partitioner& partitioner) {
  return Partitioning(problem).run(partitioner);
}

}  // namespace partita
