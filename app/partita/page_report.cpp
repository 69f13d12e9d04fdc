// SPDX-License-Identifier: Apache-2.0
#include "app/partita/page_report.h"

#include "app/shared/options.h"
#include "partita/report/split_at_work.h"

namespace partita::detail::app {

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
  if (!content_.simulation && result.split && report.legal())
    simulation = split_at_work(problem, *result.split, report);
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
