// SPDX-License-Identifier: Apache-2.0
#include "partita/schedule/remark.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "partita/check/names.h"
#include "partita/check/times.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

bool same(double time, double formula) { return std::abs(time - formula) <= kSameTime * std::abs(formula); }

// "12.5 ms per sample is 2.5 ms (25%) above the formula's 10 ms".
std::string difference(const Problem& problem, double time, double formula) {
  const std::string& unit = problem.workload->time_unit;
  const double by = time - formula;
  const std::string share = formula > 0 ? fmt::format(" ({:.3g}%)", 100 * std::abs(by) / formula) : "";
  return fmt::format("{} per sample is {:.3g}{}{} {} the formula's {}", time_text(time, unit), std::abs(by),
                     unit.empty() ? "" : " " + visible(unit), share, by > 0 ? "above" : "below",
                     time_text(formula, unit));
}

// There is a formula to compare with.
std::string not_steady(const Problem& problem, const Simulation& simulation) {
  const auto time = [&](double value) { return time_text(value, problem.workload->time_unit); };
  return fmt::format(
      "{} too few for a steady state: {} per sample is the whole time divided by the samples, with filling and "
      "draining; run more of them to compare it with the formula's {}",
      counted(simulation.samples, "sample is", "samples are"), time(simulation.time_per_sample),
      time(*simulation.formula));
}

// Why batches take more than the formula says, and what makes it less.
std::string filling_and_draining(const Simulation& simulation) {
  if (simulation.samples <= simulation.microbatches) {
    return fmt::format("filling and draining the pipeline for one batch of {}, less with more samples in it",
                       simulation.samples);
  }
  return fmt::format("filling and draining the pipeline for every batch of {}, less with more microbatches",
                     simulation.microbatches);
}

constexpr const char* kPassesOverlap =
    "transfers of one pass run beside computing of the other, and the formula lets them overlap within a pass only";

// Some backward piece waits for one of an earlier stage.
bool backward_runs_forward(const std::vector<DeviceId>& order, const Pieces& pieces, std::size_t device_count) {
  IdVector<DeviceId, std::size_t> place(device_count, 0);
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  for (const Piece& piece : pieces.pieces) {
    for (PieceId q : piece.after) {
      const Piece& before = pieces.pieces[q];
      if (piece.backward && before.backward && place[before.device] < place[piece.device]) return true;
    }
  }
  return false;
}

// At the device that has most of them.
std::size_t most_in_flight(const Simulation& simulation) {
  std::size_t most = 0;
  for (const DeviceUse& use : simulation.devices) most = std::max(most, use.most_in_flight);
  return most;
}

}  // namespace

std::string remark_on(const Problem& problem, const Simulation& simulation) {
  std::string remark;
  if (simulation.kind == ScheduleKind::OneF1B)
    remark = "not every device has one piece in each pass, so samples go round by round, as in a pipeline";
  const auto add = [&](const std::string& text) { remark += (remark.empty() ? "" : "; ") + text; };
  if (!simulation.formula || same(simulation.time_per_sample, *simulation.formula)) return remark;
  const double time = simulation.time_per_sample;
  const double formula = *simulation.formula;
  if (simulation.kind == ScheduleKind::GPipe) {
    if (time > formula) {
      add(difference(problem, time, formula) + ": " + filling_and_draining(simulation));
    } else {
      add(difference(problem, time, formula) +
          ": some devices go on to the next batch, or pass, while others are still busy");
    }
  } else if (!simulation.steady) {
    add(not_steady(problem, simulation));
  } else {
    add(difference(problem, time, formula));
    if (time < formula && problem.transfers != TransferMode::Sum) remark += std::string(": ") + kPassesOverlap;
  }
  return remark;
}

std::string one_f_one_b_remark(const Problem& problem, const std::vector<DeviceId>& order, const Simulation& simulation,
                               const std::function<Simulation()>& round_by_round) {
  const double time = simulation.time_per_sample;
  const double formula = *simulation.formula;
  if (same(time, formula)) return "";
  if (!simulation.steady) return not_steady(problem, simulation);
  std::string remark = difference(problem, time, formula) + ": ";
  if (time < formula) return remark + kPassesOverlap;
  const bool has_links = std::ranges::any_of(simulation.lanes, [](const Lane& lane) { return !lane.device.valid(); });
  if (has_links) {
    remark += "with what moves over shared links, a sample is longer on its way than the loads of the stages say";
  } else if (problem.transfers != TransferMode::Sum) {
    remark += "where transfers run beside computing, a sample is longer on its way than the loads of the stages say";
  } else if (backward_runs_forward(order, simulation.pieces, simulation.devices.size())) {
    remark += "the backward pass does not run through the stages in the opposite order";
  } else {
    remark += "the samples in flight are too few, or not a multiple of the devices that share a stage";
  }
  const Simulation rounds = round_by_round();
  return remark + fmt::format("; round by round (pipeline) it is {}, with up to {} in flight at a device, here {}",
                              time_text(rounds.time_per_sample, problem.workload->time_unit),
                              counted(most_in_flight(rounds), "sample"), most_in_flight(simulation));
}

}  // namespace partita::detail
