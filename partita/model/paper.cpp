// SPDX-License-Identifier: Apache-2.0
#include "partita/model/paper.h"

#include <algorithm>
#include <cmath>

namespace partita::detail {
namespace {

constexpr double kLastDigit = 0.01;
constexpr double kPrintTolerance = 2e-4;

}  // namespace

std::optional<double> difference(const PaperCell& cell, const std::optional<AlgorithmRun>& run) {
  if (!cell.value || *cell.value <= 0 || !run || !std::isfinite(run->value)) return std::nullopt;
  return run->value / *cell.value - 1;
}

bool same_as_printed(const PaperCell& cell, const std::optional<AlgorithmRun>& run) {
  const std::optional<double> differs = difference(cell, run);
  return differs && std::abs(*differs) * *cell.value <= std::max(kLastDigit, kPrintTolerance * *cell.value);
}

}  // namespace partita::detail
