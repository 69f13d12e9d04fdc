// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/removal_step.h"

#include <algorithm>
#include <cmath>

namespace partita::detail {
namespace {

constexpr double kMostLimits = 4;  // what costs more counts as this in the check

}  // namespace

Certificate::Step removal_step(const ShrinkLog::Removal& removal, const IdVector<GroupId, std::int64_t>& name,
                               double limit) {
  const auto names_of = [&](const std::vector<GroupId>& groups) {
    std::vector<std::int64_t> result;
    for (GroupId v : groups) result.push_back(name[v]);
    return result;
  };
  Certificate::Step step;
  step.node = name[removal.group];
  for (const ShrinkLog::Removal::Shift& shift : removal.shifts)
    step.shifts.push_back({names_of(shift.net), name[shift.to]});
  for (const ShrinkLog::Removal::Link& link : removal.links) {
    const double limits = std::min(link.cost / limit, kMostLimits);
    step.links.push_back({names_of(link.a), names_of(link.b),
                          static_cast<std::int64_t>(std::floor(std::ldexp(limits, 40))), names_of(link.without)});
  }
  return step;
}

}  // namespace partita::detail
