// SPDX-License-Identifier: Apache-2.0
#include "partita/schedule/link_queues.h"

#include <algorithm>

namespace partita::detail {

bool has_link_steps(const Steps& steps) {
  return std::any_of(steps.steps.begin(), steps.steps.end(), [](const Step& step) { return is_link_step(step); });
}

Steps with_links_apart(const Steps& steps) {
  Steps apart = steps;
  for (StepId s : steps.steps.all()) {
    if (is_link_step(steps[s])) apart[s].lanes = {apart.lanes.push_back(steps.lanes[steps[s].lanes.front()])};
  }
  return apart;
}

Program queued_at_links(const Steps& steps, const Steps& apart, const Program& program) {
  const Timing timing = run_program(apart, program);
  Program queued = program;
  queued.order.resize(steps.lanes.size());
  for (StepId s : steps.steps.all()) {
    if (!is_link_step(steps[s])) continue;
    for (std::size_t n = 0; n < program.samples; ++n)
      queued.order[steps[s].lane(n)].push_back({s, static_cast<std::uint32_t>(n)});
  }
  for (LaneId lane : steps.lanes.all()) {
    std::vector<Task>& order = queued.order[lane];
    if (order.empty() || !is_link_step(steps[order.front().step])) continue;
    std::stable_sort(order.begin(), order.end(), [&](const Task& a, const Task& b) {
      return timing.start(a.step, a.sample) < timing.start(b.step, b.sample);
    });
  }
  return queued;
}

}  // namespace partita::detail
