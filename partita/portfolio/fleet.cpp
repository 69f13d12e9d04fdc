// SPDX-License-Identifier: Apache-2.0
// Free and contiguous splits over any devices and with any transfer mode.
//
// 1. A start. With one class of each kind and loads that are sums the question would be a plain one, and good splits of
//    that plain question are seldom bad for this one: so it is asked first, for a short time, of devices that are all
//    as slow as the slowest of their kind. Its split is staged, and so contiguous.
// 2. Search and bounds of free splits (solve/throughput/fleet/). Contiguous ones are improved by their own annealing
//    before that, and the bound holds for them too.
// 3. The integer program for what is left, where it is small enough to hope for an answer.
// None of the bounds has a certificate. Tests: tests/portfolio/fleet_test.cpp.
#include <algorithm>

#include "partita/check/check.h"
#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/portfolio/start.h"
#include "partita/reduce/fleet_instance.h"
#include "partita/reduce/setup_instance.h"
#include "partita/solve/mip/cbc_backend.h"
#include "partita/solve/mip/solve_ip.h"
#include "partita/solve/throughput/contiguous/contiguous_anneal.h"
#include "partita/solve/throughput/fleet/fleet.h"
#include "partita/solve/throughput/fleet/fleet_loads.h"
#include "partita/solve/throughput/setups/solve_setups.h"

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
      : problem_(problem), instance_(instance), options_(options), budget_(budget), sink_(sink), plan_(plan) {}

  void run() {
    result().proof = "loads are not negative";
    find_start();
    if (problem_.shape == Shape::Contiguous && found() && !done()) improve_start();
    if (!done()) search_and_bound();
    if (!done() && program_size() <= kLargestProgram) solve_integer_program();
    if (found()) {
      settle_status(problem_, result().value, result().bound, plan_);
    } else if (!infeasible_) {
      result().reason = kNoSplitYet;
    }
  }

 private:
  Result& result() { return plan_.result; }
  bool found() const { return plan_.result.split.has_value(); }
  bool done() const {
    if (budget_.exhausted()) return true;
    const Result& now = plan_.result;
    return found() && now.value - now.bound <= std::max(options_.gap, kClosedGap) * now.value;
  }
  std::size_t program_size() const { return instance_.graph.size() * instance_.fleet.devices.size(); }

  bool offer(const Split& split) {
    const CheckReport report = check(problem_, split);
    if (!report.legal() || (found() && report.value >= result().value)) return false;
    result().split = split;
    result().value = report.value;
    return true;
  }

  // What a solver tells, in terms of what is known for this shape.
  void pass_on(const Progress& progress, double value, double bound) const {
    if (!sink_) return;
    Progress news = progress;
    const double known = found() ? plan_.result.value : kUnlimited;
    news.value = std::min(value, known);
    news.bound = std::min(std::max(bound, plan_.result.bound), news.value);
    sink_(news);
  }

  void tell_split() const {
    const double value = plan_.result.value;
    pass_on({Progress::Event::Split, budget_.seconds_used(), value, 0, instance_.graph.size(), ""}, value, 0);
  }

  void find_start() {
    Problem staged = problem_;
    staged.shape = Shape::Staged;
    const SetupInstance instance = make_setup_instance(staged);
    Budget part = share_of(budget_, kStartPart, kStartTicks, kLeastStartSeconds);
    const SetupOutcome outcome = solve_setups(instance, {.seed = options_.seed}, part, {});
    if (outcome.pipeline && offer(lift_parts(staged, instance, outcome.pipeline->parts))) tell_split();
  }

  void improve_start() {
    FreeSplit start = to_free(problem_, instance_, *result().split);
    start.value = free_value(instance_.graph, instance_.fleet, start.device_of);
    Budget part = share_of(budget_, kContiguousPart, kAnyTicks);
    const FreeSplit better = improve_contiguous(problem_, instance_, std::move(start), options_.seed, part);
    if (offer(lift_free(instance_, better))) tell_split();
  }

  void search_and_bound() {
    const bool free = problem_.shape == Shape::Free;
    const bool program = program_size() <= kLargestProgram;
    const double share = !program ? 1 : program_size() <= kSmallProgram ? kPartBeforeSmallProgram : kPartBeforeProgram;
    Budget part = share_of(budget_, share, kAnyTicks);
    std::vector<FreeSplit> starts;
    if (found()) starts.push_back(to_free(problem_, instance_, *result().split));
    const Sink news = [&](const Progress& progress) {
      if (progress.event == Progress::Event::Split && !free) return;
      pass_on(progress, free ? progress.value : kUnlimited, progress.bound);
    };
    const FleetOutcome outcome =
        solve_fleet(instance_, starts, {options_.gap, options_.seed, options_.threads}, part, sink_ ? news : Sink());
    if (outcome.split) offer(lift_free(instance_, *outcome.split));
    raise_bound(outcome.bound, (free ? "" : "for free splits: ") + outcome.proof_text);
  }

  void solve_integer_program() {
    CbcBackend backend;
    const Sink news = [this](const Progress& progress) { pass_on(progress, progress.value, progress.bound); };
    const IpOutcome outcome =
        solve_ip(problem_, backend, {.gap = options_.gap, .start = result().split, .bound = result().bound}, budget_,
                 sink_ ? news : Sink());
    raise_bound(outcome.bound, outcome.proof);
    if (outcome.split) offer(*outcome.split);
    infeasible_ = outcome.infeasible && !found();
    if (!infeasible_) return;
    result().status = Status::Infeasible;
    result().proof = outcome.proof;
    result().reason = why_infeasible(problem_, "found by the integer program", budget_);
  }

  void raise_bound(double bound, std::string proof) {
    if (bound <= result().bound) return;
    result().bound = bound;
    result().proof = std::move(proof);
  }

  const Problem& problem_;
  const FleetInstance& instance_;
  const PlanOptions& options_;
  Budget& budget_;
  const Sink& sink_;
  Plan& plan_;
  bool infeasible_ = false;
};

}  // namespace

void plan_fleet(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  const FleetInstance instance = make_fleet_instance(problem);
  if (ruled_out(problem, instance.group_of, plan.result)) return;
  FleetPortfolio(problem, instance, options, budget, sink, plan).run();
}

}  // namespace partita
