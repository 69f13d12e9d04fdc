// SPDX-License-Identifier: Apache-2.0
#include "partita/schedule/remark.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "partita/schedule/measure.h"
#include "partita/schedule/one_f_one_b.h"

namespace partita {
namespace {

bool same(double time, double formula) { return std::abs(time - formula) <= kSameTime * std::abs(formula); }

// "12.5 per sample is 2.5 (25%) above the formula's 10".
std::string difference(double time, double formula) {
  const double by = time - formula;
  const std::string share = formula > 0 ? fmt::format(" ({:.3g}%)", 100 * std::abs(by) / formula) : "";
  return fmt::format("{:.6g} per sample is {:.3g}{} {} the formula's {:.6g}", time, std::abs(by), share,
                     by > 0 ? "above" : "below", formula);
}

std::string not_steady(const Simulation& simulation) {
  return fmt::format(
      "{} samples are too few for a steady state: the time per sample is the whole time divided by the samples, with "
      "filling and draining",
      simulation.samples);
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

struct Probe {
  std::size_t extra = 0;
  double time = 0;
};

// The first number of further samples in flight that keeps the formula, else the best; of a few numbers up to twice the
// devices, which is as long as a sample can be on its way when transfers run beside computing.
Probe probe_more_in_flight(const Problem& problem, const std::vector<DeviceId>& order, const Pieces& pieces,
                           const Steps& steps, const Simulation& simulation) {
  std::size_t devices = 0;
  for (DeviceId d : order) devices += steps.sharers[d].size();
  const std::size_t samples = 64 + 12 * devices;
  Probe best{0, simulation.time_per_sample};
  for (std::size_t extra = 1; extra <= 2 * devices; extra += 1 + extra / 8) {
    const Program program = one_f_one_b_program(problem, order, pieces, steps, samples, extra);
    Simulation probed;
    probed.devices.resize(simulation.devices.size());
    measure(steps, run_program(steps, program), 0, probed);
    if (probed.steady && probed.time_per_sample < best.time * (1 - kSameTime)) best = {extra, probed.time_per_sample};
    if (best.time <= *simulation.formula * (1 + kSameTime)) break;
  }
  return best;
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
      add(fmt::format("{}: filling and draining the pipeline for every batch of {}, less with more microbatches",
                      difference(time, formula), simulation.microbatches));
    } else {
      add(difference(time, formula) + ": some devices go on to the next batch, or pass, while others are still busy");
    }
  } else if (!simulation.steady) {
    add(not_steady(simulation));
  } else {
    add(difference(time, formula));
    if (time < formula && problem.transfers != TransferMode::Sum) remark += std::string(": ") + kPassesOverlap;
  }
  return remark;
}

std::string one_f_one_b_remark(const Problem& problem, const std::vector<DeviceId>& order, const Pieces& pieces,
                               const Steps& steps, const Simulation& simulation) {
  const double time = simulation.time_per_sample;
  const double formula = *simulation.formula;
  if (same(time, formula)) return "";
  if (!simulation.steady) return not_steady(simulation);
  std::string remark = difference(time, formula) + ": ";
  if (time < formula) return remark + kPassesOverlap;
  if (problem.transfers != TransferMode::Sum) {
    remark += "where transfers run beside computing, a sample is longer on its way than the loads of the stages say";
  } else if (backward_runs_forward(order, pieces, simulation.devices.size())) {
    remark += "the backward pass does not run through the stages in the opposite order";
  } else {
    remark += "the samples in flight are too few, or not a multiple of the devices that share a stage";
  }
  const Probe probe = probe_more_in_flight(problem, order, pieces, steps, simulation);
  if (probe.extra > 0) {
    remark += fmt::format("; with {} more in flight at each device it would be {:.6g}", probe.extra, probe.time);
  } else {
    remark += "; more samples in flight do not help";
  }
  return remark;
}

}  // namespace partita
