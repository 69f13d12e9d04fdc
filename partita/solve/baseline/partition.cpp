// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/baseline/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "partita/reduce/device_table.h"
#include "partita/reduce/links.h"
#include "partita/reduce/stage_order.h"
#include "partita/reduce/transfers.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

constexpr double kWeightSum = 1 << 28;
constexpr double kLeastSpeed = 0.001;  // a part is never too small to be told to a library

struct WeightedPair {
  GroupId a, b;  // a < b
  double cost;
};

// The libraries know one price: that of the dearest link.
Link dearest_link(const Platform& platform) {
  Link dearest = kPaysNothing;
  for (const DeviceClass& c : platform.classes) dearest = most_of(dearest, link_of(c));
  return dearest == kPaysNothing ? Link() : dearest;
}

// What moves between each two groups, each pair once.
std::vector<WeightedPair> traffic(const Graph& graph, const IdVector<NodeId, GroupId>& group_of, const Link& link) {
  std::vector<WeightedPair> pairs;
  std::vector<GroupId> readers;
  for (const Transfer& transfer : find_transfers(graph)) {
    const GroupId from = group_of[transfer.producer];
    readers.clear();
    for (NodeId v : transfer.consumers) readers.push_back(group_of[v]);
    std::sort(readers.begin(), readers.end());
    readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
    for (GroupId to : readers) {
      if (to != from && transfer.cost > 0)
        pairs.push_back({std::min(from, to), std::max(from, to), link.price(transfer.cost)});
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
        order_(find_stage_order(problem)),
        devices_(problem.workload->platform, order_.graph.size()),
        groups_(class_groups(problem.workload->graph, order_.group_of, devices_)),
        on_accelerators_(devices_.accelerators() > 0),
        last_class_(on_accelerators_ ? devices_.accelerator_classes() : devices_.classes().size()),
        vertex_of_(groups_.size(), kNoVertex),
        load_(devices_.size(), 0),
        device_of_(groups_.size()) {}

  std::optional<Split> run(const Partitioner& partitioner, std::uint64_t seed) {
    if (!place_the_rest()) return std::nullopt;
    find_speeds();
    const std::vector<DeviceId> part = fastest_devices(vertices_.size());
    std::vector<std::int32_t> part_of(vertices_.size(), 0);
    if (part.size() > 1) {
      const auto graph = make_graph();
      if (!graph) return std::nullopt;
      part_of = partitioner(*graph, shares(part), seed);
      if (part_of.size() != vertices_.size()) return std::nullopt;
    }
    for (std::size_t i = 0; i < vertices_.size(); ++i) put(vertices_[i], part[static_cast<std::size_t>(part_of[i])]);
    move_what_cannot_run();
    return devices_.lift(order_.group_of, device_of_);
  }

 private:
  static constexpr std::int32_t kNoVertex = -1;

  bool runs_on(GroupId g, DeviceId d) const { return groups_[g].runs_on[devices_.class_number(d)]; }
  double time_on(GroupId g, DeviceId d) const { return groups_[g].time[devices_.class_number(d)]; }
  bool runs_on_parts(GroupId g) const {
    const auto begin = groups_[g].runs_on.begin();
    return std::find(begin, begin + static_cast<std::ptrdiff_t>(last_class_), 1) !=
           begin + static_cast<std::ptrdiff_t>(last_class_);
  }

  void put(GroupId g, DeviceId d) {
    device_of_[g] = d;
    load_[d] += time_on(g, d);
  }

  // Of the devices from `first` to before `last` that can run the group, the one that is done with it first.
  DeviceId first_done(GroupId g, std::size_t first, std::size_t last) const {
    DeviceId best;
    for (DeviceId d(first); d.index() < last; ++d) {
      if (runs_on(g, d) && (!best.valid() || load_[d] + time_on(g, d) < load_[best] + time_on(g, best))) best = d;
    }
    return best;
  }

  // Numbers the groups that are to be partitioned, and puts the others on hosts.
  bool place_the_rest() {
    for (GroupId g : groups_.all()) {
      if (runs_on_parts(g)) {
        vertex_of_[g] = static_cast<std::int32_t>(vertices_.size());
        vertices_.push_back(g);
        continue;
      }
      const DeviceId host = first_done(g, devices_.accelerators(), devices_.size());
      if (!host.valid()) return false;
      put(g, host);
    }
    return true;
  }

  // What a group weighs: its time on the fastest class that runs it.
  double weight(GroupId g) const {
    double least = kUnlimited;
    for (std::size_t c = 0; c < last_class_; ++c) {
      if (groups_[g].runs_on[c]) least = std::min(least, groups_[g].time[c]);
    }
    return least;
  }

  void find_speeds() {
    for (std::size_t c = 0; c < last_class_; ++c) {
      double weights = 0, times = 0;
      for (GroupId g : vertices_) {
        if (!groups_[g].runs_on[c]) continue;
        weights += weight(g);
        times += groups_[g].time[c];
      }
      speed_.push_back(times > 0 ? std::max(weights / times, kLeastSpeed) : 1);
    }
  }

  // At most so many, fastest first; at equal speed in their order.
  std::vector<DeviceId> fastest_devices(std::size_t most) const {
    std::vector<DeviceId> devices;
    const auto ends = devices_.classes()[last_class_ - 1];
    for (DeviceId d : ids<DeviceId>(ends.first + ends.count)) devices.push_back(d);
    std::stable_sort(devices.begin(), devices.end(), [&](DeviceId a, DeviceId b) {
      return speed_[devices_.class_number(a)] > speed_[devices_.class_number(b)];
    });
    devices.resize(std::min(devices.size(), most));
    return devices;
  }

  std::vector<double> shares(const std::vector<DeviceId>& part) const {
    std::vector<double> shares;
    double sum = 0;
    for (DeviceId d : part) sum += speed_[devices_.class_number(d)];
    for (DeviceId d : part) shares.push_back(speed_[devices_.class_number(d)] / sum);
    return shares;
  }

  // The heaviest first, so that the light ones even out what they leave.
  void move_what_cannot_run() {
    std::vector<GroupId> stranded;
    for (GroupId g : vertices_) {
      if (!runs_on(g, device_of_[g])) stranded.push_back(g);
    }
    std::stable_sort(stranded.begin(), stranded.end(), [&](GroupId a, GroupId b) { return weight(a) > weight(b); });
    for (GroupId g : stranded) put(g, first_done(g, 0, on_accelerators_ ? devices_.accelerators() : devices_.size()));
  }

  std::optional<PartitionGraph> make_graph() const {
    PartitionGraph graph;
    double sum = 0;
    for (GroupId g : vertices_) sum += weight(g);
    for (GroupId g : vertices_) graph.vertex_weight.push_back(scaled(weight(g), sum));

    auto pairs = traffic(problem_.workload->graph, order_.group_of, dearest_link(problem_.workload->platform));
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
  const StageOrder order_;
  const DeviceTable devices_;
  const IdVector<GroupId, ClassGroup> groups_;
  const bool on_accelerators_;    // else the hosts are the parts
  const std::size_t last_class_;  // classes before this one are those of the parts
  std::vector<double> speed_;     // of these classes; 1 for one that is best at everything it runs
  std::vector<GroupId> vertices_;
  IdVector<GroupId, std::int32_t> vertex_of_;
  IdVector<DeviceId, double> load_;  // compute, of groups that run where they are
  IdVector<GroupId, DeviceId> device_of_;
};

}  // namespace

std::optional<Split> split_by_partition(const Problem& problem, const Partitioner& partitioner, std::uint64_t seed) {
  return Partitioning(problem).run(partitioner, seed);
}

void refuse_without(const char* algorithm, const char* library, const char* debian_package) {
  throw InputError(
      ErrorKind::Unsupported, algorithm,
      fmt::format("this build has no {}; install it (Debian: {}) and build Partita again", library, debian_package));
}

}  // namespace partita::detail
