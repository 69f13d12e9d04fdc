// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/gpipe/gpipe_staged.h"

#include <algorithm>
#include <cmath>

#include "partita/reduce/pass_presolve.h"
#include "partita/solve/shared/incumbent.h"
#include "partita/solve/staged/gpipe/pass_anneal.h"
#include "partita/solve/staged/gpipe/pass_linear.h"
#include "partita/solve/staged/gpipe/pass_loads.h"
#include "partita/solve/staged/gpipe/pass_question.h"
#include "partita/util/within_limits.h"

namespace partita {
namespace {

// A split is worth finding if it is better by more than this; refuting it closes the gap as far as anybody asks.
constexpr double kImprovement = 4e-9;
// Limits of a pass are looser than they need to be by this share of V, so that what is refuted is refuted exactly, and
// splits of value up to V + kClose V count as found: twice as far from V as loose limits can lead.
constexpr double kLoose = 3e-10, kClose = 2e-9;

class GpipeStagedSolver {
 public:
  GpipeStagedSolver(const PassGraphs& graphs, const StagePlatform& platform, const StagedOptions& options,
                    Budget& budget, const Sink& sink)
      : graphs_(graphs),
        platform_(platform),
        options_(options),
        budget_(budget),
        best_(budget, sink),
        rng_(options.seed) {}

  StagedOutcome run() {
    within_limits(budget_, [this] { work(); });
    return best_.outcome();
  }

 private:
  void work() {
    ask_plain_solver(plain_slice_);
    if (best_.split() && !done()) {
      improve_by_orders(kFirstOrders);
      improve_by_annealing(std::min<std::uint64_t>(kFirstMoves, 1000 * graphs_.size()));
      if (options_.search && graphs_.both.has_closure()) branch();
    }
  }

  bool done() const { return best_.closed(std::max(options_.gap, 2 * kImprovement)) || budget_.exhausted(); }
  double value_to_beat() const { return best_.value() * (1 - kImprovement); }

  void offer(std::vector<Stage> stages) {
    std::erase_if(stages, [](const Stage& stage) { return stage.groups.empty(); });
    const double value = pass_value(graphs_, stages).sum();
    best_.offer({value, std::move(stages)});
  }

  // Both passes together first: its bound is mostly the better one, and if its split meets it, all is said.
  void ask_plain_solver(std::uint64_t slice) {
    StagedOutcome both = solve_plain(graphs_.both, slice);
    if (both.infeasible) best_.prove_infeasible();
    if (both.split) offer(std::move(both.split->stages));
    best_.raise_bound(both.bound, "both passes together: no split has a smaller largest load");
    for (std::size_t p = 0; p < kPasses && !best_.outcome().infeasible && !done(); ++p) {
      StagedOutcome alone = solve_plain(graphs_.pass[p], slice / 2);
      if (alone.infeasible) best_.prove_infeasible();
      if (alone.split) offer(std::move(alone.split->stages));
      least_[p] = std::max(least_[p], alone.bound);
    }
    best_.raise_bound((least_[0] + least_[1]) * (1 - kRoundingSlack), "each pass alone has no smaller largest load");
  }

  StagedOutcome solve_plain(const StageGraph& graph, std::uint64_t ticks) {
    Budget slice(budget_, ticks);
    return solve_staged(graph, platform_, options_, slice, {});
  }

  // Limits that add up to the best value, so that whatever is found is better; the forward limit runs over all that it
  // may be, from where the best split has it outwards.
  void improve_by_orders(int count) {
    for (int i = 0; i < count && !done(); ++i) {
      const std::vector<GroupId> order = next_order();
      for (int step = 0; step < kForwardLimits && !done(); ++step) {
        const double value = value_to_beat();
        const double low = least_[0], high = value - least_[1];
        const double at = std::clamp(pass_value(graphs_, best_.split()->stages).forward, low, high);
        const double far = (step + 1) / 2 * 2.0 / kForwardLimits;
        const double forward = step % 2 == 0 ? at + (high - at) * far : at + (low - at) * far;
        if (forward <= 0 || forward >= value) continue;
        if (auto stages = linear_pass_split(graphs_, platform_, order, forward, value - forward, budget_))
          offer(std::move(*stages));
      }
      budget_.spend(graphs_.size());
    }
  }

  std::vector<GroupId> next_order() {
    const int kind = orders_tried_++;
    if (kind == 0) return file_order(graphs_.both);
    if (kind == 1) return depth_first_order(graphs_.both);
    const double spread = std::uniform_real_distribution<double>(0.002, 0.3)(rng_);
    if (kind % 4 == 3) return depth_first_order(graphs_.both, &rng_);
    return jittered_order(graphs_.both, static_cast<double>(graphs_.size()) * spread, rng_);
  }

  void improve_by_annealing(std::uint64_t moves) {
    if (done()) return;
    const PassView view{{&graphs_.pass[0], &graphs_.pass[1]}, &graphs_.both};
    PassAnnealOptions options;
    options.moves = moves;
    options.hot = 0.002 * std::pow(15, std::uniform_real_distribution<double>(0, 1)(rng_));
    options.cold = options.hot / 100;
    const PassRow start = row_of(graphs_.size(), platform_, best_.split()->stages, rng_);
    if (const auto better = anneal_passes(view, platform_, start, options, rng_, budget_)) offer(stages_of(*better));
  }

  // Splits whose largest forward load is in [low, high] have a value of at least `bound`.
  struct Interval {
    double low, high, bound;
    double share = 0.5;  // of the way from the bound to the value to beat: where to ask next
    std::uint64_t slice = kFirstSlice;
  };

  // Always at the interval with the least bound, which is the bound of all.
  void branch() {
    open_.push_back({least_[0], kUnlimited, best_.bound()});
    while (!done()) {
      refresh_base();
      drop_closed();
      if (open_.empty()) return refuted(value_to_beat());
      const auto least = std::min_element(open_.begin(), open_.end(),
                                          [](const Interval& a, const Interval& b) { return a.bound < b.bound; });
      refuted(least->bound);
      if (done() || !ask_about(*least)) return;
    }
  }

  // What lies at or beyond the value to beat need not be looked at.
  void drop_closed() {
    const double value = value_to_beat();
    std::erase_if(open_, [&](const Interval& i) { return i.bound >= value || i.low + least_[1] > value; });
  }

  // One question about one interval. False if nothing more can come of it.
  bool ask_about(Interval& here) {
    const double target = value_to_beat();
    double value = here.bound + (target - here.bound) * here.share;
    if (target - value < kNearlyClosed * target) value = target;
    const double high = std::min(here.high, value - least_[1]);
    if (here.low > high) {  // a split of this value would have its largest forward load elsewhere
      here.bound = value;
      return true;
    }
    const PassAnswer reply =
        ask_passes(base_->graphs, platform_, limits(value, here.low, high), here.slice, budget_, log());
    if (reply.answer == Answer::No) {
      here.bound = value;
      here.share = std::min(1.0, 2 * here.share);
    } else if (reply.answer == Answer::Yes) {
      std::vector<Stage> stages = lift_stages(base_->lift, reply.stages);
      const PassValue found = pass_value(graphs_, stages);
      offer(std::move(stages));
      here.share = 0.5;
      if (found.sum() > value * (1 + kClose))
        divide(here, std::clamp((value - found.backward + found.forward) / 2, here.low, high));
    } else if (high - here.low > kNarrow * value) {
      divide(here, (here.low + high) / 2);
    } else {
      return ask_less(here, reply.out_of_memory);
    }
    return true;
  }

  void divide(Interval& here, double cut) {
    Interval right = here;
    right.low = here.high = cut;
    open_.push_back(right);  // `here` may dangle from now on
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
    improve_by_orders(kOrdersPerFailure);
    improve_by_annealing(moves);
    return true;
  }

  PassLimits limits(double value, double least_forward, double most_forward) const {
    return {most_forward + kLoose * value, value - least_forward + kLoose * value, value};
  }

  // The graphs presolved for everything below the best value, which holds below every smaller one too.
  void refresh_base() {
    if (base_ && best_.value() > base_value_ * (1 - kWorthPresolving)) return;
    base_value_ = best_.value();
    const double value = value_to_beat();
    const PassLimits most = limits(value, least_[0], value - least_[1]);
    const PassQuestion question{{platform_, most.both},
                                {Threshold{platform_, most.forward}, Threshold{platform_, most.backward}}};
    PassPresolved base = presolve_passes(base_ ? base_->graphs : graphs_, question, budget_);
    if (base_) base.lift = compose(base_->lift, base.lift);
    base_ = std::move(base);
    best_.tell(Progress::Event::Reduced, base_->graphs.size(), "presolved for each pass");
    if (base_->infeasible) refuted(value);
  }

  void refuted(double value) {
    best_.raise_bound(value * (1 - kRoundingSlack), "exhaustive search: no chain of ideals fits below the bound");
  }

  PassLog log() const {
    return
        [this](std::size_t groups, const std::string& text) { best_.tell(Progress::Event::Searching, groups, text); };
  }

  static constexpr std::uint64_t kFirstSlice = 4'000'000, kFirstPlainSlice = 2'000'000, kFirstMoves = 400'000;
  static constexpr double kNearlyClosed = 1e-4, kSmallestShare = 0.06, kNarrow = 0.002, kWorthPresolving = 1e-3;
  static constexpr int kFirstOrders = 6, kOrdersPerFailure = 2, kForwardLimits = 9;

  const PassGraphs& graphs_;
  const StagePlatform& platform_;
  const StagedOptions& options_;
  Budget& budget_;
  Incumbent<StagedSplit> best_;
  Rng rng_;
  std::array<double, kPasses> least_{};  // proved: no split has a smaller largest load of the pass
  std::optional<PassPresolved> base_;
  double base_value_ = 0;
  std::vector<Interval> open_;
  int orders_tried_ = 0;
  std::uint64_t plain_slice_ = kFirstPlainSlice;
};

}  // namespace

StagedOutcome solve_staged_gpipe(const PassGraphs& graphs, const StagePlatform& platform, const StagedOptions& options,
                                 Budget& budget, const Sink& sink) {
  return GpipeStagedSolver(graphs, platform, options, budget, sink).run();
}

}  // namespace partita
