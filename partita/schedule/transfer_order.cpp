// SPDX-License-Identifier: Apache-2.0
#include "partita/schedule/transfer_order.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace partita {
namespace {

void place(const Steps& steps, const Task& task, Program& program) {
  program.order[steps[task.step].lane(task.sample)].push_back(task);
}

std::vector<StepId> steps_without_place(const Steps& steps, const Program& program) {
  IdVector<StepId, char> placed(steps.steps.size(), 0);
  for (const std::vector<Task>& tasks : program.order) {
    for (const Task& task : tasks) placed[task.step] = 1;
  }
  std::vector<StepId> rest;
  for (StepId s : steps.steps.all()) {
    if (!placed[s]) rest.push_back(s);
  }
  return rest;
}

// Each device's samples, for a step.
template <class Visit>
void for_each_sharer(const Steps& steps, StepId step, std::size_t samples, const Visit& visit) {
  const std::size_t sharing = steps[step].lanes.size();
  for (std::size_t place = 0; place < sharing; ++place) {
    std::vector<Task> tasks;
    for (std::size_t n = place; n < samples; n += sharing) tasks.push_back({step, static_cast<std::uint32_t>(n)});
    visit(std::move(tasks));
  }
}

Program one_by_one(const Steps& steps, const std::vector<StepId>& rest, const Program& program) {
  Program result = program;
  for (const std::vector<Task>& tasks : program.order) {
    for (const Task& task : tasks) {
      const PieceSteps& piece = steps.of[steps[task.step].piece];
      if (task.step != piece.compute) continue;
      if (piece.in.valid()) place(steps, {piece.in, task.sample}, result);
      if (piece.out.valid()) place(steps, {piece.out, task.sample}, result);
    }
  }
  for (StepId s : rest) {
    if (s != steps.sync[steps[s].device]) continue;
    for_each_sharer(steps, s, program.samples, [&](const std::vector<Task>& tasks) {
      for (const Task& task : tasks) place(steps, task, result);
    });
  }
  return result;
}

Program by_readiness(const Steps& steps, const std::vector<StepId>& rest, const Program& program) {
  Program apart = program;
  IdVector<StepId, char> is_rest(steps.steps.size(), 0);
  for (StepId s : rest) {
    is_rest[s] = 1;
    for_each_sharer(steps, s, program.samples,
                    [&](std::vector<Task> tasks) { apart.order.push_back(std::move(tasks)); });
  }
  std::vector<Task> executed;
  const Timing timing = run_program(steps, apart, &executed);
  std::vector<std::tuple<double, std::size_t>> by_start;  // at one time, as they were executed
  for (std::size_t i = 0; i < executed.size(); ++i) {
    if (is_rest[executed[i].step]) by_start.emplace_back(timing.start(executed[i].step, executed[i].sample), i);
  }
  std::sort(by_start.begin(), by_start.end());
  Program result = program;
  for (const auto& [start, i] : by_start) place(steps, executed[i], result);
  return result;
}

double end_of(const Steps& steps, const Program& program) {
  const Timing timing = run_program(steps, program);
  double end = 0;
  for (std::size_t n = 0; n < program.samples; ++n) {
    for (StepId s : steps.steps.all()) end = std::max(end, timing.finish(s, n));
  }
  return end;
}

}  // namespace

void order_transfers(const Steps& steps, Program& program) {
  const std::vector<StepId> rest = steps_without_place(steps, program);
  if (rest.empty()) return;
  Program first = by_readiness(steps, rest, program);
  Program second = one_by_one(steps, rest, program);
  program = end_of(steps, second) < end_of(steps, first) ? std::move(second) : std::move(first);
}

}  // namespace partita
