// SPDX-License-Identifier: Apache-2.0
#include "partita/check/claims.h"

#include <fmt/format.h>

#include <string_view>

#include "partita/check/times.h"

namespace partita::detail {
namespace {

// A proof as solvers name it, by words that are in it, and what it means; the first row that fits counts. `best` is
// said of an optimal split, `below` of a bound that is less than the value.
struct PlainWords {
  std::string_view words;
  const char* best;
  const char* below;
};

constexpr PlainWords kPlainWords[] = {
    {"exhaustive search", "searched all: nothing better exists", "searched everything below that: there is nothing"},
    {"every split was looked at", "looked at every split: nothing better exists", ""},
    {"branch and bound", "searched all cases: nothing better exists", "searched cases: none goes below that"},
    {"no split below the bound is left", "ruled out whatever would be better",
     "ruled out whatever would be below that"},
    {"relaxation:", "a relaxation of the problem cannot do better either",
     "a relaxation of the problem cannot go below that either"},
    {"configuration LP; its certificate was verified",
     "certificate verified: a linear program that allows more than any split cannot do better",
     "certificate verified: a linear program that allows more than any split cannot go below that"},
    {"configuration LP", "a linear program that allows more than any split cannot do better",
     "a linear program that allows more than any split cannot go below that"},
    {"volume of work; its certificate was verified",
     "certificate verified: all devices together cannot do the work any sooner",
     "certificate verified: all devices together cannot do the work any sooner"},
    {"volume of work", "all devices together cannot do the work any sooner",
     "all devices together cannot do the work any sooner"},
    {"at least the average", "the work in equal shares takes every device as long",
     "the work in equal shares takes every device that long"},
    {"both passes together", "even the largest load of both passes together cannot be less",
     "the largest load of both passes together cannot go below that"},
    {"each pass", "neither pass can be faster, even alone", "neither pass can be faster, even alone"},
    {"longest path of least node times", "operators that wait for each other take as long on their fastest devices",
     "operators that wait for each other take that long on their fastest devices"},
    {"packing:", "there are more branches than accelerators, and none runs several of them sooner",
     "there are more branches than accelerators, and none runs several of them sooner"},
    {"a spine:", "operators that wait for each other cannot finish sooner on these accelerators",
     "operators that wait for each other cannot finish sooner on these accelerators"},
    {"labels", "no operator's earliest possible finish allows a better end",
     "no operator's earliest possible finish allows an earlier end"},
    {"integer program: claimed by HiGHS", "an integer program, which HiGHS solved, has no better answer",
     "an integer program, as far as HiGHS solved it, cannot go below that"},
    {"integer program", "an integer program, which CBC solved, has no better answer",
     "an integer program, as far as CBC solved it, cannot go below that"},
    {"a constraint that no split meets", "", ""},
    {"loads are not negative", "no time is less than nothing", ""},
};

// What plan() adds to the proof of a bound that others proved and a certificate confirms, or all but a part of it.
constexpr std::string_view kVerified = "; its certificate was verified", kCertifiedInPart = "; certified to within";

// plan() puts this before a proof that speaks of the coarser problem alone.
bool layers_together(const Result& result) { return result.proof.starts_with("with layers kept together: "); }

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Whose word it is, in the words of solve_ip().
const char* foreign_solver(const Result& result) {
  return contains(result.proof, "claimed by HiGHS") ? "HiGHS" : "CBC";
}

}  // namespace

std::string split_kind(Objective objective, Shape shape) {
  if (objective == Objective::Latency || shape == Shape::Free) return "split";
  return fmt::format("{} split", to_string(shape));
}

std::string claim_text(const Problem& problem, const Result& result) {
  if (result.status != Status::Optimal) return "best found";
  std::string text = "optimal";
  const bool latency = problem.objective == Objective::Latency;
  const std::string kind = split_kind(problem.objective, problem.shape);
  if (layers_together(result)) {
    text += fmt::format(" among {}s that keep layers together", kind);
  } else if (!latency) {
    text += problem.shape == Shape::Free ? " among all splits" : fmt::format(" among {}s", kind);
  }
  return result.unverified ? fmt::format("{} by {}'s word, not verified", text, foreign_solver(result)) : text;
}

std::string bound_text(const Problem& problem, const Result& result) {
  if (!(result.bound > 0)) return "";
  const std::string whose =
      result.unverified ? fmt::format("by {}'s word, not verified, ", foreign_solver(result)) : std::string();
  return fmt::format("{}no {}{} is below {}", whose, split_kind(problem.objective, problem.shape),
                     layers_together(result) ? " that keeps layers together" : "",
                     time_text(result.bound, problem.workload->time_unit));
}

std::string plain_proof(const Result& result) {
  const bool best = result.status == Status::Optimal;
  if (!best && !(result.bound > 0)) return "";
  for (const PlainWords& row : kPlainWords) {
    if (!contains(result.proof, row.words)) continue;
    std::string text = best ? row.best : row.below;
    if (contains(result.proof, "for free splits: ")) text += " (no split of any shape can)";
    if (contains(result.proof, "without the shared links: ")) text += " (even without the shared links)";
    if (contains(result.proof, "with a shared link in the loads: "))
      text += " (with what moves over a shared link in the loads of its devices)";
    if (contains(result.proof, "with all devices next to each other: "))
      text += " (even with all devices next to each other)";
    if (contains(result.proof, "with as few samples in flight as can be: "))
      text += " (even with as few samples in flight as can be)";
    if (contains(result.proof, kVerified) && !text.starts_with("certificate verified"))
      text = "certificate verified: " + text;
    if (const std::size_t at = result.proof.find(kCertifiedInPart); at != std::string::npos)
      text += result.proof.substr(at);
    if (result.unverified) text += "; nobody has verified that";
    return text;
  }
  return result.proof;
}

}  // namespace partita::detail
