// SPDX-License-Identifier: Apache-2.0
#include "partita/check/listed_split.h"

#include <fmt/format.h>

#include <algorithm>

#include "partita/check/names.h"
#include "partita/check/placement.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

constexpr std::size_t kViolationsNamed = 2;

// Precondition: the listing is legal, so that every node and every copy has found its place.
Split split_of(const Problem& problem, const Placement& placement, const CheckReport& report) {
  Split split;
  split.device_of = placement.device_of;
  split.order = report.order;
  const auto any = [](const auto& items) {
    return std::any_of(items.begin(), items.end(), [](auto one) { return one != 0; });
  };
  if (problem.objective == Objective::Latency && any(placement.subgraph_of)) split.subgraph_of = placement.subgraph_of;
  if (any(placement.recomputes)) split.recomputes = placement.recomputes;
  if (std::any_of(placement.copy_of.begin(), placement.copy_of.end(), [](DeviceId d) { return d.valid(); })) {
    split.copy_of = placement.copy_of;
    for (DeviceId d : split.copy_of.all()) {
      if (!split.copy_of[d].valid()) split.copy_of[d] = d;
    }
  }
  return split;
}

std::string first_violations(const std::vector<Violation>& violations) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kViolationsNamed, violations.size()); ++i)
    text += fmt::format("{}{}: {}", i ? "; " : "", to_string(violations[i].kind), violations[i].message);
  if (violations.size() > kViolationsNamed)
    text += fmt::format("; and {}", counted(violations.size() - kViolationsNamed, "more violation"));
  return text;
}

}  // namespace

std::string options_that_differ(const Problem& question, const Problem& other) {
  std::vector<std::string> options;
  const auto word = [&](const char* option, auto member) {
    if (question.*member != other.*member)
      options.push_back(fmt::format("{} = {}", option, to_string(question.*member)));
  };
  const auto count = [&](const char* option, int Problem::*member, int none) {
    if (question.*member == other.*member) return;
    options.push_back(question.*member == none ? fmt::format("no {}", option)
                                               : fmt::format("{} = {}", option, question.*member));
  };
  const auto flag = [&](const char* option, bool Problem::*member) {
    if (question.*member != other.*member)
      options.push_back(fmt::format("{}{}", question.*member ? "" : "no ", option));
  };
  word("Question::objective", &Problem::objective);
  const bool latency = question.objective == Objective::Latency;
  if (!latency) {
    word("Question::shape", &Problem::shape);
    word("Question::transfers", &Problem::transfers);
    flag("Question::backward_shape", &Problem::backward_shape);
    count("Question::replicas", &Problem::replicas, 1);
    word("Question::memory_model", &Problem::memory_model);
    count("Question::microbatches", &Problem::microbatches, 0);
    flag("Question::recompute", &Problem::recompute);
  } else {
    count("Question::subgraphs", &Problem::subgraphs, 1);
    if (question.strict_host_cores != other.strict_host_cores)
      options.push_back(fmt::format("Question::strict_host_cores{}", question.strict_host_cores ? "" : " = false"));
  }
  return fmt::format("{}", fmt::join(options, ", "));
}

ListedSplit legal_split(const Problem& problem, const SplitListing& listing, const std::optional<Problem>& answered,
                        const std::string& where) {
  CheckReport report = check(problem, listing);
  if (!report.legal()) {
    const std::string made_with = answered ? options_that_differ(*answered, problem) : "";
    const std::string hint =
        made_with.empty()
            ? "give the workload and the options (platform, objective, shape ...) that the plan was made with"
            : fmt::format("the plan was made with other options than those given now: {}", made_with);
    throw InputError(ErrorKind::IllegalSplit, where,
                     fmt::format("is not legal here: {}; {}; `partita check` names all that is wrong",
                                 first_violations(report.violations), hint));
  }
  std::vector<Violation> none;
  Split split = split_of(problem, match_listing(problem, listing, none), report);
  return {std::move(split), std::move(report)};
}

}  // namespace partita::detail
