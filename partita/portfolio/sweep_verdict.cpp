// SPDX-License-Identifier: Apache-2.0
// Where more stops paying, in a sentence. That a point is enough is proved where even the bounds of the later points
// leave no more than a worthwhile gain over its split; else it is what the searches found.
#include "partita/portfolio/sweep_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "partita/check/names.h"
#include "partita/portfolio/vary.h"

namespace partita::detail {
namespace {

std::string subject(const Sweep& sweep, std::size_t point) {
  return point_name(sweep.parameter, sweep.points[point].parameter);
}

bool plural(const Sweep& sweep, std::size_t point) {
  return counts_devices(sweep.parameter) && sweep.points[point].parameter != 1;
}

// The most that a later point gains over this one: found, and at best possible.
struct LaterGain {
  double found = 0;
  double possible = 0;
  bool unverified = false;  // what is possible rests on a foreign solver's word
};

LaterGain later_gain(const Sweep& sweep, std::size_t point) {
  const double here = sweep.points[point].result.value;
  LaterGain gain;
  for (std::size_t later = point + 1; later < sweep.points.size(); ++later) {
    const Result& result = sweep.points[later].result;
    if (result.split) gain.found = std::max(gain.found, Sweep::gain(here, result.value));
    if (result.status == Status::Infeasible) continue;
    gain.possible = std::max(gain.possible, Sweep::gain(here, result.bound));
    gain.unverified = gain.unverified || result.unverified;
  }
  // What counts as optimal is no gain: the rest is rounding.
  if (gain.possible <= 2 * kOptimalGap) gain.possible = 0;
  if (gain.found <= 2 * kOptimalGap) gain.found = 0;
  return gain;
}

std::string enough_text(const Sweep& sweep, std::size_t enough, const std::string& splits) {
  const LaterGain gain = later_gain(sweep, enough);
  const std::size_t last = sweep.points.size() - 1;
  const double more = sweep.points[last].parameter - sweep.points[enough].parameter;
  const std::string others =
      counts_devices(sweep.parameter) ? fmt::format("{} more", more) : "up to " + sweep.points[last].label;
  const bool several = counts_devices(sweep.parameter) && more != 1;
  const std::string gains = gain.found == 0
                                ? fmt::format("{} gain{} nothing", others, several ? "" : "s")
                                : fmt::format("{} gain{} {}", others, several ? "" : "s", percent_text(gain.found));
  const bool are = plural(sweep, enough);
  if (gain.possible > sweep.worthwhile) {
    const std::string room = std::isfinite(gain.possible)
                                 ? fmt::format("the bounds leave room for {}", percent_text(gain.possible))
                                 : "there is no bound on what they could gain";
    return fmt::format("{} seem{} enough: {} as far as was found, but {}", subject(sweep, enough), are ? "" : "s",
                       gains, room);
  }
  const std::string proof = gain.possible == 0
                                ? fmt::format("and no {} could gain anything", splits)
                                : fmt::format("and no {} could gain more than {}", splits, percent_text(gain.possible));
  return fmt::format("{} {} enough: {}, {}{}", subject(sweep, enough), are ? "are" : "is", gains, proof,
                     gain.unverified ? " (claimed by a foreign solver, not verified)" : "");
}

// The last point is the only one that none beats.
std::string still_pays_text(const Sweep& sweep) {
  const std::size_t last = sweep.points.size() - 1;
  const std::optional<double> gain = sweep.step_gain(last);
  const bool several = plural(sweep, last);
  const std::string how =
      gain ? fmt::format("gain{} {} over {}", several ? "" : "s", percent_text(*gain), sweep.points[last - 1].label)
           : fmt::format("{} the first with a split", several ? "are" : "is");
  return fmt::format("more may pay: {} {}, and nothing beyond was tried", subject(sweep, last), how);
}

}  // namespace

void judge(Sweep& sweep, const std::string& splits) {
  sweep.enough.reset();
  const auto& points = sweep.points;
  if (points.empty()) {
    sweep.verdict = "no point was searched";
    return;
  }
  const auto has_split = [](const SweepPoint& point) { return point.result.split.has_value(); };
  if (std::ranges::none_of(points, has_split)) {
    sweep.verdict = fmt::format("no split at any point; with {}: {}", subject(sweep, points.size() - 1),
                                points.back().result.reason);
    return;
  }
  if (points.size() == 1) {
    sweep.verdict = "one point tells nothing about more or less of it";
    return;
  }
  for (std::size_t i = 0; i + 1 < points.size() && !sweep.enough; ++i) {
    if (has_split(points[i]) && later_gain(sweep, i).found <= sweep.worthwhile) sweep.enough = i;
  }
  sweep.verdict = sweep.enough ? enough_text(sweep, *sweep.enough, splits) : still_pays_text(sweep);
}

}  // namespace partita::detail
