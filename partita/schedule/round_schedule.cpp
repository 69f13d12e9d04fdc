// SPDX-License-Identifier: Apache-2.0
#include "partita/schedule/round_schedule.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace partita::detail {
namespace {

// The lane of a full device has no room to spare, but sums that are rounded: slots may overlap by this share of the
// period. The time per sample is then right to about as much.
constexpr double kSlotSlack = 1e-11;

// One lane's time, going round.
class SlotRing {
 public:
  explicit SlotRing(double period = 0) : period_(period), slack_(period * kSlotSlack) {}

  // The earliest start from `ready` on, and takes it; nothing where no gap is long enough. Linear in slots.
  std::optional<double> take_first_fit(double ready, double duration) {
    double place = ready - std::floor(ready / period_) * period_;
    const double shift = ready - place;  // from places on the ring to times
    const std::size_t n = slots_.size();
    if (n == 0) {
      take(place, duration);
      return ready;
    }
    const std::size_t next = behind(place);
    const double before_ends = next > 0 ? slots_[next - 1].end : slots_[n - 1].end - period_;
    if (before_ends > place + slack_) place = before_ends;
    for (std::size_t i = next; i <= next + n; ++i) {
      const double turn = i < n ? 0 : i < 2 * n ? period_ : 2 * period_;  // going on round the ring
      if (place + duration <= slots_[i % n].begin + turn + slack_) {
        take(place, duration);
        return shift + place;
      }
      place = slots_[i % n].end + turn;
    }
    return std::nullopt;
  }

 private:
  struct Slot {
    double begin, end;
  };

  // The first slot that begins behind a place.
  std::size_t behind(double place) const {
    const auto at = std::upper_bound(slots_.begin(), slots_.end(), place,
                                     [](double p, const Slot& slot) { return p < slot.begin; });
    return static_cast<std::size_t>(at - slots_.begin());
  }

  void take(double place, double duration) {
    while (place >= period_) place -= period_;
    slots_.insert(slots_.begin() + static_cast<std::ptrdiff_t>(behind(place)), {place, place + duration});
  }

  double period_, slack_;
  std::vector<Slot> slots_;  // by begin, which is in [0, period)
};

class RoundLayout {
 public:
  RoundLayout(const Steps& steps, const std::vector<StepId>& chosen)
      : steps_(steps),
        chosen_(chosen),
        back_to_back_(steps.lanes.size(), false),
        is_chosen_(steps.steps.size(), false) {
    rounds_.period = busiest_lane(steps, chosen);
    for (StepId s : chosen) is_chosen_[s] = true;
  }

  Rounds lay_out() {
    // Each time round, one more lane is laid back to back.
    while (const std::optional<LaneId> crowded = try_layout()) back_to_back_[*crowded] = true;
    return std::move(rounds_);
  }

 private:
  // Copies do the same in turns, so the lane of the first stands for all of them.
  static LaneId lane_of(const Step& step) { return step.lanes.front(); }
  double lane_period(const Step& step) const { return rounds_.period * static_cast<double>(step.lanes.size()); }

  // The lane on which a step found no slot, if there is one.
  std::optional<LaneId> try_layout() {
    rounds_.start.assign(steps_.steps.size(), 0);
    IdVector<LaneId, SlotRing> rings(steps_.lanes.size());
    IdVector<LaneId, double> filled(steps_.lanes.size(), 0);
    for (StepId s : chosen_) rings[lane_of(steps_[s])] = SlotRing(lane_period(steps_[s]));
    for (StepId s : chosen_) {
      const Step& step = steps_[s];
      const LaneId lane = lane_of(step);
      double ready = 0;
      for (StepId before : step.after) {
        if (is_chosen_[before]) ready = std::max(ready, rounds_.start[before] + steps_[before].duration);
      }
      if (back_to_back_[lane]) {
        rounds_.start[s] = next_at(filled[lane], ready, lane_period(step));
        filled[lane] += step.duration;
        continue;
      }
      const std::optional<double> start = rings[lane].take_first_fit(ready, step.duration);
      if (!start) return lane;
      rounds_.start[s] = *start;
    }
    return std::nullopt;
  }

  // The first time from `ready` on that is at this place of the ring.
  static double next_at(double place, double ready, double period) {
    const double turns = std::ceil((ready - place) / period - kSlotSlack);
    return std::max(ready, place + std::max(turns, 0.0) * period);
  }

  const Steps& steps_;
  const std::vector<StepId>& chosen_;
  IdVector<LaneId, char> back_to_back_;
  IdVector<StepId, char> is_chosen_;
  Rounds rounds_;
};

}  // namespace

Rounds lay_out_rounds(const Steps& steps, const std::vector<StepId>& chosen) {
  return RoundLayout(steps, chosen).lay_out();
}

std::vector<Task> in_rounds(const Rounds& rounds, const std::vector<StepId>& chosen, std::size_t samples) {
  // By round, then by place in the round. Both follow from the start by rounding, which keeps order, so that also in
  // double precision each step comes behind what it waits for.
  struct Place {
    std::size_t round;
    double within;
    StepId step;
  };
  std::vector<Place> places;
  std::size_t last_round = 0;
  for (StepId s : chosen) {
    const double start = rounds.start[s];
    const auto round = static_cast<std::size_t>(std::floor(start / rounds.period));
    places.push_back({round, start - static_cast<double>(round) * rounds.period, s});
    last_round = std::max(last_round, round);
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.within != b.within ? a.within < b.within : a.step < b.step;
  });
  std::vector<Task> tasks;
  tasks.reserve(places.size() * samples);
  for (std::size_t round = 0; round < last_round + samples && !places.empty(); ++round) {
    for (const Place& place : places) {
      if (round >= place.round && round - place.round < samples)
        tasks.push_back({place.step, static_cast<std::uint32_t>(round - place.round)});
    }
  }
  return tasks;
}

Program pipeline_program(const Steps& steps, std::size_t samples) {
  const std::vector<StepId> all = all_steps(steps);
  const Rounds rounds = lay_out_rounds(steps, all);
  Program program;
  program.samples = samples;
  program.order.resize(steps.lanes.size());
  append(program, steps, in_rounds(rounds, all, samples));
  for (std::size_t n = 0; n < samples; ++n) program.release.push_back(static_cast<double>(n) * rounds.period);
  return program;
}

}  // namespace partita::detail
