// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "partita/schedule/program.h"

namespace partita::detail {
namespace {

class Execution {
 public:
  Execution(const Steps& steps, const Program& program)
      : steps_(steps),
        program_(program),
        timing_(steps.steps.size(), program.samples),
        done_(steps.steps.size() * program.samples, 0),
        waiting_for_(done_.size()),
        next_task_(program.order.size(), 0),
        free_at_(program.order.size(), 0),
        next_waiting_(program.order.size()),
        steps_left_(program.samples, static_cast<std::uint32_t>(steps.steps.size())),
        sample_end_(program.samples, 0),
        through_at_(program.samples + 1, 0) {}

  std::optional<Timing> run() {
    for (LaneId lane : program_.order.all()) awake_.push_back(lane);
    while (!awake_.empty()) {
      const LaneId lane = awake_.back();
      awake_.pop_back();
      while (next_task_[lane] < program_.order[lane].size() && run_next(lane)) {
      }
    }
    if (!steps_.steps.empty() && through_ < program_.samples) return std::nullopt;
    return std::move(timing_);
  }

 private:
  // False where the lane must wait, and has said for what.
  bool run_next(LaneId lane) {
    const Task task = program_.order[lane][next_task_[lane]];
    double start = free_at_[lane];
    const auto wait_for = [&](StepId step, std::size_t sample) {
      const std::size_t index = timing_.index(step, sample);
      if (!done_[index]) {
        next_waiting_[lane] = waiting_for_[index];
        waiting_for_[index] = lane;
        return false;
      }
      start = std::max(start, timing_.finish(step, sample));
      return true;
    };
    for (StepId before : steps_[task.step].after) {
      if (!wait_for(before, task.sample)) return false;
    }
    if (!program_.earlier.empty()) {
      for (const Program::Earlier& earlier : program_.earlier[task.step]) {
        if (earlier.samples_back <= task.sample && !wait_for(earlier.step, task.sample - earlier.samples_back))
          return false;
      }
    }
    const std::size_t gate = program_.gate_of.empty() ? Program::kNoGate : program_.gate_of[task.step];
    if (gate != Program::kNoGate) {
      const std::uint32_t needed = program_.gates[gate][task.sample];
      if (through_ < needed) {
        at_gate_.push_back(lane);
        return false;
      }
      start = std::max(start, through_at_[needed]);
    }
    if (!program_.release.empty()) start = std::max(start, program_.release[task.sample]);
    finish(lane, task, start);
    return true;
  }

  void finish(LaneId lane, const Task& task, double start) {
    const double end = start + steps_[task.step].duration;
    const std::size_t index = timing_.index(task.step, task.sample);
    timing_.set(task.step, task.sample, start, end);
    done_[index] = 1;
    free_at_[lane] = end;
    ++next_task_[lane];
    for (LaneId waiting = waiting_for_[index]; waiting.valid(); waiting = next_waiting_[waiting])
      awake_.push_back(waiting);
    sample_end_[task.sample] = std::max(sample_end_[task.sample], end);
    if (--steps_left_[task.sample] == 0) let_through();
  }

  void let_through() {
    const std::size_t before = through_;
    while (through_ < program_.samples && steps_left_[through_] == 0) {
      through_at_[through_ + 1] = std::max(through_at_[through_], sample_end_[through_]);
      ++through_;
    }
    if (through_ == before) return;
    awake_.insert(awake_.end(), at_gate_.begin(), at_gate_.end());
    at_gate_.clear();
  }

  const Steps& steps_;
  const Program& program_;
  Timing timing_;
  std::vector<char> done_;           // by task
  std::vector<LaneId> waiting_for_;  // by task: the lane that came last to wait for it
  IdVector<LaneId, std::size_t> next_task_;
  IdVector<LaneId, double> free_at_;
  IdVector<LaneId, LaneId> next_waiting_;  // the one that waits for the same task
  std::vector<LaneId> awake_, at_gate_;
  std::vector<std::uint32_t> steps_left_;  // by sample
  std::vector<double> sample_end_;
  std::vector<double> through_at_;  // when so many samples from the first on were through
  std::size_t through_ = 0;
};

}  // namespace

void append(Program& program, const Steps& steps, const std::vector<Task>& tasks, std::size_t first_sample) {
  for (const Task& task : tasks) {
    const std::size_t sample = first_sample + task.sample;
    program.order[steps[task.step].lane(sample)].push_back({task.step, static_cast<std::uint32_t>(sample)});
  }
}

std::optional<Timing> try_program(const Steps& steps, const Program& program) {
  return Execution(steps, program).run();
}

Timing run_program(const Steps& steps, const Program& program) {
  std::optional<Timing> timing = try_program(steps, program);
  if (!timing) throw std::logic_error("the schedule waits for itself");
  return *std::move(timing);
}

}  // namespace partita::detail
