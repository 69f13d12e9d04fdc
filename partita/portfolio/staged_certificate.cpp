// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/staged_certificate.h"

#include <fmt/format.h>

#include <algorithm>

#include "partita/check/certificate.h"
#include "partita/portfolio/claim_model.h"
#include "partita/reduce/presolve/unaffordable_cut.h"
#include "partita/reduce/presolve/unaffordable_pair.h"
#include "partita/reduce/shrink.h"
#include "partita/solve/configuration/pair_tree.h"
#include "partita/util/statistics.h"
#include "partita/util/within_limits.h"

namespace partita::detail {
namespace {

// For all limits together. Where the LP has not refuted a limit by then, it hardly ever does.
constexpr std::uint64_t kCertificateTicks = 100'000'000, kCertificateTicksPerGroup = 400'000;
constexpr double kBelowValue = 5e-7;  // relative: the first limit; so far that rounding is nothing, still `optimal`
// How far below the bound the next limits are, and how often it is tried between one that holds and one that does not.
constexpr double kStepsDown[] = {0, 0.001, 0.005, 0.02, 0.08, 0.25};
constexpr int kStepsBetween = 6;
constexpr double kNearEnough = 2e-4;   // relative, of two limits
constexpr double kShareOfLimit = 0.4;  // of the ticks that are left
constexpr int kRoundsOfJoins = 12;
constexpr std::size_t kWidestLayer = 60'000, kMostStates = 1'000'000, kBytesPerState = 200;

class StagedCertifier {
 public:
  StagedCertifier(const Problem& problem, const StagedInstance& instance, const Result& result,
                  const StagedCertificateOptions& options, Budget& budget, const Sink& sink)
      : problem_(problem), instance_(instance), result_(result), options_(options), budget_(budget), sink_(sink) {
    node_of_.resize(instance.graph.size());
    for (std::size_t i = instance.group_of.size(); i-- > 0;)
      node_of_[instance.group_of[NodeId(i)]] = problem.workload->graph.nodes[NodeId(i)].original_id;
  }

  std::optional<Certificate> run() {
    const double top = std::min(result_.bound, result_.value * (1 - kBelowValue));
    double high = top;
    for (const double step : kStepsDown) {
      if (budget_.exhausted()) return std::nullopt;
      const double limit = top * (1 - step);
      if (!(limit > 0) || try_limit(limit)) break;
      high = limit;
    }
    for (int i = 0; i < kStepsBetween && best_ && !budget_.exhausted(); ++i) {
      if (high - best_->limit <= kNearEnough * high) break;
      const double limit = (high + best_->limit) / 2;
      if (!try_limit(limit)) high = limit;
    }
    return std::move(best_);
  }

 private:
  bool try_limit(double limit) {
    Technique technique(budget_, "portfolio.staged_certificate", "limits certified");
    const auto left =
        static_cast<double>(budget_.limits().ticks - std::min(budget_.limits().ticks, budget_.ticks_used()));
    Budget slice(budget_, static_cast<std::uint64_t>(kShareOfLimit * left), kShareOfLimit * budget_.seconds_left());
    bool held = false;
    within_limits(slice, [&] { held = certify(limit, slice); });
    technique.yield(held);
    if (sink_)
      sink_({Progress::Event::Searching, budget_.seconds_used(), result_.value, result_.bound, instance_.graph.size(),
             fmt::format("certificate for {:.9g}: {}", limit, held ? "found" : "none")});
    return held;
  }

  // From the smallest graph to the largest; cases at last, of the one that loses least among those that the LP answered for.
  bool certify(double limit, Budget& budget) {
    std::optional<Certificate> for_cases;
    std::size_t removed = instance_.graph.size();
    const auto take_turn = [&](Certificate claim) {
      if (claim.steps.size() == removed) return false;  // the same graph again
      removed = claim.steps.size();
      add_joins(claim, budget);
      switch (ask(claim, false, budget)) {
        case Refutation::Refuted: return true;
        case Refutation::LpFeasible: for_cases = std::move(claim); break;
        case Refutation::Undecided: break;
      }
      return false;
    };
    if (instance_.graph.size() > options_.small_graph && instance_.graph.has_closure()) {
      for (const double dose : kShrinkDoses) {
        if (budget.exhausted()) return false;
        if (take_turn(claim_for(limit, removals(limit, dose, budget)))) return true;
      }
    }
    if (budget.exhausted()) return false;
    if (instance_.graph.size() <= ConvexOrder::kMostPoints && take_turn(claim_for(limit, {}))) return true;
    return for_cases && ask(*for_cases, true, budget) == Refutation::Refuted;
  }

  Certificate claim_for(double limit, std::vector<Certificate::Step> steps) const {
    Certificate claim;
    claim.limit = limit;
    claim.shape = Shape::Staged;
    claim.steps = std::move(steps);
    return claim;
  }

  std::vector<std::int64_t> nodes_of(const std::vector<GroupId>& groups) const {
    std::vector<std::int64_t> result;
    for (GroupId v : groups) result.push_back(node_of_[v]);
    return result;
  }

  std::vector<Certificate::Step> removals(double limit, double dose, const Budget& budget) const {
    std::vector<Removal> made;
    shrink(instance_.graph, Threshold{instance_.platform, limit}, dose, budget, &made);
    std::vector<Certificate::Step> steps;
    for (const Removal& removal : made) {
      Certificate::Step& step = steps.emplace_back();
      step.node = node_of_[removal.group];
      for (const Removal::Shift& shift : removal.shifts)
        step.shifts.push_back({nodes_of(shift.net), node_of_[shift.to]});
      step.bridge = nodes_of(removal.bridge);
      for (const std::vector<GroupId>& net : removal.into) step.into.push_back(nodes_of(net));
    }
    return steps;
  }

  // Cuts where pairs bring nothing, as presolve does. A round whose joins the check refuses is taken back.
  void add_joins(Certificate& claim, Budget& budget) const {
    for (int round = 0; round < kRoundsOfJoins && !budget.exhausted(); ++round) {
      const std::optional<ClaimModel> model = ClaimModel::make(problem_, claim, budget);
      if (!model) return;
      UnionFind<GroupId> merge(model->graph().size());
      GroupPairs pairs;
      const Threshold question = model->question_of_joins();
      if (join_unaffordable_pairs(model->graph(), question, merge, &pairs) == 0)
        join_unaffordable_cuts(model->graph(), question, budget, merge, &pairs);
      if (pairs.empty()) return;
      const std::size_t before = claim.steps.size();
      for (const auto& [a, b] : pairs) {
        Certificate::Step& step = claim.steps.emplace_back();
        step.node = model->node_of(a);
        step.join = model->node_of(b);
      }
      if (ClaimModel::make(problem_, claim, budget)) continue;
      claim.steps.resize(before);
      return;
    }
  }

  Refutation ask(const Certificate& claim, bool by_cases, Budget& budget) {
    const std::optional<ClaimModel> model = ClaimModel::make(problem_, claim, budget);
    if (!model || model->graph().size() == 0 || model->graph().size() > ConvexOrder::kMostPoints)
      return Refutation::Undecided;
    ConfigurationModel configuration = model->configuration();
    GroupPrices prices{{}, std::vector<double>(configuration.classes.size(), 0)};
    for (GroupId v : model->graph().all()) prices.of.push_back(model->graph().accelerator_time(v));
    const std::size_t room = budget.table_bytes() / kBytesPerState / configuration.classes.size();
    ConfigurationLp lp(std::move(configuration), std::move(prices), model->order(options_.seed, budget),
                       Trellis::Size{kWidestLayer, std::min(kMostStates, room)});
    lp.suggest(model->sets_of(*result_.split));
    if (!by_cases) {
      const Refutation answer = lp.refute(ClaimModel::kLimit, budget);
      return answer == Refutation::Refuted && !accept(claim, *model, {lp.proof()}) ? Refutation::LpFeasible : answer;
    }
    PairTree tree(lp, ClaimModel::kLimit);
    const Refutation answer = tree.refute(budget);
    return answer == Refutation::Refuted && !accept(claim, *model, tree.leaves()) ? Refutation::LpFeasible : answer;
  }

  // Only what passes the check counts.
  bool accept(Certificate certificate, const ClaimModel& model, const ProofTree& proof) {
    if (proof.size() == 1 && proof.front().decisions.empty()) {
      Certificate::Leaf only = model.leaf(proof.front());
      certificate.classes = std::move(only.classes);
      certificate.devices = std::move(only.devices);
    } else {
      for (const FreeProof& one : proof) certificate.leaves.push_back(model.leaf(one));
    }
    if (!verify(problem_, certificate, &budget_).holds) return false;
    if (!best_ || certificate.limit > best_->limit) best_ = std::move(certificate);
    return true;
  }

  const Problem& problem_;
  const StagedInstance& instance_;
  const Result& result_;
  const StagedCertificateOptions options_;
  Budget& budget_;
  const Sink& sink_;
  IdVector<GroupId, std::int64_t> node_of_;  // original ids
  std::optional<Certificate> best_;
};

}  // namespace

std::optional<Certificate> certify_staged(const Problem& problem, const StagedInstance& instance, const Result& result,
                                          const StagedCertificateOptions& options, Budget& budget, const Sink& sink) {
  Budget part(budget, kCertificateTicks + kCertificateTicksPerGroup * instance.graph.size());
  std::optional<Certificate> certificate;
  within_limits(part, [&] { certificate = StagedCertifier(problem, instance, result, options, part, sink).run(); });
  return certificate;
}

std::string words_for(const Certificate& certificate, const Result& result) {
  if (certificate.limit >= result.bound * (1 - kOptimalGap)) return "; its certificate was verified";
  return fmt::format("; certified to within {:.2g} % of the value", 100 * (1 - certificate.limit / result.value));
}

}  // namespace partita::detail
