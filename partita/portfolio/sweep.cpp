// SPDX-License-Identifier: Apache-2.0
// A sweep asks one question on many platforms. Points know things about each other, which saves most of the searches on
// flat parts of the curve and makes up for searches that a limit ended.
//
// More never hurts. Let opt(x) be the best value with so much of the parameter. Then opt(x) >= opt(y) for x < y:
//   - accelerators, hosts: a split of fewer devices is one of more, with the others idle. An idle device costs nothing
//     under any objective, shape or transfer mode; in the memory model 1f1b, samples in flight are counted by devices
//     that hold something; copies stay beside their originals. (Without clusters, devices of a class are alike.)
//   - memory: the limit is all that changes, and a split within the smaller one is within the larger.
//   - bandwidth: transfers and the exchange of weights cost less. Loads are sums and maxima of these and of compute.
//     Latency is the longest path, also with several subgraphs on a device; none of them rises when its terms fall.
// The exception is latency with strict host cores as hosts or bandwidth vary. There, host nodes take cores by a fixed
// rule, list scheduling, and a list schedule can get longer when there are more cores or when tasks are shorter
// [Graham-SIAM'69]. Another is a platform with contention as devices vary: the second device slows the first one down. The
// best split is then not known to get better, and points keep their bounds to themselves.
//
// From this follows, where more never hurts:
//   - the bound of a larger platform holds for every smaller one, and so does the proof that there is no split;
//   - where a smaller platform's split meets the bound of a larger one, within the gap that is asked for, nothing
//     between the two needs a search: that split and that bound are the answer.
// So the ends of the range are searched first, then the middle, and so on into both halves: half of the searches of a
// curve that flattens are not needed, and what there is after Ctrl-C is the whole curve, coarsely.
//
// Splits go both ways between neighbours and always: `check` says for each platform whether the split is legal and what
// it costs there. Upwards it is legal whenever more never hurts; downwards it may be, where it leaves devices idle or
// memory free, and with another bandwidth it is.
//
// Every result is settled like any other plan's: `optimal` where value and bound meet and `check` has recomputed the
// value. Two points that contradict each other, a split below a larger platform's bound, are a bug, and thrown as one.
// Tests: tests/portfolio/sweep_test.cpp.
#include "partita/portfolio/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "partita/check/claims.h"
#include "partita/model/made_sound.h"
#include "partita/portfolio/best_so_far.h"
#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/portfolio/sweep_verdict.h"
#include "partita/portfolio/vary.h"
#include "partita/util/error.h"

namespace partita {

using namespace detail;

namespace {

std::size_t devices_used(const CheckReport& report) {
  return static_cast<std::size_t>(
      std::ranges::count_if(report.devices, [](const DeviceReport& device) { return device.original.valid(); }));
}

class SweepRun {
 public:
  SweepRun(const Problem& problem, SweepParameter parameter, const std::vector<double>& values,
           const SweepOptions& options, Budget& budget, const SweepWatcher& watcher)
      : problem_(problem), parameter_(parameter), options_(options), budget_(budget), watcher_(watcher) {
    for (const double value : values) {
      varied(problem, parameter, value);  // refuses a senseless value before the first search, not after some
      slots_.push_back({value, point_label(parameter, value), {}, false});
    }
  }

  Sweep run() {
    if (never_hurts(problem_, parameter_)) {
      search(0);
      search(slots_.size() - 1);
      search_between(0, slots_.size() - 1);
    } else {
      for (std::size_t i = 0; i < slots_.size(); ++i) search(i);
    }
    exchange_all();
    Sweep sweep{parameter_, {}, std::nullopt, options_.worthwhile, ""};
    for (const Slot& slot : slots_) {
      if (slot.done) sweep.points.push_back(point_of(slot));
    }
    judge(sweep, split_kind(problem_.objective, problem_.shape));
    return sweep;
  }

 private:
  struct Slot {
    double value;
    std::string label;
    Plan plan;
    bool done;
  };

  static SweepPoint point_of(const Slot& slot) {
    const bool split = slot.plan.result.split.has_value();
    return {slot.value, slot.label, slot.plan.result, split ? devices_used(slot.plan.report) : 0};
  }

  Problem problem_at(const Slot& slot) const { return varied(problem_, parameter_, slot.value); }

  void search(std::size_t place) {
    Slot& slot = slots_[place];
    if (slot.done || budget_.exhausted()) return;
    if (watcher_.begins) watcher_.begins(point_of(slot), done_, slots_.size());
    const Problem problem = problem_at(slot);
    Result& result = slot.plan.result;
    if (problem.workload->platform.device_count() == 0) {
      result.status = Status::Infeasible;
      result.proof = "a constraint that no split meets";
      result.reason = "there are no devices";
    } else {
      const double begun = budget_.seconds_used();
      Budget slice(budget_, options_.ticks, options_.seconds);
      slot.plan = answer(problem, options_.plan, slice, watcher_.progress);
      result.seconds = budget_.seconds_used() - begun;
    }
    result.seed = options_.plan.seed;
    end(place);
  }

  void end(std::size_t place) {
    slots_[place].done = true;
    ++done_;
    for (std::size_t below = place; below-- > 0;) {
      if (!slots_[below].done) continue;
      exchange(slots_[below], slots_[place]);
      break;
    }
    for (std::size_t above = place + 1; above < slots_.size(); ++above) {
      if (!slots_[above].done) continue;
      exchange(slots_[place], slots_[above]);
      break;
    }
    if (watcher_.ended) watcher_.ended(point_of(slots_[place]), done_, slots_.size());
  }

  // The points between two that have been searched.
  void search_between(std::size_t low, std::size_t high) {
    if (high - low < 2 || budget_.exhausted()) return;
    if (settled_by(slots_[low], slots_[high])) {
      for (std::size_t place = low + 1; place < high; ++place) {
        slots_[place].plan.result.seed = options_.plan.seed;
        end(place);
      }
      return;
    }
    const std::size_t middle = low + (high - low) / 2;
    search(middle);
    search_between(low, middle);
    search_between(middle, high);
  }

  // Whether what two points have is the answer to every one between.
  bool settled_by(const Slot& low, const Slot& high) const {
    const Result &smaller = low.plan.result, &larger = high.plan.result;
    if (larger.status == Status::Infeasible) return true;
    return smaller.split && smaller.value - larger.bound <= std::max(options_.plan.gap, kClosedGap) * smaller.value;
  }

  // All that two points with none between them can tell each other.
  void exchange(Slot& low, Slot& high) {
    if (never_hurts(problem_, parameter_)) settle_contradiction(low, high);
    offer(low, high);
    offer(high, low);
    if (never_hurts(problem_, parameter_)) hand_down(high, low);
  }

  // What comes from further away than the next point.
  void exchange_all() {
    std::vector<Slot*> done;
    for (Slot& slot : slots_) {
      if (slot.done) done.push_back(&slot);
    }
    for (std::size_t i = 1; i < done.size(); ++i) exchange(*done[i - 1], *done[i]);
    for (std::size_t i = done.size(); i-- > 1;) exchange(*done[i - 1], *done[i]);
  }

  // Where transfers cost the same, so does a split, and only a better one is worth measuring.
  void offer(const Slot& from, Slot& to) {
    const std::optional<Split>& split = from.plan.result.split;
    Result& result = to.plan.result;
    if (!split || result.status == Status::Infeasible || result.status == Status::Optimal) return;
    if (parameter_ != SweepParameter::Bandwidth && from.plan.result.value >= result.value) return;
    const Problem problem = problem_at(to);
    std::optional<Split> there = moved(problem_at(from).workload->platform, *split, problem.workload->platform);
    if (!there) return;
    BestSoFar best(problem, options_.plan, budget_, silence_, to.plan);
    if (!best.offer(std::move(*there))) return;
    if (result.proof.empty()) best.raise_bound(result.bound, "loads are not negative");
    result.reason.clear();
    best.settle();
  }

  void hand_down(const Slot& high, Slot& low) {
    const Result& larger = high.plan.result;
    Result& smaller = low.plan.result;
    if (smaller.status == Status::Infeasible || smaller.status == Status::Optimal) return;
    const Problem problem = problem_at(low);
    BestSoFar best(problem, options_.plan, budget_, silence_, low.plan);
    const std::string source = point_name(parameter_, high.value);
    if (larger.status == Status::Infeasible) {
      best.no_split_exists(fmt::format("not even with {}: {}", source, larger.proof),
                           fmt::format("not even with {}: {}", source, larger.reason));
    } else if (larger.bound > smaller.bound) {
      best.raise_bound(larger.bound, fmt::format("the bound with {}: {}", source, larger.proof), larger.unverified);
      best.settle();
    }
  }

  // A foreign solver's bound gives way; anything else is our bug.
  void settle_contradiction(const Slot& low, Slot& high) const {
    const Result& smaller = low.plan.result;
    Result& larger = high.plan.result;
    if (!smaller.split) return;
    if (larger.status != Status::Infeasible && smaller.value >= larger.bound * (1 - kOptimalGap)) return;
    if (larger.unverified) return withdraw_claim(larger);
    throw std::logic_error(fmt::format("{} has a split of value {}, which was proved impossible with {}: {}",
                                       point_name(parameter_, low.value), smaller.value,
                                       point_name(parameter_, high.value), larger.proof));
  }

  const Problem& problem_;
  const SweepParameter parameter_;
  const SweepOptions& options_;
  Budget& budget_;
  const SweepWatcher& watcher_;
  const Sink silence_;
  std::vector<Slot> slots_;
  std::size_t done_ = 0;
};

}  // namespace

Sweep sweep(const Problem& problem, SweepParameter parameter, std::vector<double> values, const SweepOptions& options,
            Budget& budget, const SweepWatcher& watcher) {
  const Problem sound = made_sound(problem);
  require_variable(sound, parameter);
  if (!sound.wishes.empty()) {
    throw InputError(
        ErrorKind::Unsupported, "Problem::wishes",
        "a sweep changes the devices that wishes speak of; leave the wishes out, or plan platform by platform");
  }
  if (values.empty()) throw InputError(ErrorKind::Usage, "sweep", "there are no values; expected at least one");
  std::ranges::sort(values);
  return SweepRun(sound, parameter, values, options, budget, watcher).run();
}

}  // namespace partita
