// SPDX-License-Identifier: Apache-2.0
#include "partita/schedule/gpipe_schedule.h"

#include <algorithm>

#include "partita/schedule/link_queues.h"
#include "partita/schedule/round_schedule.h"

namespace partita::detail {
namespace {

// Where a device has several lanes: no sample comes in before the one a batch earlier is over, so that no more samples
// than a batch are in flight.
void limit_in_flight(const Steps& steps, std::size_t microbatches, Program& program) {
  program.earlier.resize(steps.steps.size());
  IdVector<StepId, char> has_before(steps.steps.size(), 0);  // on the same device
  IdVector<StepId, char> has_behind(steps.steps.size(), 0);
  for (StepId s : steps.steps.all()) {
    for (StepId before : steps[s].after) {
      if (is_link_step(steps[s]) || steps[before].device != steps[s].device || s == steps.sync[steps[s].device])
        continue;
      has_before[s] = 1;
      has_behind[before] = 1;
    }
  }
  for (StepId first : steps.steps.all()) {
    if (is_link_step(steps[first])) continue;
    const std::size_t sharing = steps[first].lanes.size();
    const std::size_t batch = (microbatches + sharing - 1) / sharing * sharing;
    for (StepId last : steps.steps.all()) {
      if (steps[last].device != steps[first].device || has_before[first] || has_behind[last]) continue;
      const StepId sync = steps.sync[steps[first].device];
      if (first != sync && last != sync) program.earlier[first].push_back({last, batch});
    }
  }
}

}  // namespace

Program gpipe_program(const Steps& steps, std::size_t samples, std::size_t microbatches) {
  std::vector<StepId> forward, backward;
  IdVector<LaneId, char> goes_backward(steps.lanes.size(), 0);
  for (StepId s : steps.steps.all()) {
    (steps[s].backward ? backward : forward).push_back(s);
    // An exchange of weights alone does not end a batch.
    if (steps[s].backward && (is_link_step(steps[s]) || s != steps.sync[steps[s].device]))
      goes_backward[steps[s].lanes.front()] = 1;
  }
  Program program;
  program.samples = samples;
  program.order.resize(steps.lanes.size());
  // Gates, where all batches before this one, or before that, must be through.
  constexpr std::size_t kThisBatch = 0, kBatchBefore = 1;
  program.gates.resize(2);
  program.gate_of.assign(steps.steps.size(), kBatchBefore);
  for (StepId s : forward) {
    if (!goes_backward[steps[s].lanes.front()]) program.gate_of[s] = kThisBatch;
  }
  if (std::any_of(steps.of.begin(), steps.of.end(), [](const PieceSteps& p) { return p.in.valid() || p.out.valid(); }))
    limit_in_flight(steps, microbatches, program);

  const Rounds forward_rounds = lay_out_rounds(steps, forward);
  const Rounds backward_rounds = lay_out_rounds(steps, backward);
  std::vector<Task> tasks;  // of a batch
  std::size_t batch = 0;
  for (std::size_t begin = 0; begin < samples; begin += microbatches) {
    const std::size_t count = std::min(microbatches, samples - begin);
    if (count != batch) {
      tasks = in_rounds(forward_rounds, forward, count);
      const std::vector<Task> back = in_rounds(backward_rounds, backward, count);
      tasks.insert(tasks.end(), back.begin(), back.end());
      batch = count;
    }
    append(program, steps, tasks, begin);
    for (std::size_t n = begin; n < begin + count; ++n) {
      program.gates[kThisBatch].push_back(static_cast<std::uint32_t>(begin));
      program.gates[kBatchBefore].push_back(static_cast<std::uint32_t>(begin - std::min(begin, microbatches)));
    }
  }
  return program;
}

}  // namespace partita::detail
