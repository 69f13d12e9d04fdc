// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/staged_certificate.h"

#include <fmt/format.h>

#include <algorithm>

#include "partita/check/certificate.h"
#include "partita/portfolio/certified_steps.h"
#include "partita/portfolio/claim_model.h"
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
constexpr std::size_t kWidestLayer = 60'000, kMostStates = 1'000'000, kBytesPerState = 200;

class StagedCertifier {
 public:
  StagedCertifier(const Problem& problem, const StagedInstance& instance, const Result& result,
                  const StagedCertificateOptions& options, Budget& budget, const Sink& sink)
      : problem_(problem), instance_(instance), result_(result), options_(options), budget_(budget), sink_(sink) {}

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

  // From the smallest graph to the largest; cases at last, of the one that loses least of those with an answer.
  bool certify(double limit, Budget& budget) {
    CertifiedSteps steps(problem_, instance_, limit, budget);
    steps.presolve();
    std::optional<Certificate> for_cases;
    std::size_t last = 0;
    const auto take_turn = [&](std::vector<Certificate::Step> taken) {
      if (budget.exhausted() || (last > 0 && taken.size() == last)) return false;  // the same graph again
      last = taken.size();
      Certificate claim = claim_for(limit, std::move(taken));
      const Refutation answer = ask(claim, false, budget);
      if (answer == Refutation::LpFeasible) for_cases = std::move(claim);
      return answer == Refutation::Refuted;
    };
    if (steps.graph().size() > options_.small_graph && steps.graph().has_closure()) {
      for (const double dose : kShrinkDoses) {
        if (take_turn(steps.shrunk(dose))) return true;
      }
    }
    if (take_turn(steps.steps())) return true;
    return for_cases && !budget.exhausted() && ask(*for_cases, true, budget) == Refutation::Refuted;
  }

  Certificate claim_for(double limit, std::vector<Certificate::Step> steps) const {
    Certificate claim;
    claim.limit = limit;
    claim.shape = Shape::Staged;
    claim.steps = std::move(steps);
    return claim;
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
