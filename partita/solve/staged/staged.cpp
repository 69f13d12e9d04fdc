// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/staged.h"

#include <algorithm>
#include <memory>
#include <mutex>

#include "partita/solve/staged/coarse_splits.h"
#include "partita/solve/staged/limit_tree.h"
#include "partita/solve/staged/sets_climber.h"
#include "partita/solve/staged/staged_frame.h"
#include "partita/solve/staged/two_orders.h"
#include "partita/solve/staged/window_search.h"
#include "partita/util/parallel.h"
#include "partita/util/within_limits.h"

namespace partita::detail {
namespace {

class StagedSolver : StagedFrame<StageGraph> {
 public:
  StagedSolver(const StageGraph& graph, const StagePlatform& platform, const StagedOptions& options, Budget& budget,
               const Sink& sink)
      : StagedFrame(graph, platform, options, budget, sink, 1e-9, 0),
        coarse_rng_(options.seed),
        sets_(platform, options.settings, options.presolve) {}

  StagedOutcome run() {
    within_limits(budget_, [this] { work(); });
    return best_.outcome();
  }

 private:
  void work() {
    find_first_splits();
    raise_simple_bounds();
    if (!best_.split()) look_for_any_split();
    if (best_.split() && !done()) {
      refresh_base();
      improve_by_orders(options_.search ? settings().first_orders : kLinearOrders);
      if (!options_.search) return bisect_by_relaxation(std::min(settings().bisections, kLinearBisections), false);
      // While every limit is refuted, splits are good enough. The further from that, the more it is worth to look for
      // better ones before more limits are tried.
      bisect_by_relaxation(settings().bisections, true);
      if (base_->graph.has_closure()) has_threads() ? climb_side_by_side() : ask_at_once_alone();
      if (!done()) improve_at_first();
      climb();
    }
  }

  void improve_at_first() {
    if (std::exchange(improved_at_first_, true)) return;
    const double gap = 1 - best_.bound() / best_.value();
    improve_by_two_orders(settings().first_slice / 8);
    anneal_at_first();
    if (!best_.closed(kOpenForCoarse)) improve_by_coarse_graphs(settings().first_slice);
    improve_by_windows(settings().first_slice / 40, share_of(settings().first_slice, std::min(gap, 0.25)));
    bisect_by_relaxation(settings().bisections, false);
  }

  static std::uint64_t share_of(std::uint64_t ticks, double share) {
    return static_cast<std::uint64_t>(static_cast<double>(ticks) * share);
  }
  Threshold question(double limit) const { return {platform_, limit}; }
  Threshold question_to_beat() const override { return question(value_to_beat()); }

  void try_order(const std::vector<GroupId>& order) override {
    if (const auto split = linear_split(base_->graph, platform_, order, {best_.value()}, budget_))
      offer_from_base(split->stages);
  }

  std::optional<StagedSplit> any_split_of_base() const override {
    return linear_split(base_->graph, platform_, file_order(base_->graph), {}, budget_);
  }

  void try_order_of_graph(const std::vector<GroupId>& order, std::size_t stride = 1) {
    Technique linear(budget_, "staged.linear", "better splits");
    if (auto split = linear_split(graphs_, platform_, order, {best_.value(), stride}, budget_))
      linear.yield(best_.offer(std::move(*split)));
  }

  // On large graphs a coarse pass first: every later scan is cut off by the value it finds.
  void find_first_splits() {
    const std::vector<GroupId> order = file_order(graphs_);
    if (graphs_.size() > kLargeGraph) try_order_of_graph(order, graphs_.size() / 500);
    try_order_of_graph(order);
    try_order_of_graph(depth_first_order(graphs_));
    try_order_of_graph(late_order(graphs_));
  }

  void raise_simple_bounds() {
    double bound = 0, light = 0;
    for (GroupId v : graphs_.all()) {
      const Group& g = graphs_.group(v);
      double least = best_.value();
      if (question(least).fits_accelerator(g)) least = std::min(least, g.accelerator_time);
      if (question(least).fits_host(g)) least = std::min(least, g.host_time);
      if (least < kUnlimited) {
        bound = std::max(bound, least);
        light += least;
      }
    }
    bound = std::max(bound, light / (platform_.accelerators + platform_.hosts));
    refuted(bound, "some device carries at least the average");
  }

  // Memory binds so tightly that the first orders could not be cut at all: try others, then ask the exact search.
  void look_for_any_split() {
    for (int i = 0; i < settings().first_orders && !best_.split() && !budget_.exhausted(); ++i)
      try_order_of_graph(order_to_try(graphs_, orders_tried_++, rng_));
    if (best_.split() || !graphs_.has_closure()) return;
    double most = 1;  // more than any load can be
    for (GroupId v : graphs_.all()) most += graphs_.accelerator_time(v) + graphs_.host_time(v);
    for (NetId e : graphs_.nets()) most += graphs_.cost(e);
    const LimitAnswer reply =
        ask_limit(graphs_, question(most), budget_.limits().ticks, budget_, log(), limit_options());
    if (reply.answer == Answer::No) best_.prove_infeasible();
    if (reply.split) offer(reply.split->stages);
  }

  // On the shrunk graph where it is much smaller. Where that lost too much, the graph itself refutes a little more, and
  // is worth looking at in full.
  void bisect_by_relaxation(int steps, bool until_failure) {
    if (!base_->graph.has_closure()) return;
    const Effort effort = options_.search ? Effort::Full : Effort::Quick;
    const auto shrunk = options_.search && settings().shrink && steps > 0
                            ? much_smaller(base_->graph, question(value_to_beat()), budget_)
                            : std::nullopt;
    if (!shrunk) return bisect_graph(steps, until_failure, effort);
    bisect(steps, until_failure,
           [&](const Threshold& asked) { return relaxation_refutes_shrunk(*shrunk, asked, budget_, limit_options()); });
    if (done() || until_failure) return;
    const double a_little_more = best_.bound() + (value_to_beat() - best_.bound()) / 32;
    if (!relaxation_refutes(base_->graph, question(a_little_more), effort, budget_, limit_options())) return;
    refuted(a_little_more, kByRelaxation);
    bisect_graph(steps, until_failure, effort);
  }

  void bisect_graph(int steps, bool until_failure, Effort effort) {
    bisect(steps, until_failure, [&](const Threshold& asked) {
      return relaxation_refutes(base_->graph, asked, effort, budget_, limit_options());
    });
  }

  // With threads, limits are asked before it is known whether their turn comes: all those that the next few steps could
  // ask, or, where a failure is the end, those that they ask without one. So the bound is the same as with one thread.
  template <class Refutes>
  void bisect(int steps, bool until_failure, Refutes refutes) {
    double low = best_.bound(), high = value_to_beat();
    if (base_value_ == not_refuted_.first) high = std::min(high, not_refuted_.second);
    const auto worth_asking = [&] { return high - low > kBisectTo * high && !done(); };
    while (steps > 0 && worth_asking()) {
      const int at_once = std::min(steps, steps_at_once(until_failure));
      LimitTree tree(low, high, at_once, until_failure);
      for_each(budget_, tree.limits.size(), [&](std::size_t i, std::size_t) {
        Technique relaxation(budget_, "staged.bisection", "limits refuted");
        tree.limits[i].refuted = refutes(question(tree.limits[i].limit));
        relaxation.yield(tree.limits[i].refuted);
      });
      const LimitTree::Limit* at = &tree.limits[0];
      for (int i = 0; i < at_once && worth_asking(); ++i, --steps) {
        (at->refuted ? low : high) = at->limit;
        if (at->refuted) refuted(at->limit, kByRelaxation);
        if (!at->refuted) not_refuted_ = {base_value_, at->limit};
        if (!at->refuted && until_failure) return;
        const std::size_t next = at->refuted ? at->if_refuted : at->if_not;
        if (next > 0) at = &tree.limits[next];
      }
    }
  }

  // As many as there are threads for: of n steps, n limits, or all but one of 2^n. A limit shares its own loops too, so
  // more would only be in each other's way.
  int steps_at_once(bool until_failure) const {
    const std::size_t threads = threads_of(budget_);
    if (until_failure) return static_cast<int>(std::min<std::size_t>(threads, 4));
    return threads >= 7 ? 3 : threads >= 3 ? 2 : 1;
  }

  bool climb_by_sets(const StageGraph& graph, std::uint64_t ticks) {
    if (sets_.finished(best_.value(), best_.bound())) return false;
    if (const double limit = sets_.climb(graph, best_.value(), best_.bound(), ticks, budget_); limit > 0)
      refuted(limit, kBySets);
    return true;
  }

  // Another run, of another temperature, as long as the last one was a success or much is open.
  void anneal_at_first() {
    bool success = true;
    for (int run = 0; run < kFirstAnnealings && !done() && (success || !best_.closed(kMuchOpen)); ++run) {
      const double before = best_.value();
      improve_by_annealing(std::min<std::uint64_t>(settings().first_moves, 500 * base_->graph.size()), !success);
      success = best_.value() < before;
    }
  }

  // The first turn has the order of the file and what floats by a third of a stage; later ones are random.
  void improve_by_two_orders(std::uint64_t ticks) {
    if (done() || !settings().two_orders) return;
    Technique two_orders(budget_, "staged.two_orders", "better splits");
    const double before = best_.value();
    Budget turn(budget_, ticks);
    const bool first = turns_of_two_orders_++ == 0;
    const double share = first ? 0.3 : std::uniform_real_distribution<double>(0.05, 1)(rng_);
    const StageGraph& graph = base_->graph;
    const Sides sides = spine_and_floaters(graph, share, platform_.accelerators + platform_.hosts);
    double floating = 0;
    for (GroupId v : graph.all()) floating += sides[v] ? graph.accelerator_time(v) : 0;
    if (floating < kWorthFloating * best_.value()) return;
    const std::vector<GroupId> order = first ? file_order(graph) : order_to_try(graph, orders_tried_++, rng_);
    const auto found = split_two_orders(graph, platform_, order, sides, {.below = best_.value()}, turn);
    if (!found) return;
    offer_from_base(found->stages);
    std::vector<GroupId> joined;
    for (const Stage& stage : found->stages) {
      joined.insert(joined.end(), stage.groups.begin(), stage.groups.end());
      std::sort(joined.end() - static_cast<std::ptrdiff_t>(stage.groups.size()), joined.end());
    }
    try_order(joined);
    two_orders.yield(best_.value() < before);
    if (best_.value() < before && !done()) refresh_base();
  }

  // On the whole graph: the base is made for better splits than the best, so the best may be none of the base, and
  // neither may those that are better only in loads below the largest.
  void improve_by_windows(std::uint64_t slice, std::uint64_t ticks) {
    if (done() || !settings().window_search || !graphs_.has_closure()) return;
    Technique windows(budget_, "staged.window_search", "better splits");
    Budget turn(budget_, ticks);
    const WindowSearchOptions options{.slice = slice, .settings = settings(), .presolve = options_.presolve};
    const double before = best_.value();
    const StagedSplit& start = handed_along_ && handed_along_->value <= before ? *handed_along_ : *best_.split();
    auto better = search_windows(graphs_, platform_, start, options, windows_asked_, rng_, turn);
    if (!better) return;
    handed_along_ = std::move(better);
    if (!offer(handed_along_->stages)) return;
    windows.yield(1);
    if (!done()) refresh_base();
  }

  // The more is open, the longer, the first time above all. Only once a limit took too long: what is decided at once needs
  // no better splits. With chances of its own, so that no other's luck depends on it.
  void improve_by_coarse_graphs(std::uint64_t slice) {
    if (done() || !settings().coarse_splits) return;
    const bool first = turns_of_coarse_graphs_++ == 0;
    const double open = 1 - best_.bound() / best_.value();
    const double share = first ? std::min(kCoarseAtFirst * open * open, 2.0) : std::min(kCoarseByGap * open, 0.25);
    Technique coarse(budget_, "staged.coarse_splits", "better splits");
    // Where it helps at all, it soon does.
    for (int piece = 0; piece < (first ? kPieces : 1) && !done(); ++piece) {
      Budget turn(budget_, share_of(slice, first ? share / kPieces : share));
      const auto better = split_coarsely(base_->graph, platform_, value_to_beat(), coarse_rng_, turn);
      if (!better || !offer_from_base(better->stages)) return;
      coarse.yield(1);
      if (!done()) refresh_base();
    }
  }

  void climb() {
    if (!base_->graph.has_closure()) return;
    const std::uint64_t start = budget_.ticks_used();
    const auto sets = [this](std::uint64_t ticks) { return climb_by_sets(base_->graph, ticks); };
    const std::size_t groups = base_->graph.size();
    if (groups >= kLargeGraph || (groups >= kMediumGraph && !best_.closed(kOpenForSets)))
      climb_by_sets_first(kSlicesAtFirst * slice_, slice_, sets);
    while (!done() && !out_of_memory_) {
      catch_up_by_sets(start, slice_, sets);
      if (!done()) climb_by_search();
    }
    climb_by_sets_alone(slice_, sets);
  }

  void climb_by_search() {
    const double gap = best_.value() - best_.bound();
    double limit = best_.bound() + gap * share_;
    if (gap < kNearlyClosed * best_.value() || limit > value_to_beat()) limit = value_to_beat();
    const LimitAnswer reply =
        ask_limit(base_->graph, question(limit), slice_, budget_, log(), limit_options(), &known_);
    if (reply.split) offer_from_base(reply.split->stages);
    if (reply.split && reply.answer != Answer::Yes) improve_from(*reply.split);
    if (reply.answer == Answer::No) {
      refuted(limit, kBySearch);
      share_ = share_ < 0.5 ? 2 * share_ : (1 + share_) / 2;  // what is easy so far may be so up to the end
    } else if (reply.answer == Answer::Yes) {
      refresh_base();
      share_ = 0.5;
    } else {
      share_ *= 0.5;
      if (share_ < kSmallestShare) {
        out_of_memory_ = reply.out_of_memory;
        if (out_of_memory_) return;
        share_ = 0.25;
        slice_ *= 3;
      }
      improve_by_coarse_graphs(slice_);
      improve_by_annealing(slice_ / 2, afresh_ = !afresh_);
      improve_by_orders(settings().orders_per_failure);
      improve_by_two_orders(slice_ / 4);
      improve_by_windows(slice_ / 40, slice_ / 2);
    }
  }

  // Beside the search, the limit just below the value is asked at once, for as long as one of its questions may take. Then
  // the LP climbs. Both work on a copy of the base, which changes under the search.
  void climb_side_by_side() {
    Beside beside;
    tell(beside, slice_);
    side_by_side(
        [&] {
          improve_at_first();
          while (!done() && !out_of_memory_) {
            tell(beside, slice_);
            climb_by_search();
            take_what_was_met(beside);
          }
        },
        [&] { return take_turn_beside(beside); });
    take_what_was_met(beside);
  }

  // What the search tells the thread beside it, and what that one met.
  struct Beside {
    struct Base {
      double value;
      StageGraph graph;
      Lift lift;
    };
    std::mutex mutex;
    std::shared_ptr<const Base> base = nullptr;
    std::uint64_t slice = 0;
    std::optional<StagedSplit> met = {};
    // Of that thread alone: the value that was asked about at once, and for how long.
    double asked = 0;
    std::uint64_t asked_slice = 0;
  };

  void tell(Beside& beside, std::uint64_t slice) {
    const std::lock_guard lock(beside.mutex);
    beside.slice = slice;
    if (!beside.base || beside.base->value != base_value_)
      beside.base = std::make_shared<Beside::Base>(Beside::Base{base_value_, base_->graph, base_->lift});
  }

  void take_what_was_met(Beside& beside) {
    std::optional<StagedSplit> met;
    {
      const std::lock_guard lock(beside.mutex);
      met.swap(beside.met);
    }
    if (met && !done() && offer(std::move(met->stages))) refresh_base();
  }

  // False if no turn is worth anything. The search has told something before.
  bool take_turn_beside(Beside& beside) {
    std::unique_lock lock(beside.mutex);
    const std::shared_ptr<const Beside::Base> base = beside.base;
    const std::uint64_t slice = beside.slice;
    lock.unlock();
    const double value = best_.value();
    if (value == beside.asked && slice <= beside.asked_slice) {
      return settings().convex_sets &&
             turn_of_sets(slice, [&](std::uint64_t ticks) { return climb_by_sets(base->graph, ticks); });
    }
    beside.asked = value;
    beside.asked_slice = slice;
    SearchHistory history;
    const auto split = ask_at_once(base->graph, slice, {options_.settings, options_.presolve, &history}, nullptr);
    if (!split) return true;
    lock.lock();
    beside.met = StagedSplit{split->value, lift_stages(base->lift, split->stages)};
    return true;
  }

  // Where one thread does all, only if it is likely to say something soon.
  void ask_at_once_alone() {
    if (done() || !best_.closed(kFewOpen) || base_->graph.size() >= kLargeGraph) return;
    const std::uint64_t slice = std::min(settings().first_slice, budget_.ticks_left() / kPartAtOnce);
    const auto split = ask_at_once(base_->graph, slice, limit_options(), &known_);
    if (!split) return;
    offer_from_base(split->stages);
    if (!done()) refresh_base();
  }

  // The limit just below the value: what is easy there needs no steps on the way. [llama-1b-training, one thread: 3.4 s
  // without, 1.0 with it.]
  std::optional<StagedSplit> ask_at_once(const StageGraph& graph, std::uint64_t slice, LimitOptions options,
                                         ShrunkAnswers* known) {
    const double limit = value_to_beat();
    options.settings.host_cases = false;  // that is for questions that are hard
    LimitAnswer reply = ask_limit(graph, question(limit), slice, budget_, log(), options, known);
    if (reply.answer == Answer::No) refuted(limit, kBySearch);
    return std::move(reply.split);
  }

  Rng coarse_rng_;
  SetsClimber sets_;

  static constexpr std::size_t kLargeGraph = 3000;  // groups: each presolve of more takes a second or so
  // There the LP goes first. [densenet-201-training: 0.4 % open after 15 s; the search says nothing in as long.]
  static constexpr std::uint64_t kSlicesAtFirst = 5;
  // And in graphs of so many groups, if more is open than this. [clip, training, two towers.]
  static constexpr std::size_t kMediumGraph = 500;
  static constexpr double kOpenForSets = 0.1;
  static constexpr int kLinearOrders = 3, kLinearBisections = 5, kFirstAnnealings = 3;
  static constexpr double kFewOpen = 0.3;  // gap: with more, the limit just below the value is not asked at once
  static constexpr std::uint64_t kPartAtOnce = 2;  // of the ticks that are left, at most
  static constexpr double kBisectTo = 1e-3, kMuchOpen = 0.2;
  static constexpr double kOpenForCoarse = 0.15;  // gap: with less, coarse graphs wait until a limit took too long
  static constexpr double kCoarseAtFirst = 40, kCoarseByGap = 5;  // shares of a slice
  static constexpr int kPieces = 3;
  static constexpr double kWorthFloating = 0.02;  // of the value: less work beside the spine is not worth two orders

  std::pair<double, double> not_refuted_;  // the base's value, and a limit that relaxations could not refute then
  bool improved_at_first_ = false;
  // How far the search has come.
  std::uint64_t slice_ = settings().first_slice;  // ticks of a question
  double share_ = 0.25;                           // of what is open: where the next limit is
  bool afresh_ = true;                            // the next annealing
  bool out_of_memory_ = false;                    // more time would end the same way
  int turns_of_two_orders_ = 0, turns_of_coarse_graphs_ = 0;
  WindowMemory windows_asked_;
  std::optional<StagedSplit> handed_along_;  // as good as the best, with smaller loads beside its largest
};

}  // namespace

StagedOutcome solve_staged(const StageGraph& graph, const StagePlatform& platform, const StagedOptions& options,
                           Budget& budget, const Sink& sink) {
  Budget own(budget, budget.limits().ticks);
  return StagedSolver(graph, platform, options, own, sink).run();
}

}  // namespace partita::detail
