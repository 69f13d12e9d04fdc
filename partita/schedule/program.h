// SPDX-License-Identifier: Apache-2.0
// A schedule as a program: for each lane its steps in order; and its execution.
//
// Execution is self-timed. Each lane runs its tasks in the program's order, each as soon as the lane is free and all
// that the task waits for is done. Nothing depends on who is asked first (the lanes are a Kahn network: each has one
// thing that it can do next), so we need no queue of events in the order of time: a lane runs on until it must wait for
// a task of another lane, which wakes it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "partita/schedule/steps.h"

namespace partita::detail {

struct Task {
  StepId step;
  std::uint32_t sample = 0;
};

struct Program {
  std::size_t samples = 0;
  IdVector<LaneId, std::vector<Task>> order;  // every step of every sample once
  std::vector<double> release;                // by sample: nothing of it starts earlier; empty: at any time

  // A gate holds a sample back until so many samples, from the first on, are completely through.
  using Gate = std::vector<std::uint32_t>;  // by sample
  std::vector<Gate> gates;
  IdVector<StepId, std::size_t> gate_of;  // for each step the gate that it waits at, or kNoGate; empty: none waits
  static constexpr std::size_t kNoGate = static_cast<std::size_t>(-1);

  // The step also waits for a step of an earlier sample, if there is such a sample.
  struct Earlier {
    StepId step;
    std::size_t samples_back = 0;
  };
  IdVector<StepId, std::vector<Earlier>> earlier;  // empty: none
};

// Puts tasks at the end of their lanes' orders.
void append(Program& program, const Steps& steps, const std::vector<Task>& tasks, std::size_t first_sample = 0);

// When each task ran.
class Timing {
 public:
  Timing(std::size_t steps, std::size_t samples)
      : steps_(steps), samples_(samples), start_(steps * samples, 0), finish_(steps * samples, 0) {}

  std::size_t samples() const { return samples_; }
  std::size_t index(StepId step, std::size_t sample) const { return sample * steps_ + step.index(); }
  double start(StepId step, std::size_t sample) const { return start_[index(step, sample)]; }
  double finish(StepId step, std::size_t sample) const { return finish_[index(step, sample)]; }
  void set(StepId step, std::size_t sample, double start, double finish) {
    start_[index(step, sample)] = start;
    finish_[index(step, sample)] = finish;
  }

 private:
  std::size_t steps_, samples_;
  std::vector<double> start_, finish_;
};

// Linear in tasks and what they wait for. Nothing where the program waits for itself, or has not every step of every
// sample.
std::optional<Timing> try_program(const Steps& steps, const Program& program);

// The same, for programs that must not: throws std::logic_error, as that is a bug, and zeros would look like a fast
// run.
Timing run_program(const Steps& steps, const Program& program);

}  // namespace partita::detail
