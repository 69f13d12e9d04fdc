// SPDX-License-Identifier: Apache-2.0
#include "partita/schedule/one_f_one_b.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "partita/schedule/link_queues.h"
#include "partita/schedule/transfer_order.h"

namespace partita::detail {
namespace {

struct Stage {
  DeviceId device;
  std::size_t sharing = 1;
  std::size_t devices = 1;    // that share this stage or a later one
  std::size_t in_flight = 1;  // samples of each device that go forward before the first goes backward
  PieceId forward;
  std::vector<PieceId> backward;  // one right after the other
};

// What a device reads of the forward pass for its backward nodes only may come from any stage, and there is time.
bool runs_with_backward(const Piece& piece) { return piece.backward || piece.nodes.empty(); }

std::vector<Stage> make_stages(const Problem& problem, const std::vector<DeviceId>& order, const Pieces& pieces,
                               const Steps& steps) {
  std::vector<Stage> stages;
  for (DeviceId d : order) {
    Stage& stage = stages.emplace_back();
    stage.device = d;
    stage.sharing = steps.sharers[d].size();
    for (PieceId p : pieces.pieces.all()) {
      const Piece& piece = pieces.pieces[p];
      if (piece.device != d) continue;
      if (runs_with_backward(piece)) {
        stage.backward.push_back(p);
      } else {
        stage.forward = p;
      }
    }
  }
  const bool limited = problem.memory_model == MemoryModel::OneF1B && problem.microbatches > 0;
  const std::size_t limit =
      limited ? static_cast<std::size_t>(problem.microbatches) : std::numeric_limits<std::size_t>::max();
  std::size_t devices = 0;  // from here to the end
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
    devices += stage->sharing;
    stage->devices = devices;
    stage->in_flight = std::min((devices + stage->sharing - 1) / stage->sharing, limit);
  }
  std::size_t window = std::numeric_limits<std::size_t>::max();  // samples, at the narrowest stage so far
  for (Stage& stage : stages) {
    const std::size_t most = window / stage.sharing + (window % stage.sharing != 0 ? 1 : 0);
    stage.in_flight = std::min(stage.in_flight, most);
    window = std::min(window, stage.in_flight * stage.sharing);
  }
  return stages;
}

class OneF1BProgram {
 public:
  OneF1BProgram(const Steps& steps, std::vector<Stage> stages, std::size_t samples)
      : steps_(steps), stages_(std::move(stages)) {
    program_.samples = samples;
    program_.order.resize(steps.lanes.size());
    program_.gate_of.assign(steps.steps.size(), Program::kNoGate);
    program_.gates.resize(2);
    program_.earlier.resize(steps.steps.size());
  }

  Program make() {
    for (const Stage& stage : stages_) {
      lowered_ = lowered_ || stage.in_flight * stage.sharing < stage.devices;
      limit_in_flight(stage);
      for (std::size_t copy = 0; copy < stage.sharing; ++copy) take_turns(stage, copy);
    }
    const Stage& first = stages_.front();
    const std::size_t turns = (first.devices + first.sharing - 1) / first.sharing;
    const std::size_t on_their_way = turns * first.sharing;
    for (std::size_t n = 0; n < program_.samples; ++n) {
      const auto through = [&](std::size_t at_most) {
        return static_cast<std::uint32_t>(n < at_most ? 0 : n - at_most + 1);
      };
      program_.gates[kOnePass].push_back(through(on_their_way));
      program_.gates[kBothPasses].push_back(through(2 * on_their_way));
    }
    // Steps on shared links have lanes of their own here.
    for (StepId s : steps_.steps.all()) {
      for (std::size_t n = 0; is_link_step(steps_[s]) && n < program_.samples; ++n)
        program_.order[steps_[s].lane(n)].push_back({s, static_cast<std::uint32_t>(n)});
    }
    if (has_lanes_for_transfers()) order_transfers(steps_, !lowered_, program_);
    return std::move(program_);
  }

 private:
  // Of devices with pieces in one pass, and in both.
  static constexpr std::size_t kOnePass = 0, kBothPasses = 1;

  // Whatever of a sample comes first, the sample so many turns earlier must be over.
  void limit_in_flight(const Stage& stage) {
    std::vector<PieceId> pieces = stage.backward;
    if (stage.forward.valid()) pieces.push_back(stage.forward);
    const bool one_pass = stage.backward.empty() || !stage.forward.valid();
    for (PieceId begin : pieces) {
      const StepId first = steps_.of[begin].first();
      program_.gate_of[first] = one_pass ? kOnePass : kBothPasses;
      for (PieceId end : pieces)
        program_.earlier[first].push_back({steps_.of[end].last(), stage.in_flight * stage.sharing});
    }
  }

  bool has_lanes_for_transfers() const {
    return std::any_of(program_.order.begin(), program_.order.end(), [](const auto& tasks) { return tasks.empty(); });
  }

  void take_turns(const Stage& stage, std::size_t copy) {
    const auto run = [&](StepId step, std::size_t turn) {
      const std::size_t sample = copy + turn * stage.sharing;
      if (sample < program_.samples)
        program_.order[steps_[step].lane(sample)].push_back({step, static_cast<std::uint32_t>(sample)});
    };
    // What ends a sample on the lane for computing: the backward pieces and the exchange of weights, unless that has a
    // lane of its own.
    std::vector<StepId> ending;
    for (PieceId p : stage.backward) ending.push_back(steps_.of[p].compute);
    const StepId sync = steps_.sync[stage.device];
    const PieceId some_piece = stage.forward.valid() ? stage.forward : stage.backward.front();
    if (sync.valid() && steps_[sync].lanes == steps_[steps_.of[some_piece].compute].lanes) ending.push_back(sync);

    const std::size_t turns = (program_.samples + stage.sharing - 1) / stage.sharing;
    const std::size_t ahead = stage.backward.empty() ? 1 : stage.in_flight;
    for (std::size_t turn = 0; turn < turns + ahead; ++turn) {
      for (StepId step : ending) {
        if (turn >= ahead) run(step, turn - ahead);
      }
      if (stage.forward.valid()) run(steps_.of[stage.forward].compute, turn);
    }
  }

  const Steps& steps_;
  const std::vector<Stage> stages_;
  bool lowered_ = false;  // some W_i is, by problem.microbatches
  Program program_;
};

}  // namespace

bool one_piece_in_each_pass(const Pieces& pieces) {
  std::set<std::pair<DeviceId, bool>> seen;
  for (const Piece& piece : pieces.pieces) {
    const bool only_reads = !piece.backward && runs_with_backward(piece);
    if (!only_reads && !seen.insert({piece.device, piece.backward}).second) return false;
  }
  return true;
}

Program one_f_one_b_program(const Problem& problem, const std::vector<DeviceId>& order, const Pieces& pieces,
                            const Steps& steps, std::size_t samples) {
  return OneF1BProgram(steps, make_stages(problem, order, pieces, steps), samples).make();
}

}  // namespace partita::detail
