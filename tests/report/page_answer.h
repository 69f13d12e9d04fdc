// SPDX-License-Identifier: Apache-2.0
// A question on a small graph, a split of it, and the page of both.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "partita/report/page.h"
#include "tests/support/graph_text.h"

namespace partita::detail {

using Json = nlohmann::json;

struct Answer {
  Problem problem;
  Result result;
  CheckReport report;

  Answer() = default;
  Answer(std::string_view graph, std::string_view split, Shape shape = Shape::Staged, int accelerators = 3) {
    problem.workload = graph_from_text(graph, accelerators);
    problem.workload.change().name = "by hand";
    problem.shape = shape;
    result.split = split_from_text(problem.workload, split);
    answer();
  }

  void answer() {
    report = check(problem, *result.split);
    result.status = Status::Feasible;
    result.value = report.value;
    result.bound = report.value / 2;
  }

  PageContent content() const {
    PageContent content;
    content.command = "plan";
    content.problem = &problem;
    content.result = &result;
    content.report = &report;
    return content;
  }
  Json page() const { return Json::parse(page_json(content())); }
};

// In the pass forward b's output goes to two devices; the backward nodes run on the devices of their twins.
inline constexpr const char* kTraining =
    "a 1 9 out=1 mem=7 colour=1; b 2 9 out=2 colour=2; c 3 9 out=4 colour=3; d 4 - out=8 colour=4;"
    "e 5 9 out=16 back colour=4; f 6 9 out=32 back colour=2; a -> b -> c -> d; b -> d; d -> e -> f; b -> f";
inline constexpr const char* kTrainingSplit = "a b f | c | d e";

}  // namespace partita::detail
