// SPDX-License-Identifier: Apache-2.0
#include "partita/check/certificate.h"

#include <fmt/format.h>

#include <cmath>

#include "partita/check/certificate_ideals.h"
#include "partita/check/certificate_leaf.h"
#include "partita/check/certificate_tree.h"
#include "partita/check/claim_instance.h"
#include "partita/check/claim_steps.h"
#include "partita/check/label_proof.h"
#include "partita/check/names.h"

namespace partita::detail {
namespace {

// A weighted sum of compute, in and out is at most their sum if no weight is above 1; at most max(compute, in + out)
// if a + b <= 1; and at most max(compute, in, out) if a + 2 b <= 1.
bool weights_hold(const Certificate::Weights& weights, TransferMode mode) {
  constexpr std::int64_t kWhole = Certificate::kWeightUnit;
  const auto& [compute, transfers] = weights;
  for (std::size_t p = 0; p < compute.size(); ++p) {
    if (compute[p] < 0 || compute[p] > kWhole || transfers[p] < 0 || transfers[p] > kWhole) return false;
    if (mode == TransferMode::Overlap && compute[p] + transfers[p] > kWhole) return false;
    if (mode == TransferMode::Duplex && compute[p] + 2 * transfers[p] > kWhole) return false;
  }
  return true;
}

// Is every split of one shape one of the other?
bool includes(Shape wider, Shape narrower) {
  return wider == Shape::Free || wider == narrower || narrower == Shape::Staged;
}

// Empty if the claim answers the question.
std::string why_beside_the_point(const Problem& problem, const Certificate& certificate) {
  const bool latency = certificate.objective == Objective::Latency;
  if (problem.objective == Objective::Latency && !latency)
    return "it is about loads, and the value of this question is a time";
  if (problem.objective != Objective::Latency && latency)
    return "it is about the time of one sample, and the value of this question is a load";
  if (problem.replicas > 1 || problem.memory_model != MemoryModel::Flat)
    return "it is about splits without copies in which nodes take a fixed memory, and this question has others";
  if (!(certificate.limit > 0) || !std::isfinite(certificate.limit)) return "its limit is not a positive number";
  const bool prices = !certificate.classes.empty() || !certificate.devices.empty(),
             by_cases = !certificate.leaves.empty();
  const bool of_loads = prices || by_cases || certificate.ideals || !certificate.steps.empty();
  if (latency) return of_loads ? "it has prices, ideals or steps, which say nothing of latency" : "";
  if (!certificate.sweeps.empty()) return "it has labels, which say nothing of loads";
  if (!includes(certificate.shape, problem.shape))
    return fmt::format("it is about {} splits, and this question about {} ones", to_string(certificate.shape),
                       to_string(problem.shape));
  if (!weights_hold(certificate.weights, problem.transfers))
    return "its weights of compute and transfers make loads larger than this question's transfer mode does";
  if (by_cases && prices) return "it has prices beside those of its leaves";
  if (!certificate.ideals) return "";
  if (certificate.shape != Shape::Staged) return "it looks at ideals of splits that are not staged";
  if (prices || by_cases) return "it has prices beside ideals";
  return "";
}

}  // namespace

CertificateVerdict verify(const Problem& problem, const Certificate& certificate, Budget* given) {
  Budget unlimited_time;
  Budget& budget = given ? *given : unlimited_time;
  if (std::string reason = why_beside_the_point(problem, certificate); !reason.empty())
    return {false, std::move(reason), false};
  if (certificate.objective == Objective::Latency) return verify_labels(problem, certificate, budget);
  ClaimInstance instance = claim_instance(problem, certificate);
  if (certificate.shape == Shape::Staged || !certificate.steps.empty()) {
    if (CertificateVerdict verdict = take_steps(problem, certificate, instance, budget); !verdict.holds) return verdict;
  }
  const Platform& platform = problem.workload->platform;
  if (instance.refuted) return {true, "", false};
  if (certificate.ideals) return verify_ideals(platform, instance, *certificate.ideals, budget);
  instance.order = PointOrder(instance.points, instance.arcs, budget.limits().memory_bytes / 4);
  if (auto reason = find_missing_case(instance, certificate.leaves)) return {false, std::move(*reason), false};
  const std::vector<Certificate::Decision> root_decisions;
  if (certificate.leaves.empty())
    return verify_leaf(platform, instance, {root_decisions, certificate.classes, certificate.devices}, budget);
  for (std::size_t i = 0; i < certificate.leaves.size(); ++i) {
    const auto& [decisions, classes, devices] = certificate.leaves[i];
    CertificateVerdict verdict = verify_leaf(platform, instance, {decisions, classes, devices}, budget);
    if (verdict.holds) continue;
    verdict.reason = fmt::format("leaf {} of {}: {}", i + 1, certificate.leaves.size(), verdict.reason);
    return verdict;
  }
  return {true, "", false};
}

std::string splits_of_claim(const Certificate& certificate) {
  if (certificate.objective == Objective::Latency) return "no split is";
  return certificate.shape == Shape::Free ? "no split of any shape is"
                                          : fmt::format("no {} split is", to_string(certificate.shape));
}

std::string describe_certificate(const Problem& problem, const Certificate& certificate,
                                 const CertificateVerdict& verdict, const Budget::Limits& limits) {
  if (verdict.holds) {
    // In full: the limit of an optimal split lies a millionth below its value, and rounded it would be the value.
    const std::string& unit = problem.workload->time_unit;
    return fmt::format("certificate: verified{}; {} at {:.9g}{} or below\n",
                       certificate.leaves.empty() ? "" : fmt::format(", {} cases", certificate.leaves.size()),
                       splits_of_claim(certificate), certificate.limit, unit.empty() ? "" : " " + unit);
  }
  if (verdict.undecided) {
    return fmt::format("certificate: cannot be verified within {:g} s and {}: not accepted ({})\n", limits.seconds,
                       human_bytes(static_cast<double>(limits.memory_bytes)), verdict.reason);
  }
  return fmt::format("certificate: does not hold: {}\n", verdict.reason);
}

}  // namespace partita::detail
