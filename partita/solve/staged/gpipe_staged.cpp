// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/gpipe_staged.h"

#include <algorithm>
#include <mutex>

#include "partita/solve/staged/sets_climber.h"
#include "partita/solve/staged/staged_frame.h"
#include "partita/util/within_limits.h"

namespace partita::detail {
namespace {

// Limits of a pass are looser than they need to be by this share of V, so that what is refuted is refuted exactly, and
// splits of value up to V + kClose V count as found: twice as far from V as loose limits can lead.
constexpr double kLoose = 3e-10, kClose = 2e-9;

class GpipeStagedSolver : StagedFrame<PassGraphs> {
 public:
  GpipeStagedSolver(const PassGraphs& graphs, const StagePlatform& platform, const StagedOptions& options,
                    Budget& budget, const Sink& sink)
      : StagedFrame(graphs, platform, options, budget, sink, 4e-9, 1e-3),
        sets_{SetsClimber(platform, options.settings, options.presolve),
              SetsClimber(platform, options.settings, options.presolve),
              SetsClimber(platform, options.settings, options.presolve)} {}

  StagedOutcome run() {
    within_limits(budget_, [this] { work(); });
    return best_.outcome();
  }

 private:
  void work() {
    ask_plain_solver(plain_slice_);
    if (best_.split() && !done()) {
      refresh_base();
      improve_by_orders(std::min(kFirstOrders, settings().first_orders));
      improve_by_annealing(std::min<std::uint64_t>(kFirstMoves, 1000 * base_->graph.size()));
      if (options_.search && graphs_.both.has_closure()) branch();
    }
  }

  PassQuestion question(double value, double least_forward, double most_forward) const {
    return ask_each_pass(platform_, most_forward + kLoose * value, value - least_forward + kLoose * value, value);
  }
  PassQuestion question_to_beat() const override {
    return question(value_to_beat(), least_[0], value_to_beat() - least_[1]);
  }

  // Both passes together first: its bound is mostly the better one, and if its split meets it, all is said. With several
  // threads the passes do not wait for that.
  void ask_plain_solver(std::uint64_t slice) {
    std::mutex mutex;  // of what is taken
    for_each(budget_, 1 + kPasses, [&](std::size_t i, std::size_t) {
      std::unique_lock lock(mutex);
      if (i > 0 && (best_.outcome().infeasible || done())) return;
      lock.unlock();
      StagedOutcome outcome = i == 0 ? solve_plain(graphs_.both, slice) : solve_plain(graphs_.pass[i - 1], slice / 2);
      lock.lock();
      take(outcome, i);
    });
    raise_bound_by_passes();
  }

  // Of both passes together (0), or of one alone.
  void take(StagedOutcome& outcome, std::size_t i) {
    if (outcome.infeasible) best_.prove_infeasible();
    if (outcome.split) offer(std::move(outcome.split->stages));
    if (i == 0) {
      best_.raise_bound(outcome.bound, "both passes together: no split has a smaller largest load");
    } else {
      least_[i - 1] = std::max(least_[i - 1], outcome.bound);
    }
  }

  void raise_bound_by_passes() {
    best_.raise_bound((least_[0] + least_[1]) * (1 - kRoundingSlack), "each pass alone has no smaller largest load");
  }

  // The configuration LP on one view after the other: its bounds are bounds here as those of the plain solver are. The
  // base has all splits that are better than the best; so a pass must be within what the other one leaves of the value.
  bool climb_by_sets(std::uint64_t ticks) {
    for (std::size_t tried = 0; tried < sets_.size(); ++tried) {
      const std::size_t v = next_sets_++ % sets_.size();
      if (v == 0) {
        if (sets_[v].finished(best_.value(), best_.bound())) continue;
        const double limit = sets_[v].climb(base_->graph.both, best_.value(), best_.bound(), ticks, budget_);
        if (limit > 0) refuted(limit, kBySets);
      } else {
        double& least = least_[v - 1];
        const double most = best_.value() - least_[kPasses - v];
        if (!(most > least) || sets_[v].finished(most, least)) continue;
        const double limit = sets_[v].climb(base_->graph.pass[v - 1], most, least, ticks, budget_);
        least = std::max(least, limit * (1 - kRoundingSlack));
        raise_bound_by_passes();
      }
      return true;
    }
    return false;
  }

  StagedOutcome solve_plain(const StageGraph& graph, std::uint64_t ticks) {
    Budget slice(budget_, ticks);
    return solve_staged(graph, platform_, options_, slice, {});
  }

  // Limits that add up to the best value, so that whatever is found is better; the forward limit runs over all that it
  // may be, from where the best split has it outwards.
  void try_order(const std::vector<GroupId>& order) override {
    for (int step = 0; step < kForwardLimits && !done(); ++step) {
      const double value = value_to_beat();
      const double low = least_[0], high = value - least_[1];
      const double at = std::clamp(pass_value(graphs_, best_.split()->stages).largest[0], low, high);
      const double far = (step + 1) / 2 * 2.0 / kForwardLimits;
      const double forward = step % 2 == 0 ? at + (high - at) * far : at + (low - at) * far;
      if (forward <= 0 || forward >= value) continue;
      std::uint64_t steps = 0;
      const auto split = linear_split(base_->graph, platform_, order, {forward, value - forward},
                                      {.below = 1, .steps = &steps}, budget_);
      budget_.spend(steps / 16);
      if (split) offer_from_base(split->stages);
    }
  }

  std::optional<StagedSplit> any_split_of_base() const override {
    const auto [forward, backward] = pass_value(graphs_, best_.split()->stages).largest;
    const double least = 1e-6 * best_.value();  // a limit has to be positive
    return linear_split(base_->graph, platform_, file_order(base_->graph.both),
                        {std::max(forward, least), std::max(backward, least)}, {}, budget_);
  }

  // Splits whose largest forward load is in [low, high] have a value of at least `bound`.
  struct Interval {
    double low, high, bound;
    double share = 0.5;   // of the way from the bound to the value to beat: where to ask next
    std::uint64_t slice;  // ticks of the next question
  };

  // Always at the interval with the least bound, which is the bound of all; with several threads, also at the next
  // ones.
  void branch() {
    open_.push_back({least_[0], kUnlimited, best_.bound(), 0.5, settings().first_slice});
    const std::uint64_t start = budget_.ticks_used();
    while (!done()) {
      // Where every question is decided, the LP would only take time.
      if (history_.undecided)
        catch_up_by_sets(start, settings().first_slice, [this](std::uint64_t ticks) { return climb_by_sets(ticks); });
      if (done()) return;
      refresh_base();
      drop_closed();
      if (open_.empty()) return refuted(value_to_beat(), kBySearch);
      const auto least = std::min_element(open_.begin(), open_.end(), has_lower_bound);
      refuted(least->bound, kBySearch);
      if (done() || !ask_about_the_next()) return;
    }
  }

  static bool has_lower_bound(const Interval& a, const Interval& b) { return a.bound < b.bound; }

  // What lies at or beyond the value to beat need not be looked at.
  void drop_closed() {
    const double value = value_to_beat();
    std::erase_if(open_, [&](const Interval& i) { return i.bound >= value || i.low + least_[1] > value; });
  }

  // A question about an interval: is there a split of this value or less, with its largest forward load from low to
  // high?
  struct Asked {
    Interval about;
    double value = 0, high = 0;
    ShrunkAnswers known = {};
    SearchHistory history = {};
    LimitAnswer reply = {};

    bool is_empty() const { return about.low > high; }  // a split of this value would have its load elsewhere
  };

  // The intervals with the least bounds, each with one question, side by side. Answers are taken in that order; once
  // one has led to another base, only what is refuted counts, which holds of every base. False if nothing more can come
  // of it.
  bool ask_about_the_next() {
    std::vector<Asked> asked = take_next();
    for_each(budget_, asked.size(), [&](std::size_t i, std::size_t) {
      Asked& one = asked[i];
      if (one.is_empty()) return;
      const LimitOptions options{options_.settings, options_.presolve, &one.history};
      one.reply = ask_limit(base_->graph, question(one.value, one.about.low, one.high), one.about.slice, budget_, log(),
                            options, &one.known);
    });
    known_ = asked[0].known;
    history_ = asked[0].history;
    const double base = base_value_;
    bool more = true;
    for (Asked& one : asked) {
      history_.undecided = history_.undecided || one.history.undecided;
      if (base_value_ != base && one.reply.answer != Answer::No) {
        open_.push_back(one.about);
      } else {
        more = take_answer(one) && more;
      }
    }
    return more;
  }

  std::vector<Asked> take_next() {
    const double target = value_to_beat();
    std::vector<Asked> asked;
    while (asked.size() < threads_of(budget_) && !open_.empty()) {
      const auto least = std::min_element(open_.begin(), open_.end(), has_lower_bound);
      const Interval here = *least;
      open_.erase(least);
      double value = here.bound + (target - here.bound) * here.share;
      if (target - value < kNearlyClosed * target) value = target;
      asked.push_back({here, value, std::min(here.high, value - least_[1]), known_, history_});
    }
    return asked;
  }

  // What is left of the interval is open again.
  bool take_answer(Asked& asked) {
    Interval& here = asked.about;
    const LimitAnswer& reply = asked.reply;
    if (asked.is_empty()) {
      here.bound = asked.value;
      open_.push_back(here);
      return true;
    }
    if (reply.split && reply.answer != Answer::Yes) {
      offer_from_base(reply.split->stages);
      improve_from(*reply.split);
    }
    if (reply.answer == Answer::No) {
      here.bound = asked.value;
      here.share = std::min(1.0, 2 * here.share);
      open_.push_back(here);
    } else if (reply.answer == Answer::Yes) {
      std::vector<Stage> stages = lift_stages(base_->lift, reply.split->stages);
      const PassValue<kPasses> found = pass_value(graphs_, stages);
      offer(std::move(stages));
      here.share = 0.5;
      if (found.sum() > asked.value * (1 + kClose)) {
        divide(here, std::clamp((asked.value - found.largest[1] + found.largest[0]) / 2, here.low, asked.high));
      } else {
        open_.push_back(here);
      }
    } else if (asked.high - here.low > kNarrow * asked.value) {
      divide(here, (here.low + asked.high) / 2);
    } else {
      const bool more = ask_less(here, reply.out_of_memory);
      open_.push_back(here);
      return more;
    }
    return true;
  }

  void divide(Interval here, double cut) {
    Interval right = here;
    right.low = here.high = cut;
    open_.push_back(here);
    open_.push_back(right);
  }

  // The interval is narrow, and the question is still too hard: nearer to the bound it is easier. Once that has been
  // tried, more time may help.
  bool ask_less(Interval& here, bool out_of_memory) {
    here.share /= 2;
    const std::uint64_t moves = here.slice / 2;
    if (here.share < kSmallestShare) {
      if (out_of_memory) return false;  // more time would end the same way
      here.share = 0.5;
      here.slice *= 3;
      plain_slice_ *= 3;
      ask_plain_solver(plain_slice_);
    }
    improve_by_orders(std::min(kOrdersPerFailure, settings().orders_per_failure));
    improve_by_annealing(moves);
    return true;
  }

  static constexpr std::uint64_t kFirstPlainSlice = 3'000'000, kFirstMoves = 400'000;
  static constexpr double kNarrow = 0.002;
  static constexpr int kFirstOrders = 6, kOrdersPerFailure = 2, kForwardLimits = 9;

  std::array<double, kPasses> least_{};  // proved: no better split has a smaller largest load of the pass
  std::array<SetsClimber, kViewsOf<PassGraphs>> sets_;  // by view
  std::size_t next_sets_ = 0;
  std::vector<Interval> open_;
  std::uint64_t plain_slice_ = kFirstPlainSlice;
};

}  // namespace

StagedOutcome solve_staged_gpipe(const PassGraphs& graphs, const StagePlatform& platform, const StagedOptions& options,
                                 Budget& budget, const Sink& sink) {
  Budget own(budget, budget.limits().ticks);
  return GpipeStagedSolver(graphs, platform, options, own, sink).run();
}

}  // namespace partita::detail
