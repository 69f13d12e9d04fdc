// SPDX-License-Identifier: Apache-2.0
// `partita sweep INPUT --vary PARAMETER=RANGE`: what more devices, memory or bandwidth would gain, and where it ends.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "app/partita/commands.h"
#include "app/partita/interrupt.h"
#include "app/partita/output.h"
#include "app/partita/page_report.h"
#include "app/partita/solving.h"
#include "app/partita/sweep_view.h"
#include "app/partita/vary_option.h"
#include "app/partita/written.h"
#include "app/shared/exit_codes.h"
#include "app/shared/help_formatter.h"
#include "app/shared/options.h"
#include "app/shared/question.h"
#include "app/shared/terminal_width.h"
#include "partita/ask/option_names.h"
#include "partita/portfolio/sweep.h"
#include "partita/portfolio/vary.h"
#include "partita/report/sweep_json.h"
#include "partita/report/sweep_svg.h"
#include "partita/report/sweep_text.h"
#include "partita/util/error.h"

namespace partita::detail::app {
namespace {

struct SweepArguments {
  QuestionOptions question;
  std::string vary;
  Solving solving;
  double worthwhile = 0.01;
  std::string output;  // empty: only the table
  std::string svg;     // empty: not written
  std::string report;  // empty: not written
  bool no_times = false;
  bool quiet = false;
};

constexpr double kSecondsForEachPoint = 10;  // unless said otherwise

constexpr const char* kSweepFooter =
    R"(The ends of the range come first, then the points between; those that their neighbours answer need no search: with more
devices, memory or bandwidth the best split never gets worse. (Strict host cores are the exception.)

Ctrl-C ends the sweep: the points so far are written and shown. A second one ends the program.

Examples:
  partita sweep model.json --vary accelerators=1..8 --svg curve.svg
  partita sweep model.json --vary memory=4G..32G:4G --memory-model 1f1b
  partita sweep model.json --vary bandwidth=0.5,1,2,4 --shape free -o sweep.json
)";

// The page of the curve, and of the split at the point after which more stops paying; where there is no such point, at
// the last one that has a split. A click on another point shows the split of that one.
void write_page(const Problem& problem, const Sweep& sweep, PageReport& page) {
  page.show(sweep);
  std::vector<std::optional<PageRow>> rows(sweep.points.size());
  const auto fill = [&](std::size_t i) {
    const SweepPoint& point = sweep.points[i];
    Problem there = varied(problem, sweep.parameter, point.parameter);
    CheckReport report = check(there, *point.result.split);
    rows[i] = PageRow{std::move(there), point.result, std::move(report)};
  };
  std::optional<std::size_t> shown = sweep.enough;
  for (std::size_t i = sweep.points.size(); !shown && i-- > 0;) {
    if (sweep.points[i].result.split) shown = i;
  }
  if (!shown) {
    page.write(problem);
    return;
  }
  fill(*shown);
  // Each point has a workload of its own: no more of them are made than the page has room for.
  std::size_t room = kMostRowNodes / std::max<std::size_t>(problem.workload->graph.nodes.size(), 1);
  for (std::size_t i = 0; i < rows.size() && room > 0; ++i) {
    if (rows[i] || !sweep.points[i].result.split) continue;
    fill(i);
    --room;
  }
  page.show(rows);
  page.write(rows[*shown]->problem, rows[*shown]->result, rows[*shown]->report);
}

// Opened before the search, so that a path that cannot be written is told at once.
struct SweepOutputs {
  explicit SweepOutputs(const SweepArguments& arguments) {
    refuse_clashes({{"-o", arguments.output}, {"--svg", arguments.svg}, {"--report", arguments.report}},
                   {arguments.question.workload, arguments.question.platform_file});
    if (!arguments.output.empty()) json.emplace(arguments.output);
    if (!arguments.svg.empty()) svg.emplace(arguments.svg, "--svg");
    page = page_report("sweep", arguments.report);
  }

  bool stdout_taken() const {
    return (json && json->is_stdout()) || (svg && svg->is_stdout()) || (page && page->is_stdout());
  }

  void write(const SweepArguments& arguments, const Problem& problem, const Sweep& sweep) {
    if (json) json->write(sweep_json(problem, sweep, {arguments.solving.time_limit, arguments.solving.options.seed}));
    if (svg) svg->write(sweep_svg(problem, sweep));
    if (page) write_page(problem, sweep, *page);
  }

  std::optional<Output> json;
  std::optional<Output> svg;
  std::optional<PageReport> page;
};

SweepOptions sweep_options(const SweepArguments& arguments) {
  SweepOptions options;
  options.plan = arguments.solving.plan_options();
  options.seconds = arguments.solving.time_limit;
  options.worthwhile = arguments.worthwhile;
  return options;
}

void print_table(const SweepArguments& arguments, const Problem& problem, const Sweep& sweep, bool stdout_taken) {
  if (stdout_taken && arguments.quiet) return;
  const int stream = stdout_taken ? STDERR_FILENO : STDOUT_FILENO;
  print_report(sweep_text(problem, sweep, {!arguments.no_times, page_width(stream)}), stdout_taken);
}

// 0 if some point has a split.
int exit_code(const SweepArguments& arguments, const Sweep& sweep, const Budget& budget) {
  const auto has = [&](auto property) { return std::ranges::any_of(sweep.points, property); };
  if (has([](const SweepPoint& point) { return point.result.split.has_value(); })) return 0;
  const bool unknown =
      sweep.points.empty() || has([](const SweepPoint& point) { return point.result.status == Status::Unknown; });
  print_error("partita", fmt::format("{}: {}{}", arguments.question.workload, sweep.verdict,
                                     !unknown                 ? ""
                                     : budget.out_of_memory() ? kGiveMoreMemory
                                                              : kGiveMoreTime));
  if (!unknown) return static_cast<int>(ErrorKind::Infeasible);
  return static_cast<int>(budget.out_of_memory() ? ErrorKind::OutOfMemory : ErrorKind::NoSplitFound);
}

// A number of what is varied would be passed over in silence.
void refuse_fixed(const SweepArguments& arguments, SweepParameter parameter) {
  const PlatformOverrides& given = arguments.question.platform;
  const auto refuse = [&](SweepParameter one, bool fixed, const char* option) {
    if (parameter != one || !fixed) return;
    throw InputError(ErrorKind::Usage, option,
                     fmt::format("--vary {} already says this; leave out one of the two", to_string(parameter)));
  };
  refuse(SweepParameter::Accelerators, given.accelerators.has_value(), "--accelerators");
  refuse(SweepParameter::Hosts, given.hosts.has_value(), "--hosts");
  refuse(SweepParameter::Memory, given.memory.has_value(), "--memory");
}

int run_sweep(SweepArguments arguments) {
  limit_memory(arguments.solving.memory_limit);
  read_within_memory_limit(arguments.question);
  const Variation variation = parse_variation(arguments.vary);
  refuse_fixed(arguments, variation.parameter);
  SweepOutputs outputs(arguments);
  const Problem problem = read_problem(arguments.question);

  Budget::Limits limits;
  limits.memory_bytes = search_memory(arguments.solving.memory_limit);
  Budget budget(limits);
  const InterruptGuard guard(budget);  // until all is written: a late Ctrl-C must not lose the answer either
  SweepView view(variation.parameter, budget, arguments.solving.time_limit);
  Sweep sweep = partita::sweep(problem, variation.parameter, variation.values, sweep_options(arguments), budget,
                               arguments.quiet ? SweepWatcher{} : view.watcher());
  use_memory_reserve();
  for (SweepPoint& point : sweep.points) put_in_options(point.result);
  view.finish();

  try {
    outputs.write(arguments, problem, sweep);
  } catch (const InputError&) {
    print_table(arguments, problem, sweep, outputs.stdout_taken());  // what was found is at least shown
    throw;
  }
  print_table(arguments, problem, sweep, outputs.stdout_taken());
  if (!arguments.quiet) tell_written({arguments.output, arguments.svg, arguments.report});
  if (budget.cancelled()) {
    print_error("partita", fmt::format("interrupted: {} of {} points, the last of them with less time",
                                       sweep.points.size(), variation.values.size()));
  }
  if (budget.out_of_memory() && !arguments.quiet)
    print_error("partita", out_of_memory_text("some points had to do with less"));
  return exit_code(arguments, sweep, budget);
}

void add_varying(Command& command, SweepArguments& arguments) {
  command.group("Sweep");
  command
      .add_option("--vary", arguments.vary,
                  "What to vary, and over which values: accelerators, hosts, memory (of each accelerator) or\n"
                  "bandwidth (how many times as fast the links are); A..B, A..B:STEP, or A,B,C")
      .option_text("PARAMETER=RANGE")
      .required()
      .offers(Offer::Kind::Prefix, {"accelerators=", "hosts=", "memory=", "bandwidth="});
  fraction(command.add_option("--worthwhile", arguments.worthwhile,
                              "A point is enough if no later one is faster by more than this (default 0.01, or 1%)"),
           1000);
}

void add_output(Command& command, SweepArguments& arguments) {
  command.group(kOutputGroup);
  path(command.add_option("-o,--output", arguments.output, "Write the sweep here as JSON; - for standard output"));
  path(command.add_option("--svg", arguments.svg, "Draw the curve here; - for standard output"));
  add_report_option(command, arguments.report);
  command.add_flag("--no-times", arguments.no_times, "Leave the times out of the table");
  command.add_flag("-q,--quiet", arguments.quiet, "Print no progress");
}

}  // namespace

void add_sweep_command(Command& program, Action& action) {
  Command command =
      program.add_subcommand("sweep", "Find out what more devices, memory or bandwidth would gain, and where it ends");
  auto arguments = std::make_shared<SweepArguments>();
  arguments->solving.time_limit = kSecondsForEachPoint;
  path(command
           .add_option("INPUT", arguments->question.workload, "A workload file, plain or gzipped; - for standard input")
           .required());
  add_varying(command, *arguments);
  add_question_options(command, arguments->question);
  add_solving_options(command, arguments->solving, "Time for each point (default 10 s; inf for none)");
  add_output(command, *arguments);
  command.footer(kSweepFooter);
  command.callback([&action, arguments] { action = [arguments] { return run_sweep(*arguments); }; });
}

}  // namespace partita::detail::app
