// SPDX-License-Identifier: Apache-2.0
#include "partita/schedule/gpipe_schedule.h"

#include <algorithm>

#include "partita/schedule/round_schedule.h"

namespace partita {

Program gpipe_program(const Steps& steps, std::size_t samples, std::size_t microbatches) {
  std::vector<StepId> forward, backward;
  IdVector<LaneId, char> goes_backward(steps.lanes.size(), 0);
  for (StepId s : steps.steps.all()) {
    (steps[s].backward ? backward : forward).push_back(s);
    if (steps[s].backward) goes_backward[steps[s].lanes.front()] = 1;
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

}  // namespace partita
