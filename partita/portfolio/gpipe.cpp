// SPDX-License-Identifier: Apache-2.0
// Splits for the largest forward plus the largest backward load.
//
// Staged: the search of solve/throughput/gpipe. The other shapes start from its split, which is legal for them too.
// Their bound is that of max-load for free splits: no device's load in both passes exceeds max forward + max backward,
// and a split of any shape is a free one. Where the program is small enough, CBC goes on with what is left of the
// budget; the best split and the best bound so far are kept whatever it does.
#include <algorithm>
#include <limits>

#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/portfolio/staged.h"
#include "partita/reduce/free_instance.h"
#include "partita/reduce/pass_graphs.h"
#include "partita/solve/mip/cbc_backend.h"
#include "partita/solve/mip/solve_ip.h"
#include "partita/solve/throughput/free/free.h"
#include "partita/solve/throughput/free/free_certificate.h"
#include "partita/solve/throughput/gpipe/gpipe_free.h"
#include "partita/solve/throughput/gpipe/gpipe_staged.h"
#include "partita/util/within_memory.h"

namespace partita {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::infinity();
constexpr const char* kByMaxLoad = "both passes together: no free split has a smaller largest load";

class ShapelessGpipe {
 public:
  ShapelessGpipe(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan)
      : problem_(problem),
        options_(options),
        budget_(budget),
        sink_(sink),
        plan_(plan),
        instance_(make_free_instance(problem)),
        passes_(make_pass_nets(problem, instance_.graph.size(), instance_.group_of)) {}

  void run() {
    if (ruled_out(problem_, instance_.graph, instance_.platform, instance_.group_of, plan_.result)) return;
    within_memory(budget_, [this] { work(); });
    settle();
  }

 private:
  void work() {
    start_from_staged();
    anneal(kFirstMoves);  // quick, and max-load may take all the time there is
    const std::uint64_t slice = std::min<std::uint64_t>(kMaxLoadTicks, kTicksPerGroup * instance_.graph.size());
    const bool tiny = program_size() <= kTinyProgram;  // CBC needs no help
    const bool converged = tiny || bound_by_max_load(slice);
    anneal(kMostMoves);
    if (!split_ || program_size() <= kLargestProgram) {
      use_integer_program();
    } else if (!converged) {
      keep_at_it(slice);
    }
  }

  bool done() const {
    return (split_ && value_ - bound_ <= std::max(options_.gap, kOptimalGap) * value_) || budget_.exhausted();
  }

  // Values are measured here, whoever made the split.
  void offer(const Split& split) {
    const double value = gpipe_value(passes_, instance_.platform, to_free(problem_, instance_, split));
    if (split_ && value >= value_) return;
    Split copy = split;  // if memory ends here, the best stays whole
    split_ = std::move(copy);
    value_ = value;
    tell(Progress::Event::Split, {});
  }

  void raise_bound(double bound, const std::string& proof) {
    bound = std::min(bound, value_);
    if (bound <= bound_) return;
    bound_ = bound;
    proof_ = proof;
    plan_.certificate.reset();
    tell(Progress::Event::Bound, proof);
  }

  void start_from_staged() {
    Problem staged = problem_;
    staged.shape = Shape::Staged;
    const StagedInstance instance = make_staged_instance(staged);
    const PassGraphs graphs = make_pass_graphs(staged, instance.graph, instance.group_of);
    Budget slice(budget_, kStagedTicks);
    const StagedOutcome outcome =
        solve_staged_gpipe(graphs, instance.platform, {true, options_.gap, options_.seed}, slice, {});
    if (!outcome.split) return;
    Split split = lift_stages(staged, instance, outcome.split->stages);
    split.order.clear();
    offer(split);
  }

  // A free split of max-load may be a split of this problem too, and starts the annealing. True if more time would not
  // help.
  bool bound_by_max_load(std::uint64_t ticks) {
    if (done()) return true;
    std::optional<FreeSplit> start;
    if (split_) start = to_free(problem_, instance_, *split_);
    Budget slice(budget_, ticks);
    const FreeOutcome outcome =
        solve_free(instance_, start, {options_.gap, options_.seed}, certificate_check(problem_, instance_), slice, {});
    raise_bound(outcome.bound, kByMaxLoad);
    if (outcome.proof && bound_ == outcome.bound)
      plan_.certificate = make_certificate(problem_, instance_, *outcome.proof);
    if (outcome.split && problem_.shape == Shape::Free) {
      max_load_split_ = outcome.split;
      offer(lift_free(problem_, instance_, *outcome.split));
    }
    return !slice.exhausted();
  }

  void keep_at_it(std::uint64_t slice) {
    bool converged = false;
    while (!done() && !converged) {
      slice *= 3;
      converged = bound_by_max_load(slice);
      anneal(kMostMoves);
    }
  }

  // From the best split, and from that of max-load: the former may be staged and a long way from any free one.
  void anneal(std::uint64_t most) {
    if (problem_.shape != Shape::Free) return;
    const std::uint64_t moves = std::min<std::uint64_t>(most, 5000 * instance_.graph.size());
    if (max_load_split_ && !done()) anneal_from(*max_load_split_, moves);
    if (split_ && !done()) anneal_from(to_free(problem_, instance_, *split_), moves);
  }

  void anneal_from(const FreeSplit& start, std::uint64_t moves) {
    const FreeSplit better = anneal_free_gpipe(passes_, instance_.platform, start, moves,
                                               bound_ * (1 + kOptimalGap / 2), options_.seed, budget_);
    offer(lift_free(problem_, instance_, better));
  }

  // Groups and nets times devices.
  std::size_t program_size() const {
    const std::size_t devices = static_cast<std::size_t>(instance_.platform.accelerators + instance_.platform.hosts);
    return devices * (instance_.graph.size() + passes_[0].net_count() + passes_[1].net_count());
  }

  // Without a split, only the program can tell that there is none.
  void use_integer_program() {
    if (done()) return;
    CbcBackend backend;
    IpOptions options{.gap = options_.gap};
    options.start = split_;
    const IpOutcome outcome = solve_ip(problem_, backend, options, budget_, sink_ ? best_so_far() : Sink());
    if (outcome.split) offer(*outcome.split);
    raise_bound(outcome.bound, outcome.proof);
    infeasible_ = outcome.infeasible && !split_;
  }

  // What CBC tells, with the bound known before it.
  Sink best_so_far() const {
    return [this](const Progress& heard) {
      Progress told = heard;
      told.value = std::min(told.value, value_);
      told.bound = std::max(told.bound, bound_);
      sink_(told);
    };
  }

  void settle() {
    Result& result = plan_.result;
    result.bound = bound_;
    result.proof = proof_;
    if (split_) {
      result.split = split_;
      settle_status(problem_, value_, bound_, plan_);
    } else if (infeasible_) {
      result.status = Status::Infeasible;
      result.reason = std::string("no ") + to_string(problem_.shape) +
                      " split meets the limits of memory and the devices each node can run on";
    } else {
      result.reason = kNoSplitYet;
    }
  }

  void tell(Progress::Event event, const std::string& detail) const {
    if (sink_) sink_({event, budget_.seconds_used(), value_, bound_, 0, detail});
  }

  static constexpr std::uint64_t kStagedTicks = 8'000'000, kMaxLoadTicks = 20'000'000, kTicksPerGroup = 50'000,
                                 kFirstMoves = 1'000'000, kMostMoves = 6'000'000;
  static constexpr std::size_t kTinyProgram = 150, kLargestProgram = 100'000;  // beyond, CBC gets nowhere

  const Problem& problem_;
  const PlanOptions& options_;
  Budget& budget_;
  const Sink& sink_;
  Plan& plan_;
  const FreeInstance instance_;
  const PassNets passes_;
  std::optional<Split> split_;
  std::optional<FreeSplit> max_load_split_;
  double value_ = kNoValue, bound_ = 0;
  std::string proof_ = "loads are not negative";
  bool infeasible_ = false;
};

}  // namespace

void plan_gpipe(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  if (problem.shape == Shape::Staged) {
    plan_by_stages(problem, options, budget, sink, plan,
                   [&](const StagedInstance& instance, const StagedOptions& staged) {
                     const PassGraphs graphs = make_pass_graphs(problem, instance.graph, instance.group_of);
                     return solve_staged_gpipe(graphs, instance.platform, staged, budget, sink);
                   });
  } else {
    ShapelessGpipe(problem, options, budget, sink, plan).run();
  }
}

}  // namespace partita
