// SPDX-License-Identifier: Apache-2.0
// Splits for the largest forward plus the largest backward load, over any devices and with any transfer mode.
//
// Two bounds hold whatever the devices, the mode and the shape are.
// - No device's load is above the largest forward plus the largest backward load, copies and sync included: so the
// bound
//   of max-load is one of gpipe.
// - Let F be the least largest load if nothing backward takes time or costs anything, B the same for forward. The
// largest
//   forward load of any split is at least F, the largest backward load at least B. So F + B is a bound. (Not with
//   copies, whose sync would count in both.)
// Both come from the portfolios of max-load, on this problem and on its two passes, whose splits are the first splits.
// Where there are few splits, every one is looked at instead. Annealing makes them better, and the integer program,
// where it is small, closes what is left. All but the first two steps know no clusters, copies and memory in flight.
// Tests: tests/portfolio/gpipe_fleet_test.cpp.
#include <algorithm>
#include <limits>

#include "partita/check/check.h"
#include "partita/portfolio/best_so_far.h"
#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/start.h"
#include "partita/reduce/fleet_instance.h"
#include "partita/reduce/stage_order.h"
#include "partita/solve/free/fleet_gpipe.h"

namespace partita {
namespace {

constexpr std::uint64_t kFirstTicks = 4'000'000, kGrowth = 3;
constexpr std::uint64_t kMovesPerGroup = 3'000, kMostMoves = 3'000'000;
constexpr double kMaxLoadPart = 0.4, kPassPart = 0.25, kAnnealPart = 0.3;  // of the time that is left, each
constexpr std::size_t kLargestProgram = 4'000;                             // groups times devices
constexpr std::uint64_t kAnyTicks = std::numeric_limits<std::uint64_t>::max();

// As if nothing of the other pass took any time.
Problem one_pass(const Problem& problem, bool backward) {
  Problem pass = problem;
  pass.objective = Objective::MaxLoad;
  Graph& graph = pass.workload.change().graph;
  for (Node& node : graph.nodes) {
    node.recompute_share = 0;
    for (double& time : node.time) {
      if (node.backward != backward && time != kCannotRun) time = 0;
    }
  }
  for (Edge& edge : graph.edges) {
    if (graph.nodes[edge.from].backward != backward) edge.cost = 0;
  }
  return pass;
}

class FleetGpipe {
 public:
  FleetGpipe(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan)
      : problem_(problem), options_(options), budget_(budget), best_(problem, options, budget, sink, plan) {}

  void run() {
    if (single_devices() && best_.few_splits()) best_.try_every_split();
    bool converged = false;
    for (std::uint64_t ticks = kFirstTicks; !best_.done() && !converged; ticks *= kGrowth) {
      converged = ask_max_load(ticks) && ask_passes(ticks);
      if (single_devices()) anneal();
      if (!best_.done() && program_helps()) {
        solve_integer_program();
        break;
      }
    }
    best_.settle();
  }

 private:
  bool single_devices() const {
    return !problem_.workload->platform.clusters && problem_.replicas == 1 &&
           problem_.memory_model == MemoryModel::Flat;
  }
  bool program_helps() const {
    const std::size_t size = problem_.workload->graph.nodes.size() * problem_.workload->platform.device_count();
    return options_.settings.portfolio.integer_program && options_.algorithm == Algorithm::Auto && single_devices() &&
           size <= kLargestProgram;
  }

  // True if more time would tell no more.
  bool ask_max_load(std::uint64_t ticks) {
    Problem same = problem_;
    same.objective = Objective::MaxLoad;
    Budget part = share_of(budget_, kMaxLoadPart, ticks);
    const Plan plan = answer_within(same, options_, part);
    if (plan.result.status == Status::Infeasible) {
      best_.no_split_exists(plan.result.proof, plan.result.reason);
      return true;
    }
    raise_bound(plan.result.bound, "both passes together: " + plan.result.proof, plan.result.unverified);
    if (plan.result.split) offer(*plan.result.split);
    return plan.result.status == Status::Optimal;
  }

  bool ask_passes(std::uint64_t ticks) {
    if (best_.done() || problem_.replicas > 1) return true;
    double sum = 0;
    bool optimal = true, unverified = false;
    for (const bool backward : {false, true}) {
      Budget part = share_of(budget_, kPassPart, ticks);
      const Plan plan = answer_within(one_pass(problem_, backward), options_, part);
      sum += plan.result.bound;
      unverified = unverified || plan.result.unverified;
      optimal = optimal && plan.result.status == Status::Optimal;
      if (plan.result.split) offer(*plan.result.split);
    }
    raise_bound(sum, "each pass by itself", unverified);
    return optimal;
  }

  void anneal() {
    if (best_.done() || !best_.found()) return;
    const FleetInstance instance = make_fleet_instance(problem_);
    const bool ordered = problem_.shape != Shape::Free;
    Problem staged = problem_;
    staged.shape = Shape::Staged;
    const std::vector<DeviceId> order = ordered ? check(staged, best_.split()).order : std::vector<DeviceId>();
    if (ordered && order.empty()) return;  // contiguous, but no pipeline
    const StageOrder stages = find_stage_order(staged);
    FreeSplit start = to_free(problem_, instance, best_.split());
    std::vector<DeviceId> devices;  // the same in the fleet's numbers
    for (DeviceId d : order) {
      const auto& device_of = best_.split().device_of;
      const auto at = std::find(device_of.begin(), device_of.end(), d);
      devices.push_back(start.device_of[instance.group_of[NodeId(static_cast<std::size_t>(at - device_of.begin()))]]);
    }
    FleetGpipeOptions options{std::min(kMovesPerGroup * instance.graph.size(), kMostMoves),
                              best_.bound() * (1 + kClosedGap), options_.seed + rounds_++};
    Budget part = share_of(budget_, kAnnealPart, kAnyTicks);
    const FreeSplit better = anneal_fleet_gpipe(instance, ordered ? &stages : nullptr, start, devices, options, part);
    offer(lift_free(instance, better));
  }

  void solve_integer_program() {
    const double value = best_.value(), bound = best_.bound();
    best_.ask_integer_program();
    if (best_.bound() > bound) best_.tell(Progress::Event::Bound, 0, best_.proof());
    if (best_.value() < value) best_.tell(Progress::Event::Split, 0, {});
  }

  void offer(Split split) {
    if (best_.offer(std::move(split))) best_.tell(Progress::Event::Split, 0, {});
  }
  void raise_bound(double bound, const std::string& proof, bool unverified) {
    if (best_.raise_bound(bound, proof, unverified)) best_.tell(Progress::Event::Bound, 0, proof);
  }

  const Problem& problem_;
  const PlanOptions& options_;
  Budget& budget_;
  BestSoFar best_;
  std::uint64_t rounds_ = 0;
};

}  // namespace

void plan_gpipe_fleet(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink,
                      Plan& plan) {
  FleetGpipe(problem, options, budget, sink, plan).run();
}

}  // namespace partita
