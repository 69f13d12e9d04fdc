// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/staged_certificate.h"

#include <fmt/format.h>

#include <algorithm>

#include "partita/check/certificate.h"
#include "partita/check/certificate_ideals.h"
#include "partita/check/claim_steps.h"
#include "partita/portfolio/certified_steps.h"
#include "partita/portfolio/claim_model.h"
#include "partita/portfolio/start.h"
#include "partita/solve/configuration/convex_bound.h"
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
constexpr double kNearEnough = 2e-4;               // relative, of two limits
constexpr double kShareOfLimit = 0.5;              // of the ticks that are left
constexpr int kFewPlaces = 64, kManyPlaces = 256;  // of windows
constexpr int kMostRounds = 8;                     // of windows and presolve
constexpr double kShareOfTurn = 0.4;               // of what is left of a limit's time
constexpr double kShareOfIdeals = 0.4;             // of the time of a graph; the LP has the rest

// Of two doses: narrow graphs lose the same groups by fewer links.
bool do_the_same(const std::vector<Certificate::Step>& a, const std::vector<Certificate::Step>& b) {
  return std::ranges::equal(
      a, b, [](const Certificate::Step& x, const Certificate::Step& y) { return x.links.size() == y.links.size(); });
}

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
    const auto left = static_cast<double>(budget_.ticks_left());
    Budget slice(budget_, static_cast<std::uint64_t>(kShareOfLimit * left), kShareOfLimit * budget_.seconds_left());
    bool held = false;
    within_limits(slice, [&] { held = certify(limit, slice); });
    technique.yield(held);
    if (sink_)
      sink_({Progress::Event::Searching, budget_.seconds_used(), result_.value, result_.bound, instance_.graph.size(),
             fmt::format("certificate for {:.9g}: {}", limit, held ? "found" : "none")});
    return held;
  }

  // From the smallest graph to the largest; cases at last, of the one that loses least of those with an answer. Each has
  // its share of what is left, so that the first cannot keep the others from being asked.
  bool certify(double limit, Budget& budget) {
    CertifiedSteps steps(problem_, instance_, limit, budget);
    steps.presolve();
    if (!steps.graph().has_closure()) return false;
    std::vector<std::vector<Certificate::Step>> turns;
    if (steps.graph().size() > options_.small_graph) {
      for (const ShrinkDose& dose : kConvexDoses) {
        std::vector<Certificate::Step> taken = steps.shrunk(dose);
        if (turns.empty() || !do_the_same(taken, turns.back())) turns.push_back(std::move(taken));
      }
    }
    if (turns.empty() || turns.back().size() != steps.steps().size()) turns.push_back(steps.steps());
    std::optional<Claim> for_cases;
    for (std::size_t i = 0; i < turns.size() && !budget.exhausted(); ++i) {
      Budget turn = share_of(budget, kShareOfTurn, kAnyTicks);
      std::optional<Claim> claim = claim_for(limit, std::move(turns[i]), turn);
      if (!claim) continue;
      if (ask_ideals(*claim, turn)) return true;
      const Refutation answer = ask(*claim, false, turn);
      if (answer == Refutation::Refuted) return true;
      if (answer == Refutation::LpFeasible) for_cases = std::move(claim);
    }
    return for_cases && !budget.exhausted() && ask(*for_cases, true, budget) == Refutation::Refuted;
  }

  // A certificate that lacks its end, and what the check makes of its steps.
  struct Claim {
    Certificate certificate;
    ClaimInstance instance;
  };

  // With windows, and presolve again of what they leave, until nothing comes of it. Nothing when time is up.
  std::optional<Claim> claim_for(double limit, std::vector<Certificate::Step> steps, Budget& budget) const {
    Certificate certificate;
    certificate.limit = limit;
    certificate.shape = Shape::Staged;
    Claim claim{certificate, claim_instance(problem_, certificate)};
    if (!take(claim, std::move(steps), budget)) return std::nullopt;
    for (const int places : {kFewPlaces, kManyPlaces}) {
      for (int round = 0; round < kMostRounds; ++round) {
        Certificate::Step windows;
        windows.windows = places;
        if (!take(claim, {windows}, budget)) return std::nullopt;
        if (claim.instance.refuted) return claim;
        auto [platform, graph, node] = ClaimModel(problem_, claim.instance).question();
        if (!graph.has_closure()) return std::nullopt;
        CertifiedSteps more(platform, std::move(graph), std::move(node), ClaimModel::kLimit, budget);
        more.presolve();
        Claim further = claim;
        if (more.steps().empty() || !take(further, more.steps(), budget)) break;
        claim = std::move(further);
      }
    }
    return claim;
  }

  // False if the check refuses a step, or has no time to look at it.
  bool take(Claim& claim, std::vector<Certificate::Step> steps, Budget& budget) const {
    Certificate part;
    part.shape = claim.certificate.shape;
    part.steps = std::move(steps);
    if (!take_steps(problem_, part, claim.instance, budget).holds) return false;
    auto& all = claim.certificate.steps;
    all.insert(all.end(), part.steps.begin(), part.steps.end());
    return true;
  }

  // The check goes through them itself.
  bool ask_ideals(const Claim& claim, Budget& budget) {
    Budget part = share_of(budget, kShareOfIdeals, kAnyTicks);
    const Platform& platform = problem_.workload->platform;
    if (!claim.instance.refuted && !verify_ideals(platform, claim.instance, kManyPlaces, part).holds) return false;
    Certificate certificate = claim.certificate;
    certificate.ideals = kManyPlaces;
    return accept(std::move(certificate));
  }

  Refutation ask(const Claim& claim, bool by_cases, Budget& budget) {
    const ClaimModel model(problem_, claim.instance);
    if (model.graph().size() == 0 || model.graph().size() > ConvexOrder::kMostPoints) return Refutation::Undecided;
    ConfigurationLp lp = convex_lp(model.configuration(), model.order(options_.seed, budget), {}, budget);
    lp.suggest(model.sets_of(*result_.split));
    if (!by_cases) {
      const Refutation answer = lp.refute(ClaimModel::kLimit, budget);
      return answer == Refutation::Refuted && !accept(claim.certificate, model, {lp.proof()}) ? Refutation::LpFeasible
                                                                                              : answer;
    }
    PairTree tree(lp, ClaimModel::kLimit);
    const Refutation answer = tree.refute(budget);
    return answer == Refutation::Refuted && !accept(claim.certificate, model, tree.leaves()) ? Refutation::LpFeasible
                                                                                             : answer;
  }

  // Only what passes the check counts.
  bool accept(Certificate certificate, const ClaimModel& model, const ProofTree& proof) {
    model.write(proof, certificate);
    return accept(std::move(certificate));
  }

  bool accept(Certificate certificate) {
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
