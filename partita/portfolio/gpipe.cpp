// SPDX-License-Identifier: Apache-2.0
// Splits for the largest forward plus the largest backward load, whatever the shape, the devices and the mode.
//
// Staged splits on a plain platform have a search of their own (plan_staged_gpipe). All others start from its split
// where it is legal for them, and have two bounds.
// - No device's load is above the largest forward plus the largest backward load, copies and sync included: so the
//   bound of max-load, with its certificate, is one of gpipe.
// - Let F be the least largest load if nothing backward takes time or costs anything, B the same for forward. The
//   largest forward load of any split is at least F, the largest backward load at least B. So F + B is a bound. (Not
//   with copies, whose sync would count in both.)
// Both come from the portfolios of max-load, on this problem and on its two passes, whose splits are further starts.
// Where there are few splits, every one is looked at instead. Annealing makes splits better, and the integer program,
// where it is small, closes what is left. All but the bounds know no clusters, copies and memory in flight. Tests:
// tests/portfolio/gpipe_test.cpp.
#include <algorithm>
#include <limits>

#include "partita/check/check.h"
#include "partita/portfolio/best_so_far.h"
#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/staged_start.h"
#include "partita/portfolio/start.h"
#include "partita/reduce/free_instance.h"
#include "partita/reduce/stage_order.h"
#include "partita/solve/free/free_gpipe.h"
#include "partita/util/statistics.h"
#include "partita/util/within_limits.h"

namespace partita::detail {
namespace {

constexpr std::uint64_t kStagedTicks = 8'000'000;  // for a start
constexpr std::uint64_t kFirstTicks = 4'000'000, kGrowth = 3;
constexpr std::uint64_t kMovesPerGroup = 3'000, kMostMoves = 3'000'000;
constexpr double kMaxLoadPart = 0.4, kPassPart = 0.25, kAnnealPart = 0.3;  // of the time that is left, each
// Of the integer program: nodes times devices. Beyond, CBC gets nowhere; sooner where loads are not sums.
constexpr std::size_t kHopefulGpipeProgram = 4'000, kHopefulPlainProgram = 50'000;

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

class GpipePortfolio {
 public:
  GpipePortfolio(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan)
      : problem_(problem),
        plain_(is_plain(problem.workload->platform) && problem.transfers == TransferMode::Sum && single_devices()),
        options_(options),
        budget_(budget),
        best_(problem, options, budget, sink, plan) {}

  void run() {
    within_limits(budget_, [this] { work(); });
    best_.settle();
  }

 private:
  void work() {
    best_.raise_bound(0, "loads are not negative");
    if (plain_) start_from_staged();
    if (single_devices() && best_.few_splits()) best_.try_every_split();
    bool converged = false;
    for (std::uint64_t ticks = kFirstTicks; !best_.done() && !converged; ticks *= kGrowth) {
      if (single_devices()) anneal();
      converged = ask_max_load(ticks) && ask_passes(ticks);
      if (single_devices()) anneal();
      if (!best_.done() && program_helps()) {
        solve_integer_program();
        break;
      }
    }
  }

  bool single_devices() const {
    return !problem_.workload->platform.clusters && problem_.replicas == 1 &&
           problem_.memory_model == MemoryModel::Flat;
  }
  bool program_helps() const {
    const std::size_t size = problem_.workload->graph.nodes.size() * problem_.workload->platform.device_count();
    return options_.settings.portfolio.integer_program && options_.algorithm == Algorithm::Auto && single_devices() &&
           size <= (plain_ ? kHopefulPlainProgram : kHopefulGpipeProgram);
  }

  void start_from_staged() {
    Budget slice(budget_, kStagedTicks);
    if (auto split = staged_gpipe_start(problem_, options_, slice)) offer(std::move(*split));
  }

  // True if more time would tell no more.
  bool ask_max_load(std::uint64_t ticks) {
    if (best_.done()) return true;
    Problem same = problem_;
    same.objective = Objective::MaxLoad;
    // A staged split is there already; what counts is the bound, and a contiguous question would ask for splits first.
    if (plain_) same.shape = Shape::Free;
    Budget part = share_of(budget_, kMaxLoadPart, ticks);
    Plan plan = answer_within(same, options_, part);
    if (plan.result.status == Status::Infeasible) {
      best_.no_split_exists(plan.result.proof, plan.result.reason);
      return true;
    }
    raise_bound(plan.result.bound, "both passes together: " + plan.result.proof, plan.result.unverified,
                std::move(plan.certificate));
    if (plan.result.split) offer(*plan.result.split);
    max_load_split_ = std::move(plan.result.split);
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
    raise_bound(sum, "each pass by itself", unverified, std::nullopt);
    return optimal;
  }

  // From the best split, and of free splits from that of max-load too: the former may be staged and a long way from any
  // other.
  void anneal() {
    if (best_.done() || !best_.found()) return;
    Technique annealing(budget_, "portfolio.gpipe_annealing");
    const FreeInstance instance = make_free_instance(problem_);
    GpipeAnnealOptions options{std::min(kMovesPerGroup * instance.graph.size(), kMostMoves),
                               best_.bound() * (1 + kClosedGap), options_.seed + rounds_++};
    Budget part = share_of(budget_, kAnnealPart, kAnyTicks);
    const auto improve = [&](const Split& from, const StageOrder* stages, const std::vector<DeviceId>& order) {
      const FreeSplit start = to_free(problem_, instance, from);
      std::vector<DeviceId> devices;  // the same in the table's numbers
      for (DeviceId d : order) {
        const auto at = std::find(from.device_of.begin(), from.device_of.end(), d);
        const NodeId v(static_cast<std::size_t>(at - from.device_of.begin()));
        devices.push_back(start.device_of[instance.group_of[v]]);
      }
      offer(lift_free(instance, anneal_gpipe(instance, stages, start, devices, options, part)));
    };
    if (problem_.shape == Shape::Free) {
      if (max_load_split_) improve(*std::exchange(max_load_split_, std::nullopt), nullptr, {});
      return improve(Split(best_.split()), nullptr, {});
    }
    Problem staged = problem_;
    staged.shape = Shape::Staged;
    const std::vector<DeviceId> order = check(staged, best_.split()).order;
    if (order.empty()) return;  // contiguous, but no pipeline
    const StageOrder stages = find_stage_order(staged);
    improve(Split(best_.split()), &stages, order);
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
  void raise_bound(double bound, const std::string& proof, bool unverified, std::optional<Certificate> certificate) {
    if (best_.raise_bound(bound, proof, unverified, std::move(certificate)))
      best_.tell(Progress::Event::Bound, 0, proof);
  }

  const Problem& problem_;
  const bool plain_;
  const PlanOptions& options_;
  Budget& budget_;
  BestSoFar best_;
  std::optional<Split> max_load_split_;
  std::uint64_t rounds_ = 0;
};

}  // namespace

void plan_gpipe(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  GpipePortfolio(problem, options, budget, sink, plan).run();
}

}  // namespace partita::detail
