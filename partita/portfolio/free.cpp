// SPDX-License-Identifier: Apache-2.0
// Free and contiguous splits over any devices and with any transfer mode.
//
// 1. A start: a short search for the best staged split, which is contiguous and free as well.
// 2. For contiguous splits, limits refuted over convex sets and, by turns, for free splits (contiguous_bound.h),
//    certificate and all. Meanwhile the start is made better where devices may depend on each other and where backward
//    nodes need not be mirrored (contiguous_anneal.h).
// 3. Search and bounds of free splits (solve/free/). For contiguous ones, whose bound of free splits came before, it is
//    the volume of work where nothing else was proved, and it is not waited for.
// 4. A look at every split, where there are few; not of free ones on plain platforms, whose bounds are certified. Where
//    no start was found there may be no split at all, so that this comes first.
// 5. The integer program for what is left, where it is small enough to hope for an answer; not of free splits on plain
//    platforms, whose search goes on finding something.
// Work ends as soon as value and bound agree. Tests: tests/portfolio/, tests/property/plan_test.cpp, tests/golden.
#include <algorithm>
#include <limits>

#include "partita/check/certificate.h"
#include "partita/check/check.h"
#include "partita/portfolio/best_so_far.h"
#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/portfolio/staged_start.h"
#include "partita/portfolio/start.h"
#include "partita/reduce/free_instance.h"
#include "partita/solve/free/contiguous/contiguous_anneal.h"
#include "partita/solve/free/contiguous/contiguous_bound.h"
#include "partita/solve/free/free.h"
#include "partita/solve/free/free_certificate.h"
#include "partita/solve/free/part_loads.h"
#include "partita/util/statistics.h"

namespace partita::detail {
namespace {

// The staged start. Most staged optima are found in far less; a contiguous split is often no better than that.
constexpr std::uint64_t kStartTicks = 12'000'000, kContiguousStartTicks = 60'000'000, kSetupTicks = 8'000'000;
constexpr double kLeastStartSeconds = 0.5;
// Over convex sets. What takes longer is hardly ever proved.
constexpr std::uint64_t kConvexTicksPerGroup = 2'000'000;
// Of free splits' bounds for contiguous ones: the paper's inputs get theirs in a few seconds; where memory decides,
// little comes.
constexpr std::uint64_t kBoundTicksPerGroup = 80'000;
constexpr double kBoundSecondsPerGroup = 0.04;
constexpr int kFruitlessLimits = 20;  // tried in a row without a better bound
// Of the integer program for free splits: groups times devices. Below the first it is given most of the time, since it
// often answers within seconds what search and bounds leave open; above the second it is not tried.
constexpr std::size_t kSmallProgram = 300, kHopefulProgram = 4'000;
constexpr double kPartBeforeSmallProgram = 0.4, kPartBeforeProgram = 0.75;
constexpr double kPartBeforeVolume = 0.95;

// Does the certificate made of a proof pass the independent check? All arguments must outlive the answer.
ProofCheck certificate_check(const Problem& problem, const FreeInstance& instance, const NodeOrder* order = nullptr) {
  return [&problem, &instance, order](const ProofTree& proof, Budget& budget) {
    return verify(problem, make_certificate(problem, instance, proof, order), &budget).holds;
  };
}

class FreePortfolio {
 public:
  FreePortfolio(const Problem& problem, const FreeInstance& instance, const PlanOptions& options, Budget& budget,
                const Sink& sink, Plan& plan)
      : problem_(problem),
        instance_(instance),
        plain_(instance.is_plain()),
        free_(problem.shape == Shape::Free),
        options_(options),
        budget_(budget),
        best_(problem, options, budget, sink, plan) {}

  void run() {
    best_.raise_bound(0, "loads are not negative");
    find_start();
    const bool little_choice = !best_.found();  // probably: look at all splits before a search that may find none
    if (little_choice) best_.try_every_split();
    if (!free_ && !best_.done() && best_.found()) improve_start_and_bound();
    if (!best_.done() && (free_ || (best_.found() && settings().free_bound))) search_and_bound();
    if (looks_at_all() && !little_choice) best_.try_every_split();
    if (!best_.done() && program_helps()) best_.ask_integer_program();
    best_.settle();
  }

 private:
  std::size_t program_size() const { return instance_.graph.size() * instance_.devices.size(); }
  const PortfolioSettings& settings() const { return options_.settings.portfolio; }
  bool program_helps() const {
    return settings().integer_program && (!free_ || !plain_) && program_size() <= kHopefulProgram;
  }

  // On a plain platform a bound with a certificate is worth more than the last part in a thousand of it.
  bool looks_at_all() const { return !free_ || !plain_; }

  void offer_and_tell(Split split) {
    if (best_.offer(std::move(split))) best_.tell(Progress::Event::Split, instance_.graph.size(), "");
  }

  void find_start() {
    const std::uint64_t plain_ticks = free_ ? kStartTicks : kContiguousStartTicks;
    if (!settings().staged_start && free_) return;  // contiguous splits have no other
    Technique start(budget_, "portfolio.staged_start", "splits");
    Budget part = share_of(budget_, settings().start_share, plain_ ? plain_ticks : kSetupTicks, kLeastStartSeconds);
    if (auto split = staged_start(problem_, options_, part)) {
      start.yield(1);
      offer_and_tell(std::move(*split));
    }
  }

  // The start, as a free split with the value that this instance gives it.
  FreeSplit free_start() const {
    FreeSplit start = to_free(problem_, instance_, best_.split());
    start.value = free_value(instance_, start.device_of);
    return start;
  }

  FreeSplit improved(const FreeSplit& start, Budget& budget) const {
    Technique annealing(budget, "portfolio.contiguous");
    Budget part = share_of(budget, settings().contiguous_share, kAnyTicks);
    return improve_contiguous(problem_, instance_, start, options_.seed, part);
  }

  void improve_start_and_bound() {
    const bool too_large = problem_.workload->graph.nodes.size() > ConvexOrder::kMostPoints;
    const NodeOrder order = too_large || !settings().convex_bound
                                ? NodeOrder()
                                : order_of_nodes(problem_, instance_.group_of, instance_.graph.size());
    if (order.order.empty()) return offer_and_tell(lift_free(instance_, improved(free_start(), budget_)));
    bound_convex_sets(order);
  }

  void bound_convex_sets(const NodeOrder& order) {
    const SplitCheck legal = [&](FreeSplit& split) {
      split.value = free_value(instance_, split.device_of);
      return check(problem_, lift_free(instance_, split)).legal();
    };
    const Sink news = [&](const Progress& progress) { best_.pass_on(progress, progress.value, progress.bound); };
    // Where nothing comes of it, the volume of work is still to be proved.
    const double share = program_helps() ? settings().convex_bound_share : kPartBeforeVolume;
    Budget part = share_of(budget_, share, kConvexTicksPerGroup * instance_.graph.size());
    const ContiguousQuestion question{instance_,
                                      order.order,
                                      certificate_check(problem_, instance_, &order),
                                      certificate_check(problem_, instance_),
                                      legal,
                                      [&](const FreeSplit& start, Budget& budget) { return improved(start, budget); }};
    const ContiguousOutcome outcome =
        bound_contiguous(question, free_start(), {options_.gap, options_.seed, options_.settings.free},
                         settings().free_bound, part, news);
    if (outcome.split) best_.offer(lift_free(instance_, *outcome.split));
    if (!outcome.verified) return;
    const NodeOrder* const claimed = outcome.of_free_splits ? nullptr : &order;
    best_.raise_bound(outcome.bound, outcome.proof, false,
                      make_certificate(problem_, instance_, *outcome.verified, claimed));
  }

  Budget time_for_bounds() {
    const bool small = (looks_at_all() && best_.few_splits()) || (program_helps() && program_size() <= kSmallProgram);
    const double share_of_free = small ? kPartBeforeSmallProgram : program_helps() ? kPartBeforeProgram : 1;
    if (free_) return share_of(budget_, share_of_free, kAnyTicks);
    const std::size_t groups = instance_.graph.size();
    Budget share = share_of(budget_, settings().free_bound_share, kBoundTicksPerGroup * groups);
    return Budget(budget_, share.limits().ticks,
                  std::min(share.seconds_left(), kBoundSecondsPerGroup * static_cast<double>(groups)));
  }

  void search_and_bound() {
    Budget part = time_for_bounds();
    std::vector<FreeSplit> starts;
    if (best_.found()) starts.push_back(to_free(problem_, instance_, best_.split()));
    int fruitless = 0;
    const Sink news = [&](const Progress& progress) {
      if (free_) return best_.pass_on(progress, progress.value, progress.bound);
      if (progress.event == Progress::Event::Split) return;
      fruitless = progress.event == Progress::Event::Bound ? 0 : fruitless + 1;
      if (fruitless == kFruitlessLimits) part.cancel();
      best_.pass_on(progress, best_.value(), progress.bound);
    };
    const FreeOutcome outcome = solve_free(instance_, starts, {options_.gap, options_.seed, options_.settings.free},
                                           certificate_check(problem_, instance_), part, news);
    if (outcome.split && outcome.split->value < best_.value()) best_.offer(lift_free(instance_, *outcome.split));
    std::optional<Certificate> certificate;
    if (outcome.verified) certificate = make_certificate(problem_, instance_, *outcome.verified);
    best_.raise_bound(outcome.bound, (free_ ? "" : "for free splits: ") + outcome.proof, false, std::move(certificate));
  }

  const Problem& problem_;
  const FreeInstance& instance_;
  const bool plain_, free_;
  const PlanOptions& options_;
  Budget& budget_;
  BestSoFar best_;
};

}  // namespace

void plan_free(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  const FreeInstance instance = make_free_instance(problem);
  const bool impossible = instance.is_plain() ? ruled_out(problem, instance.graph, instance.stage_platform(),
                                                          instance.group_of, plan.result)
                                              : ruled_out(problem, instance.group_of, plan.result);
  if (!impossible) FreePortfolio(problem, instance, options, budget, sink, plan).run();
}

}  // namespace partita::detail
