// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/removal_step.h"

namespace partita::detail {

Certificate::Step removal_step(const ShrinkLog::Removal& removal, const IdVector<GroupId, std::int64_t>& name) {
  const auto names_of = [&](const std::vector<GroupId>& groups) {
    std::vector<std::int64_t> result;
    for (GroupId v : groups) result.push_back(name[v]);
    return result;
  };
  Certificate::Step step;
  step.node = name[removal.group];
  for (const ShrinkLog::Removal::Shift& shift : removal.shifts)
    step.shifts.push_back({names_of(shift.net), name[shift.to]});
  step.bridge = names_of(removal.bridge);
  for (const std::vector<GroupId>& net : removal.into) step.into.push_back(names_of(net));
  return step;
}

}  // namespace partita::detail
