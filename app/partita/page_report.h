// SPDX-License-Identifier: Apache-2.0
// --report FILE: the page that a command writes beside what it says in the terminal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/partita/output.h"
#include "app/shared/command_line.h"
#include "partita/report/page.h"

namespace partita::detail::app {

// The option. `file` is empty where no page is asked for.
void add_report_option(Command& command, std::string& file);

class PageReport {
 public:
  // Finds out at once whether the file can be written. Throws InputError(Unwritable).
  PageReport(std::string command, const std::string& file);

  // Keeps what the search tells, and hands it on.
  Sink recorder(Sink next);

  bool is_stdout() const { return output_.is_stdout(); }

  // What the page shows besides, where a command has it; all must outlive the call of write().
  void show(const Comparison& comparison) { content_.comparison = &comparison; }
  void show(const Sweep& sweep) { content_.sweep = &sweep; }
  void show(const Simulation& simulation) { content_.simulation = &simulation; }
  void show_measured(const Simulation& run) { content_.measured = &run; }  // beside a simulation
  void show(const std::vector<std::optional<PageRow>>& rows) { content_.rows = &rows; }

  // Writes the page of a question without an answer of its own: one that was asked many times.
  void write(const Problem& problem);
  // Writes the page of a result. A split at work is shown as the schedule that fits the question runs it, unless a
  // simulation is given. `report` is that of the split, where there is one.
  void write(const Problem& problem, const Result& result, const CheckReport& report);

 private:
  Output output_;
  PageContent content_;
  std::vector<Progress> progress_;
};

// Nothing where no page is asked for.
std::optional<PageReport> page_report(const std::string& command, const std::string& file);

}  // namespace partita::detail::app
