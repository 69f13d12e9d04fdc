// SPDX-License-Identifier: Apache-2.0
#include "partita/check/warnings.h"

#include <fmt/format.h>

#include <optional>

#include "partita/check/cost_sources.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

// Of the memory of forward nodes: below this share, nodes whose whole size counts as weights are likely just that.
constexpr double kLeastUntoldShare = 0.1;

// Its size is all weights, as where the file does not take it apart.
bool is_all_weights(const Node& node) {
  const MemoryParts& parts = node.parts;
  return node.memory > 0 && parts.weights == node.memory && parts.resident() == parts.weights && parts.activation == 0;
}

// The memory models of samples in flight need to know what each sample takes.
std::optional<std::string> untold_activations(const Problem& problem) {
  if (problem.memory_model == MemoryModel::Flat) return std::nullopt;
  std::size_t told = 0, untold = 0;
  double memory = 0, untold_memory = 0;
  for (const Node& node : problem.workload->graph.nodes) {
    if (node.parts.activation > 0) ++told;
    if (node.backward) continue;  // gradients are held once
    memory += node.memory;
    if (!is_all_weights(node)) continue;
    ++untold;
    untold_memory += node.memory;
  }
  const char* model = to_string(problem.memory_model);
  if (told == 0) {
    return fmt::format(
        "no node has `activation`: the memory model {} counts every `size` as weights, held once, and nothing for "
        "samples in flight; memory is an underestimate, and the split may not fit the devices",
        model);
  }
  if (!(untold_memory > kLeastUntoldShare * memory)) return std::nullopt;
  return fmt::format(
      "{} forward node{} with {:.0f} % of the memory {} no `activation`: the memory model {} counts their `size` as "
      "weights, held once; memory may be an underestimate",
      untold, untold == 1 ? "" : "s", 100 * untold_memory / memory, untold == 1 ? "has" : "have", model);
}

// For one sample alone, nobody says who waits for whom at a link.
std::optional<std::string> links_not_minded(const Problem& problem) {
  const auto& links = problem.workload->platform.shared_links;
  if (problem.objective != Objective::Latency || links.empty()) return std::nullopt;
  return fmt::format(
      "the objective latency does not mind shared links ({}{}): transfers of one sample that meet there are counted as "
      "if "
      "each had the link for itself",
      visible(links.front().name, kLongestShownName), links.size() > 1 ? ", ..." : "");
}

}  // namespace

std::vector<std::string> warnings(const Problem& problem, const CheckReport&) {
  std::vector<std::string> lines = problem.workload->notes;
  if (auto line = unknown_operators(problem.workload)) lines.push_back(std::move(*line));
  if (auto line = untold_activations(problem)) lines.push_back(std::move(*line));
  if (auto line = links_not_minded(problem)) lines.push_back(std::move(*line));
  return lines;
}

std::vector<std::string> simulation_warnings(const Problem& problem, const CheckReport& report,
                                             std::size_t most_in_flight) {
  std::vector<std::string> lines = warnings(problem, report);
  if (problem.memory_model == MemoryModel::Flat && problem.workload->graph.has_backward() && most_in_flight > 1) {
    lines.push_back(fmt::format(
        "up to {} samples are in flight on a device, and the memory model flat counts each node's `size` "
        "once: memory is an underestimate; Question::memory_model = 1f1b or gpipe counts them all, by `activation`",
        most_in_flight));
  }
  return lines;
}

}  // namespace partita::detail
