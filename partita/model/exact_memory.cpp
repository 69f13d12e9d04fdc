// SPDX-License-Identifier: Apache-2.0
#include "partita/model/exact_memory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace partita {
namespace {

constexpr int kDigits = std::numeric_limits<double>::digits;
constexpr int kLeastExponent = -200;  // so that products of sizes do not underflow

std::array<double*, 5> sizes_of(Node& node) {
  MemoryParts& parts = node.parts;
  return {&node.memory, &parts.weights, &parts.optimizer_state, &parts.activation, &parts.recompute_activation};
}

double rounded_down(double amount, int exponent) {
  return std::ldexp(std::floor(std::ldexp(amount, -exponent)), exponent);
}

}  // namespace

void make_memory_sums_exact(Workload& workload) {
  double total = 0;
  for (Node& node : workload.graph.nodes) {
    for (const double* size : sizes_of(node)) total += *size;
  }
  if (!(total > 0) || !std::isfinite(total)) return;
  // One more than the total needs, as the total itself is rounded.
  const int exponent = std::max(std::ilogb(total) + 2 - kDigits, kLeastExponent);
  for (Node& node : workload.graph.nodes) {
    for (double* size : sizes_of(node)) *size = rounded_down(*size, exponent);
  }
  // A limit beyond the total holds whatever it is; scaling it down by so much could overflow.
  for (DeviceClass& c : workload.platform.classes) {
    if (c.memory < total) c.memory = rounded_down(c.memory, exponent);
  }
}

}  // namespace partita
