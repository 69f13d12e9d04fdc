// SPDX-License-Identifier: Apache-2.0
// Free and contiguous splits over any devices and with any transfer mode.
//
// 1. A start: a short search for the best staged split over the same devices (solve/staged/setups/), which is
//    contiguous and free as well.
// 2. A look at every split, where there are few.
// 3. Search and bounds of free splits (solve/free/fleet/). Contiguous ones are improved by their own annealing
//    before that, and the bound holds for them too.
// 4. The integer program for what is left, where it is small enough to hope for an answer.
// None of the bounds has a certificate. Tests: tests/portfolio/fleet_test.cpp.
#include <limits>

#include "partita/portfolio/best_so_far.h"
#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/portfolio/start.h"
#include "partita/reduce/fleet_instance.h"
#include "partita/reduce/setup_instance.h"
#include "partita/solve/free/contiguous/contiguous_anneal.h"
#include "partita/solve/free/fleet/fleet.h"
#include "partita/solve/free/fleet/fleet_loads.h"
#include "partita/solve/staged/setups/solve_setups.h"

namespace partita {
namespace {

constexpr double kStartPart = 0.15;
constexpr std::uint64_t kStartTicks = 8'000'000;
constexpr double kLeastStartSeconds = 0.5;
constexpr double kContiguousPart = 0.3;
// Of the integer program: groups times devices. Below the first it is given most of the time, since it often answers
// within seconds what search and bounds leave open; above the second it is not tried.
constexpr std::size_t kSmallProgram = 300, kLargestProgram = 4'000;
constexpr double kPartBeforeSmallProgram = 0.4, kPartBeforeProgram = 0.75;
constexpr std::uint64_t kAnyTicks = std::numeric_limits<std::uint64_t>::max();

class FleetPortfolio {
 public:
  FleetPortfolio(const Problem& problem, const FleetInstance& instance, const PlanOptions& options, Budget& budget,
                 const Sink& sink, Plan& plan)
      : problem_(problem),
        instance_(instance),
        options_(options),
        budget_(budget),
        sink_(sink),
        best_(problem, options, budget, sink, plan) {}

  void run() {
    best_.raise_bound(0, "loads are not negative");
    find_start();
    if (problem_.shape == Shape::Contiguous && best_.found() && !best_.done()) improve_start();
    best_.try_every_split();
    if (!best_.done()) search_and_bound();
    if (!best_.done() && program_size() <= kLargestProgram) best_.ask_integer_program();
    best_.settle();
  }

 private:
  std::size_t program_size() const { return instance_.graph.size() * instance_.fleet.devices.size(); }

  void offer_and_tell(Split split) {
    if (best_.offer(std::move(split))) best_.tell(Progress::Event::Split, instance_.graph.size(), "");
  }

  void find_start() {
    Problem staged = problem_;
    staged.shape = Shape::Staged;
    const SetupInstance instance = make_setup_instance(staged);
    Budget part = share_of(budget_, kStartPart, kStartTicks, kLeastStartSeconds);
    const SetupOutcome outcome = solve_setups(instance, {.seed = options_.seed}, part, {});
    if (outcome.split) offer_and_tell(lift_parts(staged, instance, outcome.split->parts));
  }

  void improve_start() {
    FreeSplit start = to_free(problem_, instance_, best_.split());
    start.value = free_value(instance_.graph, instance_.fleet, start.device_of);
    Budget part = share_of(budget_, kContiguousPart, kAnyTicks);
    const FreeSplit better = improve_contiguous(problem_, instance_, std::move(start), options_.seed, part);
    offer_and_tell(lift_free(instance_, better));
  }

  void search_and_bound() {
    const bool free = problem_.shape == Shape::Free;
    const bool program = program_size() <= kLargestProgram;
    const double share = !program ? 1 : program_size() <= kSmallProgram ? kPartBeforeSmallProgram : kPartBeforeProgram;
    Budget part = share_of(budget_, share, kAnyTicks);
    std::vector<FreeSplit> starts;
    if (best_.found()) starts.push_back(to_free(problem_, instance_, best_.split()));
    const Sink news = [&](const Progress& progress) {
      if (progress.event == Progress::Event::Split && !free) return;
      best_.pass_on(progress, free ? progress.value : kUnlimited, progress.bound);
    };
    const FleetOutcome outcome =
        solve_fleet(instance_, starts, {options_.gap, options_.seed, options_.threads}, part, sink_ ? news : Sink());
    if (outcome.split) best_.offer(lift_free(instance_, *outcome.split));
    best_.raise_bound(outcome.bound, (free ? "" : "for free splits: ") + outcome.proof_text);
  }

  const Problem& problem_;
  const FleetInstance& instance_;
  const PlanOptions& options_;
  Budget& budget_;
  const Sink& sink_;
  BestSoFar best_;
};

}  // namespace

void plan_fleet(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  const FleetInstance instance = make_fleet_instance(problem);
  if (ruled_out(problem, instance.group_of, plan.result)) return;
  FleetPortfolio(problem, instance, options, budget, sink, plan).run();
}

}  // namespace partita
