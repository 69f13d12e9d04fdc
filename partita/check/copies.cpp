// SPDX-License-Identifier: Apache-2.0
#include "partita/check/copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "partita/check/names.h"

namespace partita::detail {
namespace {

class Sharing {
 public:
  Sharing(const Problem& problem, const Placement& placement, const ClusterTree& clusters, CheckReport& report)
      : problem_(problem),
        platform_(problem.workload->platform),
        placement_(placement),
        clusters_(clusters),
        report_(report),
        weights_(report.devices.size(), 0) {
    const Graph& graph = problem.workload->graph;
    for (NodeId v : graph.nodes.all()) {
      if (placement.device_of[v].valid()) weights_[placement.device_of[v]] += graph.nodes[v].parts.weights;
    }
  }

  void run() {
    bool any = false;
    for (DeviceId d : placement_.copy_of.all()) any |= placement_.copy_of[d].valid();
    if (!any) return;
    if (problem_.objective == Objective::Latency || problem_.shape != Shape::Staged) {
      complain("the split has copies, which only staged splits for throughput may have");
      return;
    }
    for (DeviceId d : placement_.copy_of.all()) {
      if (placement_.copy_of[d].valid() && makes_sense(d)) device(d).original = placement_.copy_of[d];
    }
    share_within(clusters_.root());
  }

 private:
  using Devices = std::vector<DeviceId>;

  DeviceReport& device(DeviceId d) { return report_.devices[d]; }
  bool is_copy(DeviceId d) { return device(d).original.valid() && device(d).original != d; }
  std::string name(DeviceId d) const { return platform_.device_name(d); }
  void complain(std::string message) { report_.violations.push_back({Violation::Kind::Copies, std::move(message)}); }

  bool makes_sense(DeviceId d) {
    const DeviceId original = placement_.copy_of[d];
    const char* fault = nullptr;
    if (device(d).node_count > 0) {
      fault = "but has nodes of its own";
    } else if (placement_.copy_of[original].valid()) {
      fault = "which is a copy itself";
    } else if (device(original).node_count == 0) {
      fault = "which has no nodes";
    } else if (platform_.class_of(d) != platform_.class_of(original)) {
      fault = "which is of another class";
    }
    if (fault) complain(fmt::format("{} copies {}, {}", name(d), name(original), fault));
    return !fault;
  }

  void forget(DeviceId d) { device(d).original = DeviceId(); }

  void limit_copies(std::size_t sharing, const std::string& what) {
    if (sharing <= static_cast<std::size_t>(std::max(problem_.replicas, 1))) return;
    complain(fmt::format("{} and its copies are {}, but at most {} may share a stage", what, sharing,
                         std::max(problem_.replicas, 1)));
  }

  // One more level of r copies around what the devices share so far. Of copies it is enough to name the original.
  void add_level(const Devices& devices, double factor, std::size_t r) {
    double weights = 0;
    for (DeviceId d : devices) weights += weights_[d];
    const auto count = static_cast<double>(r);
    const double sync = weights > 0 ? factor * (count - 1) * weights / (count * platform_.sync_bandwidth) : 0;
    for (DeviceId d : devices) {
      DeviceReport& report = device(d);
      if (report.node_count == 0) continue;
      report.sharing *= r;
      report.sync =
          problem_.transfers == TransferMode::Sum ? report.sync / count + sync : std::max(report.sync / count, sync);
    }
  }

  // Everything in the cluster holds something in the cluster, or copies something in it, or nothing.
  void share_within(ClusterId cluster) {
    share_between_devices(cluster);
    share_between_clusters(cluster);
  }

  void share_between_devices(ClusterId cluster) {
    std::map<DeviceId, std::size_t> copies;
    for (DeviceId d : clusters_[cluster].devices) {
      if (!is_copy(d)) continue;
      const DeviceId original = device(d).original;
      if (clusters_.home(original) == cluster) {
        ++copies[original];
      } else {
        complain(fmt::format("{} copies {}, which is not beside it in the same cluster", name(d), name(original)));
        forget(d);
      }
    }
    for (const auto& [original, count] : copies) {
      limit_copies(count + 1, name(original));
      add_level({original}, clusters_[cluster].factor, count + 1);
    }
  }

  void share_between_clusters(ClusterId cluster) {
    std::map<ClusterId, std::size_t> copies;  // by the original among the clusters
    std::vector<ClusterId> stray;
    for (ClusterId inside : clusters_[cluster].inside) {
      const DeviceId copy = copy_of_outside(inside);
      if (!copy.valid()) continue;
      const ClusterId original = clusters_.part_of(cluster, device(copy).original);
      const std::string fault = difference(inside, original);
      if (fault.empty()) {
        ++copies[original];
      } else {
        complain(fmt::format("{} copies {}, {}", name(copy), name(device(copy).original), fault));
        stray.push_back(inside);
      }
    }
    for (ClusterId inside : stray) {
      for (DeviceId d : clusters_.all_devices(inside)) {
        if (is_copy(d)) forget(d);
      }
    }
    for (ClusterId inside : clusters_[cluster].inside) {
      if (!copy_of_outside(inside).valid()) share_within(inside);
    }
    for (const auto& [original, count] : copies) {
      limit_copies(count + 1, clusters_.name(original));
      add_level(clusters_.all_devices(original), clusters_[cluster].factor, count + 1);
    }
  }

  // The first device in the cluster that copies something that is not in it.
  DeviceId copy_of_outside(ClusterId cluster) {
    for (DeviceId d : clusters_.all_devices(cluster)) {
      if (is_copy(d) && !clusters_.holds(cluster, device(d).original)) return d;
    }
    return {};
  }

  // Why the cluster is no copy of the other; empty if it is one.
  std::string difference(ClusterId cluster, ClusterId original) {
    if (!original.valid())
      return "which is not beside it in the same cluster, nor in one that its own could be a copy of";
    const Cluster* ours = clusters_[cluster].given;
    const Cluster* theirs = clusters_[original].given;
    const Devices devices = clusters_.all_devices(cluster);
    const Devices originals = clusters_.all_devices(original);
    if (*ours != *theirs || devices.size() != originals.size())
      return fmt::format("but {} is not equal to {}", clusters_.name(cluster), clusters_.name(original));
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const DeviceId held = device(originals[i]).original;
      if (held.valid() && !clusters_.holds(original, held))
        return fmt::format("but {} is a copy itself, or partly one", clusters_.name(original));
      if (device(devices[i]).original != held)
        return fmt::format("but {} does not run what {}, in the same place, does", name(devices[i]),
                           name(originals[i]));
    }
    return "";
  }

  const Problem& problem_;
  const Platform& platform_;
  const Placement& placement_;
  const ClusterTree& clusters_;
  CheckReport& report_;
  IdVector<DeviceId, double> weights_;  // of its own nodes
};

void check_recomputing(const Problem& problem, CheckReport& report) {
  const Platform& platform = problem.workload->platform;
  const bool allowed = problem.recompute && problem.memory_model != MemoryModel::Flat;
  for (DeviceId d : report.devices.all()) {
    const DeviceReport& device = report.devices[d];
    if (!device.original.valid()) continue;
    if (device.recomputes && !allowed) {
      report.violations.push_back(
          {Violation::Kind::Recompute,
           fmt::format("{} recomputes activations, which the question does not allow", platform.device_name(d))});
    } else if (device.recomputes != report.devices[device.original].recomputes) {
      report.violations.push_back(
          {Violation::Kind::Recompute,
           fmt::format("of {} and its copy {}, one recomputes activations and the other does not",
                       platform.device_name(device.original), platform.device_name(d))});
    }
  }
}

}  // namespace

void share_stages(const Problem& problem, const Placement& placement, const ClusterTree& clusters,
                  CheckReport& report) {
  Sharing(problem, placement, clusters, report).run();
  check_recomputing(problem, report);
}

void fill_copies(CheckReport& report) {
  for (DeviceId d : report.devices.all()) {
    const DeviceId original = report.devices[d].original;
    if (!original.valid() || original == d) continue;
    report.devices[d] = report.devices[original];
    report.devices[d].node_count = 0;
  }
}

}  // namespace partita::detail
