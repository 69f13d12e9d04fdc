// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_setup.h"

#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include <fmt/format.h>

namespace partita::detail {
namespace {

class SetupDraw {
 public:
  SetupDraw(const Workload& workload, std::uint64_t seed, const SetupFeatures& features)
      : source_(workload), features_(features), engine_(seed * 2 + 1), link_engine_(seed * 2 + 2) {}

  Problem problem() {
    Problem problem;
    problem.workload.change().name = source_.name;
    problem.workload.change().graph = source_.graph;
    platform_ = &problem.workload.change().platform;
    make_classes();
    place_devices();
    if (features_.shared_links) make_shared_links();
    if (features_.copies || features_.memory) make_parts(problem.workload.change().graph);
    make_times(problem.workload.change().graph);
    ask(problem);
    return problem;
  }

 private:
  bool toss(int one_in) { return below(one_in) == 0; }
  int below(int count) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(count)); }
  template <std::size_t N>
  double one_of(const std::array<double, N>& values) {
    return values[engine_() % N];
  }

  // Drawn apart, so that all else is the same without.
  double latency() {
    constexpr std::array kLatencies{0.0, 0.0, 0.1, 0.5, 1.0, 3.0};
    return features_.latencies ? kLatencies[link_engine_() % kLatencies.size()] : 0;
  }

  void make_classes() {
    const int count = features_.classes ? 1 + below(3) : 1 + below(2);
    for (int i = 0; i < count; ++i) {
      DeviceClass c;
      const bool host = features_.classes ? toss(4) : i == 1;
      c.kind = host ? DeviceKind::Host : DeviceKind::Accelerator;
      c.name = fmt::format("{}{}", host ? "host" : "acc", i);
      if (features_.classes && !host) c.link_factor = one_of(std::array{1.0, 1.0, 0.5, 2.0, 0.0});
      if (!host) c.link_latency = latency();
      if (features_.contention && link_engine_() % 2) c.contention = 1.25;
      if (toss(2) && (features_.classes || !host)) c.memory = 4.0 * (1 + below(6));
      platform_->classes.push_back(c);
      factor_.push_back(features_.classes ? one_of(std::array{1.0, 1.0, 0.5, 2.0, 1.5}) : 1.0);
    }
  }

  void place_devices() {
    const std::size_t total = 1 + engine_() % features_.most_devices;
    std::size_t left = total;
    if (features_.clusters && !toss(5)) {
      platform_->clusters = cluster(left, 2, true);
      count_devices(*platform_->clusters);
      return;
    }
    for (; left > 0; --left) ++platform_->classes[any_class()].count;
  }

  ClassId any_class() { return ClassId(engine_() % platform_->classes.size()); }

  // At most `left` devices, all of them where this is the root; `left` goes down.
  Cluster cluster(std::size_t& left, int levels_below, bool root) {
    Cluster result;
    result.factor = one_of(std::array{1.0, 1.0, 0.5, 2.0, 0.25, 0.0});
    if (features_.latencies && link_engine_() % 3 == 0) result.link = Link{std::exchange(result.factor, 1), latency()};
    result.devices.assign(platform_->classes.size(), 0);
    const auto own_device = [&] {
      ++result.devices[any_class()];
      --left;
    };
    if (levels_below > 0) {
      for (int kinds = 1 + below(2); kinds > 0 && left > 0; --kinds) {
        const std::size_t before = left;
        const Cluster inside = cluster(left, levels_below - 1, false);
        const std::size_t size = before - left;
        result.clusters.push_back(inside);
        for (int more = below(3); more > 0 && left >= size && size > 0; --more) {
          result.clusters.push_back(inside);
          left -= size;
        }
      }
    }
    while (left > 0 && (root || (result.clusters.empty() ? total_of(result.devices) == 0 || toss(2) : toss(3))))
      own_device();
    return result;
  }

  static int total_of(const IdVector<ClassId, int>& devices) {
    int total = 0;
    for (const int count : devices) total += count;
    return total;
  }

  void count_devices(const Cluster& cluster) {
    for (ClassId c : cluster.devices.all()) platform_->classes[c].count += cluster.devices[c];
    for (const Cluster& inside : cluster.clusters) count_devices(inside);
  }

  static int levels_below(const Cluster& cluster) {
    int levels = 0;
    for (const Cluster& inside : cluster.clusters) levels = std::max(levels, 1 + levels_below(inside));
    return levels;
  }

  void make_shared_links() {
    constexpr std::array kFactors{0.25, 0.5, 1.0, 1.0, 2.0, 4.0};
    const int levels = platform_->clusters ? levels_below(*platform_->clusters) : 0;
    const std::size_t count = 1 + link_engine_() % 4 / 3;
    for (std::size_t i = 0; i < count; ++i) {
      SharedLink link{fmt::format("link{}", i), {kFactors[link_engine_() % kFactors.size()], latency()}, {}, 0};
      for (ClassId c : platform_->classes.all()) {
        if (platform_->classes[c].kind == DeviceKind::Accelerator && link_engine_() % 3 == 0) link.classes.push_back(c);
      }
      if (levels > 0) link.level = static_cast<int>(link_engine_() % (static_cast<std::uint64_t>(levels) + 1));
      platform_->shared_links.push_back(link);
    }
  }

  // Sizes stay what the weights and one sample's activations add up to, as in a file that gives no sizes.
  void make_parts(Graph& graph) {
    for (Node& node : graph.nodes) {
      node.parts.weights = features_.memory ? below(4) : node.memory;
      if (!features_.memory) continue;
      node.parts.optimizer_state = toss(2) ? 0 : below(3);
      if (node.original_id % 3 == 0) std::swap(node.parts.gradients, node.parts.optimizer_state);
      node.parts.activation = toss(3) ? 0 : below(4);
      node.parts.recompute_activation = toss(2) ? 0 : below(2);
      node.recompute_share = node.backward ? 0 : one_of(std::array{1.0, 0.5, 0.0});
      if (toss(8)) node.recompute_share = 0.25;
      node.memory = node.parts.resident() + node.parts.activation;
    }
  }

  void make_times(Graph& graph) {
    const auto& classes = platform_->classes;
    for (Node& node : graph.nodes) {
      const std::vector<double> source = node.time;  // on an accelerator, on a host
      node.time.clear();
      for (ClassId c : classes.all()) {
        const double time = source[classes[c].kind == DeviceKind::Accelerator ? 0 : 1];
        const bool its_own = features_.classes && toss(6);
        if (its_own && toss(3)) {
          node.time.push_back(kCannotRun);
        } else {
          node.time.push_back(its_own && time != kCannotRun ? below(12) : time * factor_[c.index()]);
        }
      }
      const auto runs = [](double time) { return time != kCannotRun; };
      if (std::none_of(node.time.begin(), node.time.end(), runs)) node.time[0] = 1 + below(5);
    }
  }

  void ask(Problem& problem) {
    if (features_.copies) {
      problem.replicas = 1 + below(3);
      platform_->sync_bandwidth = toss(4) ? kUnlimited : one_of(std::array{0.5, 1.0, 2.0, 4.0, 8.0});
    }
    if (features_.memory && !toss(6)) {
      problem.memory_model = toss(3) ? MemoryModel::GPipe : MemoryModel::OneF1B;
      problem.microbatches = problem.memory_model == MemoryModel::GPipe ? 1 + below(3) : below(4);
      problem.recompute = features_.recompute && !toss(3);
    }
    if (features_.transfers)
      problem.transfers = std::array{TransferMode::Sum, TransferMode::Overlap, TransferMode::Duplex}[engine_() % 3];
    if (features_.gpipe && toss(2)) problem.objective = Objective::GPipe;
    problem.backward_shape = toss(4);
  }

  const Workload& source_;
  const SetupFeatures features_;
  std::mt19937_64 engine_, link_engine_;
  Platform* platform_ = nullptr;
  std::vector<double> factor_;  // by class: of the times in the source
};

void describe_cluster(const Platform& platform, const Cluster& cluster, int depth, std::string& text) {
  text += fmt::format("{:{}}cluster factor {}", "", 2 * depth, cluster.factor);
  if (cluster.link) text += fmt::format(" link {} + {}", cluster.link->factor, cluster.link->latency);
  text += ":";
  for (ClassId c : cluster.devices.all()) {
    if (cluster.devices[c] > 0) text += fmt::format(" {} {}", cluster.devices[c], platform.classes[c].name);
  }
  text += "\n";
  for (const Cluster& inside : cluster.clusters) describe_cluster(platform, inside, depth + 1, text);
}

}  // namespace

Problem random_setup(const Workload& workload, std::uint64_t seed, const SetupFeatures& features) {
  return SetupDraw(workload, seed, features).problem();
}

std::string describe(const Problem& problem) {
  const Platform& platform = problem.workload->platform;
  std::string text = describe(*problem.workload);
  if (platform.clusters) describe_cluster(platform, *platform.clusters, 0, text);
  for (const SharedLink& link : platform.shared_links) {
    text += fmt::format("shared link {} + {}, level {}:", link.link.factor, link.link.latency, link.level);
    for (ClassId c : link.classes) text += " " + platform.classes[c].name;
    text += link.classes.empty() ? " all\n" : "\n";
  }
  text += fmt::format("{}, {}{}, transfers {}, replicas {}, sync bandwidth {}, memory {}, microbatches {}{}\n",
                      to_string(problem.objective), to_string(problem.shape),
                      problem.backward_shape ? " (backward too)" : "", to_string(problem.transfers), problem.replicas,
                      platform.sync_bandwidth, to_string(problem.memory_model), problem.microbatches,
                      problem.recompute ? ", recompute" : "");
  return text;
}

}  // namespace partita::detail
