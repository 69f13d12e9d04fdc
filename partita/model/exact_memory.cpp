// SPDX-License-Identifier: Apache-2.0
#include "partita/model/exact_memory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace partita::detail {
namespace {

constexpr int kDigits = std::numeric_limits<double>::digits;
constexpr int kLeastExponent = -200;  // so that products of sizes do not underflow

// Of a node, to be read or changed.
template <class NodeT>
auto sizes_of(NodeT& node) {
  auto& parts = node.parts;
  return std::array{&node.memory,           &parts.weights,    &parts.gradients,
                    &parts.optimizer_state, &parts.activation, &parts.recompute_activation};
}

double rounded_down(double amount, int exponent) {
  return std::ldexp(std::floor(std::ldexp(amount, -exponent)), exponent);
}

// Calls visit(amount, rounded) for each size, and each limit that is not beyond their total: that holds whatever it is,
// and scaling it down by so much could overflow.
template <class WorkloadT, class Visit>
void visit_rounded(WorkloadT& workload, const Visit& visit) {
  double total = 0;
  for (const Node& node : workload.graph.nodes) {
    for (const double* size : sizes_of(node)) total += *size;
  }
  if (!(total > 0) || !std::isfinite(total)) return;
  // One more than the total needs, as the total itself is rounded.
  const int exponent = std::max(std::ilogb(total) + 2 - kDigits, kLeastExponent);
  for (auto& node : workload.graph.nodes) {
    for (auto* size : sizes_of(node)) visit(*size, rounded_down(*size, exponent));
  }
  for (auto& one : workload.platform.classes) {
    if (one.memory < total) visit(one.memory, rounded_down(one.memory, exponent));
  }
}

}  // namespace

bool memory_sums_are_exact(const Workload& workload) {
  bool exact = true;
  visit_rounded(workload, [&exact](double amount, double rounded) { exact = exact && amount == rounded; });
  return exact;
}

void make_memory_sums_exact(Workload& workload) {
  visit_rounded(workload, [](double& amount, double rounded) { amount = rounded; });
}

}  // namespace partita::detail
