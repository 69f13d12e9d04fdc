// SPDX-License-Identifier: Apache-2.0
// A report as one self-contained page: the program of web/, embedded, and the data it shows (web/src/data.ts).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partita/check/check.h"
#include "partita/model/comparison.h"
#include "partita/model/problem.h"
#include "partita/model/result.h"
#include "partita/model/run_trace.h"
#include "partita/model/sweep.h"
#include "partita/schedule/simulation.h"
#include "partita/util/progress.h"

namespace partita {

// The answer of one row of a comparison or of a sweep, with the question that it is for.
struct PageRow {
  Problem problem;
  Result result;       // with a split
  CheckReport report;  // of it
};

// What there is to show; what is null is left out. All must outlive the call.
struct PageContent {
  std::string command;               // "plan", "simulate", "compare", "sweep"
  const Problem* problem = nullptr;  // always
  const Result* result = nullptr;
  const CheckReport* report = nullptr;  // of result->split, where there is one
  const Simulation* simulation = nullptr;
  const Simulation* measured = nullptr;             // a real run beside it, of measured_run() (schedule/measured_run.h)
  const std::vector<Progress>* progress = nullptr;  // how value and bound converged
  const Comparison* comparison = nullptr;
  const Sweep* sweep = nullptr;
  // By run of the comparison or by point of the sweep, where that has a split: what a click on it shows.
  const std::vector<std::optional<PageRow>>* rows = nullptr;
};

// Of a timeline: of as many samples as have that many, intervals are shown, and of the first one in any case.
inline constexpr std::size_t kMostIntervals = 20'000;

// Of the splits of rows: as many are on the page as have that many nodes together, and with each of its own edge costs
// that many edges; a node takes about 20 bytes, so that they add at most about 8 MB to a page.
inline constexpr std::size_t kMostRowNodes = 400'000;

// The data alone, as one line of JSON that is safe inside a <script> element.
std::string page_json(const PageContent& content);
// The whole page: works from a file, without a network.
std::string page_html(const PageContent& content);

// The page of a split at work, as it was predicted and, below it, as it really ran. `report` is that of result.split,
// `predicted` a simulation of it, best of as many samples as the trace has. Throws InputError where the trace is not
// one of the split (schedule/measured_run.h).
std::string run_page_html(const Problem& problem, const Result& result, const CheckReport& report,
                          const Simulation& predicted, const RunTrace& trace);

}  // namespace partita
