// SPDX-License-Identifier: Apache-2.0
#include "app/partita/page_report.h"

#include <algorithm>

#include "app/shared/options.h"
#include "partita/schedule/simulate_pieces.h"

namespace partita::detail::app {
namespace {

constexpr std::size_t kMicrobatches = 8;      // where the question does not say
constexpr std::size_t kBatches = 6;           // enough to see that they repeat each other
constexpr std::size_t kIntervalsOfPiece = 3;  // in, compute, out; more are not recorded than the page shows

SimulationOptions one_sample() {
  SimulationOptions options;
  options.kind = ScheduleKind::Sequential;
  options.samples = options.record = 1;
  return options;
}

// Throughput: enough samples to see how the pipeline fills, how it runs, and how it drains.
SimulationOptions enough_samples(const Problem& problem, std::size_t pieces) {
  SimulationOptions options;
  options.kind = default_schedule(problem);
  options.microbatches = problem.microbatches > 0 ? static_cast<std::size_t>(problem.microbatches) : kMicrobatches;
  options.samples = options.kind == ScheduleKind::GPipe ? kBatches * options.microbatches : 3 * pieces + 12;
  const std::size_t steps = (kIntervalsOfPiece + 1) * std::max<std::size_t>(pieces, 1);  // at most, with exchanges
  options.samples = std::clamp<std::size_t>(kMostTasks / steps, 1, options.samples);
  const std::size_t room = kMostIntervals / (kIntervalsOfPiece * std::max<std::size_t>(pieces, 1));
  options.record = std::clamp<std::size_t>(room, 1, options.samples);
  return options;
}

Simulation at_work(const Problem& problem, const Split& split, const CheckReport& report) {
  if (problem.objective == Objective::Latency) return simulate(problem, split, one_sample());
  const Pieces pieces = cut_into_pieces(problem, split, report);
  return simulate_pieces(problem, split, report, pieces, enough_samples(problem, pieces.pieces.size()));
}

}  // namespace

void add_report_option(Command& command, std::string& file) {
  path(command.add_option("--report", file,
                          "Write a page here that shows it all, to be opened in a browser: one HTML file that needs\n"
                          "nothing else, and no network"));
}

PageReport::PageReport(std::string command, const std::string& file) : output_(file, "--report") {
  content_.command = std::move(command);
}

Sink PageReport::recorder(Sink next) {
  return [this, next = std::move(next)](const Progress& progress) {
    const bool moved =
        progress_.empty() || progress.value != progress_.back().value || progress.bound != progress_.back().bound;
    if (moved) progress_.push_back(progress);
    if (next) next(progress);
  };
}

void PageReport::write(const Problem& problem) {
  content_.problem = &problem;
  output_.write(page_html(content_));
}

void PageReport::write(const Problem& problem, const Result& result, const CheckReport& report) {
  content_.result = &result;
  content_.report = &report;
  std::optional<Simulation> simulation;
  if (!content_.simulation && result.split && report.legal()) simulation = at_work(problem, *result.split, report);
  if (simulation) content_.simulation = &*simulation;
  if (!progress_.empty()) {
    progress_.push_back({Progress::Event::Done, result.seconds, result.value, result.bound, 0, ""});
    content_.progress = &progress_;
  }
  write(problem);
}

std::optional<PageReport> page_report(const std::string& command, const std::string& file) {
  if (file.empty()) return std::nullopt;
  return PageReport(command, file);
}

}  // namespace partita::detail::app
