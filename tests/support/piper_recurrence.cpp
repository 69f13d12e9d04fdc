// SPDX-License-Identifier: Apache-2.0
#include "tests/support/piper_recurrence.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "tests/support/random_setup.h"

namespace partita::detail {
namespace {

class PiperRecurrence {
 public:
  PiperRecurrence(const Problem& problem, Cut cut) : problem_(problem), graph_(problem.workload->graph), cut_(cut) {}

  double value() {
    const auto devices = static_cast<std::size_t>(accelerators().count);
    const unsigned all = (1U << graph_.nodes.size()) - 1;
    // From the largest ideal down: every ideal that contains another has a larger number.
    std::vector<std::vector<double>> dp(all + 1, std::vector<double>(devices + 1, kUnlimited));
    dp[all][0] = 0;
    for (unsigned ideal = all; ideal-- > 0;) {
      if (!is_ideal(ideal)) continue;
      for (unsigned next = ideal + 1; next <= all; ++next) {
        if ((next & ideal) != ideal || !is_ideal(next)) continue;
        const Stage stage = measure(next & ~ideal);
        for (std::size_t s = 1; s <= devices; ++s) {
          for (std::size_t d = 1; d <= std::min<std::size_t>(s, static_cast<std::size_t>(problem_.replicas)); ++d) {
            if (!fits(stage, s, d)) continue;
            dp[ideal][s] = std::min(dp[ideal][s], std::max(cost(stage, d), dp[next][s - d]));
          }
        }
      }
    }
    return *std::min_element(dp[0].begin(), dp[0].end());
  }

 private:
  struct Stage {
    double time = 0;
    double cut = 0;
    double weights = 0;
    double activation = 0;
    double kept = 0;
  };

  const DeviceClass& accelerators() const { return problem_.workload->platform.classes[ClassId(0)]; }
  static bool in(unsigned set, NodeId v) { return ((set >> v.index()) & 1U) != 0; }

  bool is_ideal(unsigned set) const {
    return std::all_of(graph_.edges.begin(), graph_.edges.end(),
                       [&](const Edge& edge) { return !in(set, edge.to) || in(set, edge.from); });
  }

  Stage measure(unsigned set) const {
    Stage stage;
    for (NodeId v : graph_.nodes.all()) {
      if (!in(set, v)) continue;
      const Node& node = graph_.nodes[v];
      stage.time += node.time[0];
      stage.weights += node.parts.weights;
      stage.activation += node.parts.activation;
      stage.kept += node.parts.weights + node.parts.gradients + node.parts.optimizer_state;
    }
    std::vector<Edge> paid;
    for (const Edge& edge : graph_.edges) {
      if (in(set, edge.from) == in(set, edge.to)) continue;
      const bool known = std::any_of(paid.begin(), paid.end(), [&](const Edge& other) {
        return cut_ == Cut::EveryOutput && other.from == edge.from;
      });
      if (known) continue;
      paid.push_back(edge);
      stage.cut += edge.cost;
    }
    return stage;
  }

  double cost(const Stage& stage, std::size_t copies) const {
    const auto d = static_cast<double>(copies);
    return stage.time / d + stage.cut / d + (d - 1) * stage.weights / (d * problem_.workload->platform.sync_bandwidth);
  }

  bool fits(const Stage& stage, std::size_t s, std::size_t d) const {
    const auto in_flight = static_cast<double>((s + d - 1) / d);
    return stage.activation * in_flight + stage.kept <= accelerators().memory;
  }

  const Problem& problem_;
  const Graph& graph_;
  Cut cut_;
};

}  // namespace

Problem piper_question(const Workload& workload, std::uint64_t seed, int most_devices) {
  SetupFeatures features = SetupFeatures::none();
  features.copies = features.memory = true;
  Problem problem = random_setup(workload, seed, features);
  auto& classes = problem.workload.change().platform.classes;
  for (DeviceClass& c : classes) c.count = 0;
  classes[ClassId(0)].count = 1 + static_cast<int>(seed % static_cast<std::uint64_t>(most_devices));
  problem.memory_model = MemoryModel::OneF1B;
  problem.microbatches = 0;
  problem.recompute = false;
  problem.backward_shape = false;
  for (Node& node : problem.workload.change().graph.nodes) {
    node.backward = false;
    node.colour.reset();
    if (node.time[0] == kCannotRun) node.time[0] = 3;
  }
  for (Edge& edge : problem.workload.change().graph.edges) edge.cost = static_cast<double>((edge.from.index() * 7) % 5);
  return problem;
}

std::optional<double> piper_value(const Problem& problem, Cut cut) {
  const double value = PiperRecurrence(problem, cut).value();
  if (value == kUnlimited) return std::nullopt;
  return value;
}

}  // namespace partita::detail
