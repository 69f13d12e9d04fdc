// SPDX-License-Identifier: Apache-2.0
#include "partita/schedule/transfer_order.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace partita::detail {
namespace {

class TransferOrder {
 public:
  TransferOrder(const Steps& steps, const Program& program, bool ahead)
      : steps_(steps), given_(program), ahead_(ahead), result_(program) {}

  Program complete() {
    for (LaneId lane : given_.order.all()) add_transfers(given_.order[lane]);
    for (StepId s : steps_.sync) {
      if (!s.valid() || !given_.order[steps_[s].lanes.front()].empty()) continue;  // on the lane for computing
      for (std::size_t n = 0; n < given_.samples; ++n) place(s, n);
    }
    return std::move(result_);
  }

 private:
  const PieceSteps& piece_of(const Task& task) const { return steps_.of[steps_[task.step].piece]; }

  void place(StepId step, std::size_t sample) {
    if (step.valid()) result_.order[steps_[step].lane(sample)].push_back({step, static_cast<std::uint32_t>(sample)});
  }

  // For what one lane computes.
  void add_transfers(const std::vector<Task>& computed) {
    std::vector<Task> tasks;  // without exchanges of weights
    for (const Task& task : computed) {
      if (task.step == piece_of(task).compute) tasks.push_back(task);
    }
    bool is_in = false;  // this task has been read for
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (!is_in) place(piece_of(tasks[i]).in, tasks[i].sample);
      is_in = i + 1 < tasks.size() && ahead_ && may_read_before(tasks[i + 1], tasks[i]);
      if (is_in) place(piece_of(tasks[i + 1]).in, tasks[i + 1].sample);
      place(piece_of(tasks[i]).out, tasks[i].sample);
    }
  }

  bool may_read_before(const Task& next, const Task& current) const {
    if (next.sample == current.sample || steps_[current.step].backward) return false;
    for (const Program::Earlier& earlier : given_.earlier[piece_of(next).first()]) {
      if (earlier.step == piece_of(current).last() && earlier.samples_back + current.sample == next.sample)
        return false;
    }
    return true;
  }

  const Steps& steps_;
  const Program& given_;
  const bool ahead_;
  Program result_;
};

// Infinite where the program waits for itself.
double end_of(const Steps& steps, const Program& program) {
  const std::optional<Timing> timing = try_program(steps, program);
  if (!timing) return std::numeric_limits<double>::infinity();
  double end = 0;
  for (std::size_t n = 0; n < program.samples; ++n) {
    for (StepId s : steps.steps.all()) end = std::max(end, timing->finish(s, n));
  }
  return end;
}

}  // namespace

void order_transfers(const Steps& steps, bool ahead, Program& program) {
  Program one_by_one = TransferOrder(steps, program, false).complete();
  if (ahead) {
    Program reading_ahead = TransferOrder(steps, program, true).complete();
    if (end_of(steps, reading_ahead) <= end_of(steps, one_by_one)) one_by_one = std::move(reading_ahead);
  }
  program = std::move(one_by_one);
}

}  // namespace partita::detail
