// SPDX-License-Identifier: Apache-2.0
// `partita compare INPUT...`: every algorithm that applies, side by side.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/partita/commands.h"
#include "app/partita/compare_view.h"
#include "app/partita/interrupt.h"
#include "app/partita/output.h"
#include "app/partita/page_report.h"
#include "app/partita/settings_option.h"
#include "app/partita/solving.h"
#include "app/partita/written.h"
#include "app/shared/exit_codes.h"
#include "app/shared/help_formatter.h"
#include "app/shared/options.h"
#include "app/shared/question.h"
#include "app/shared/terminal_width.h"
#include "partita/ask/option_names.h"
#include "partita/compare/compare.h"
#include "partita/read/split.h"
#include "partita/report/compare_json.h"
#include "partita/report/compare_text.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita::detail::app {
namespace {

struct CompareArguments {
  QuestionOptions question;  // but for the workload
  std::vector<std::string> inputs;
  std::vector<std::string> experts;
  CompareOptions options;
  double memory_limit = default_memory_limit();  // bytes
  std::string format = "table";
  std::string output = "-";
  std::string report;  // empty: not written
  bool no_times = false;
  bool quiet = false;
};

constexpr double kSecondsForEachAlgorithm = 10;  // unless said otherwise

constexpr const char* kExamples = R"(
Examples:
  partita compare model.json --shape free --time-limit 30s
  partita compare a.json b.json c.json --algorithms dp,local-search
  partita compare model.json --format markdown -o table.md
)";

std::string algorithm_table() {
  std::string solvers, baselines;
  for (const AlgorithmEntry& entry : algorithms())
    (entry.baseline ? baselines : solvers) +=
        fmt::format("  {:<21} {}\n", entry.name, in_options(std::string(entry.summary)));
  return "Solvers:\n" + solvers + "Baselines:\n" + baselines +
         "\nWithout --algorithms, those run that have an answer to the question, and whose splits have the shape that "
         "was asked for; baselines run anyway, and a split that breaks a rule is marked. --shape free shows all.\n\n";
}

std::vector<Problem> read_problems(const CompareArguments& arguments) {
  if (std::ranges::count(arguments.inputs, "-") > 1)
    throw InputError(ErrorKind::Usage, "INPUT", "'-' is given twice; only one of them can be standard input");
  if (!arguments.experts.empty() && arguments.experts.size() != arguments.inputs.size()) {
    throw InputError(ErrorKind::Usage, "--expert",
                     fmt::format("given {} times for {} inputs; expected one for each, in their order",
                                 arguments.experts.size(), arguments.inputs.size()));
  }
  std::vector<Problem> problems;
  for (const std::string& input : arguments.inputs) {
    QuestionOptions question = arguments.question;
    question.workload = input;
    problems.push_back(read_problem(question));
  }
  return problems;
}

// Workloads of one name are told apart by their folders, or else by their paths.
void name_apart(const std::vector<std::string>& inputs, std::vector<Problem>& problems) {
  const auto rename_equals = [&](const std::function<std::string(std::size_t)>& name) {
    std::map<std::string, int> count;
    for (const Problem& problem : problems) ++count[problem.workload->name];
    for (std::size_t i = 0; i < problems.size(); ++i) {
      if (count[problems[i].workload->name] > 1) problems[i].workload.change().name = name(i);
    }
  };
  rename_equals([&](std::size_t i) {
    const std::string folder = std::filesystem::path(inputs[i]).parent_path().filename().string();
    return visible(folder.empty() ? inputs[i] : folder + "/" + problems[i].workload->name);
  });
  rename_equals([&](std::size_t i) { return visible(inputs[i]); });
}

std::string report(const CompareArguments& arguments, const std::vector<Problem>& problems,
                   const std::vector<Comparison>& comparisons, bool to_stdout) {
  if (arguments.format == "json") {
    return compare_json(problems.front(), comparisons,
                        {arguments.options.seconds, arguments.options.algorithm.seed, !arguments.no_times});
  }
  CompareTextOptions options;
  options.markdown = arguments.format == "markdown";
  options.times = !arguments.no_times;
  if (to_stdout) options.width = page_width(STDOUT_FILENO);
  return compare_text(comparisons, options);
}

// 0 if every workload has a legal split; else the code of the first that has none.
int exit_code(const std::vector<Comparison>& comparisons, const Budget& budget) {
  for (const Comparison& comparison : comparisons) {
    const auto& runs = comparison.runs;
    if (std::ranges::any_of(runs, &AlgorithmRun::legal)) continue;
    ErrorKind kind = budget.out_of_memory() ? ErrorKind::OutOfMemory : ErrorKind::NoSplitFound;
    std::string why = "no algorithm found a legal split";
    if (comparison.infeasible()) {
      kind = ErrorKind::Infeasible;
      why = "infeasible: " + std::ranges::find(runs, AlgorithmRun::Outcome::Infeasible, &AlgorithmRun::outcome)->reason;
    } else if (std::ranges::all_of(
                   runs, [](const AlgorithmRun& run) { return run.outcome == AlgorithmRun::Outcome::NotApplicable; })) {
      kind = ErrorKind::Unsupported;
      why = "none of the algorithms applies";
    }
    print_error("partita", fmt::format("{}: {}", visible(comparison.name, kLongestShownName), why));
    return static_cast<int>(kind);
  }
  return 0;
}

void refuse_page_of_many(const CompareArguments& arguments) {
  if (!arguments.report.empty() && arguments.inputs.size() > 1)
    throw InputError(ErrorKind::Usage, "--report", "shows one workload; give one INPUT, or --format markdown for many");
}

Result result_of(const AlgorithmRun& run) {
  Result result;
  result.status = run.optimal && run.legal ? Status::Optimal : Status::Feasible;
  result.split = run.split;
  result.value = run.value;
  result.bound = run.bound;
  result.proof = run.proof;
  result.unverified = run.unverified;
  result.seconds = run.seconds;
  return result;
}

// The page of the best split, with the table of all, each of which can be shown instead.
void write_page(const Problem& problem, const Comparison& comparison, PageReport& page) {
  const Result answer = comparison.answer();
  std::vector<std::optional<PageRow>> rows(comparison.runs.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const AlgorithmRun& run = comparison.runs[i];
    if (run.split) rows[i] = PageRow{problem, result_of(run), check(problem, *run.split)};
  }
  page.show(comparison);
  page.show(rows);
  page.write(problem, answer, answer.split ? check(problem, *answer.split) : CheckReport{});
}

int run_compare(CompareArguments arguments) {
  refuse_page_of_many(arguments);
  limit_memory(arguments.memory_limit);
  read_within_memory_limit(arguments.question);
  std::vector<std::string> inputs = arguments.inputs;
  inputs.insert(inputs.end(), arguments.experts.begin(), arguments.experts.end());
  inputs.push_back(arguments.question.platform_file);
  refuse_clashes({{"-o", arguments.output}, {"--report", arguments.report}}, inputs);
  const Output output(arguments.output);
  std::optional<PageReport> page = page_report("compare", arguments.report);
  std::vector<Problem> problems = read_problems(arguments);
  std::vector<SplitListing> experts;
  for (const std::string& file : arguments.experts) experts.push_back(read_split(file));
  name_apart(arguments.inputs, problems);

  Budget::Limits limits;
  limits.memory_bytes = search_memory(arguments.memory_limit);
  Budget budget(limits);
  const InterruptGuard guard(budget);  // until all is written: a late Ctrl-C must not lose the answer either
  CompareView view(budget, arguments.options.seconds);
  std::vector<Comparison> comparisons;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    CompareOptions options = arguments.options;
    if (!experts.empty()) options.algorithm.expert = experts[i];
    view.start(problems[i].workload->name, i, problems.size());
    comparisons.push_back(compare(problems[i], options, budget, arguments.quiet ? CompareWatcher{} : view.watcher()));
    for (AlgorithmRun& run : comparisons.back().runs) run.reason = in_options(std::move(run.reason));
  }
  use_memory_reserve();
  view.finish();
  output.write(report(arguments, problems, comparisons, output.is_stdout()));
  if (page) write_page(problems.front(), comparisons.front(), *page);
  if (!arguments.quiet) tell_written({arguments.output, arguments.report});
  if (budget.cancelled()) print_error("partita", "interrupted: some algorithms had less time, or none");
  if (budget.out_of_memory() && !arguments.quiet)
    print_error("partita", out_of_memory_text("some algorithms had to do with less"));
  return exit_code(comparisons, budget);
}

void add_running(Command& command, CompareArguments& arguments) {
  command.group(kSearchGroup);
  AlgorithmOptions& options = arguments.options.algorithm;
  arguments.options.seconds = kSecondsForEachAlgorithm;
  std::vector<std::string> names;
  for (const AlgorithmEntry& entry : algorithms()) names.emplace_back(entry.name);
  command
      .add_option("--algorithms", arguments.options.algorithms,
                  "Run these, in this order, whatever they find (default: all that apply; see below)")
      .option_text("NAME,NAME,...")
      .delimiter(',')
      .allow_extra_args(false)
      .offers(Offer::Kind::List, names);
  seconds(command.add_option("--time-limit", arguments.options.seconds,
                             "Time for each algorithm on each input (default 10 s; inf for none)"));
  add_memory_option(command, arguments.memory_limit);
  whole(command.add_option("--threads", options.threads, "Threads that an algorithm may use (default 1)"), "N", 1,
        1024);
  whole(command.add_option("--seed", options.seed, "Seed of all random choices (default 1)"), "S", 0,
        std::numeric_limits<std::int64_t>::max());
  add_settings_option(command, options.settings);
  path(command.add_option("--expert", arguments.experts,
                          "A split by hand, for the algorithm `expert`: a plan, or the paper code's output.\n"
                          "With several inputs, given once for each"))
      .allow_extra_args(false);
}

void add_output(Command& command, CompareArguments& arguments) {
  command.group(kOutputGroup);
  choices(command.add_option("--format", arguments.format,
                             "What to write (default table): table, for people; json; markdown, to paste"),
          {"table", "json", "markdown"});
  path(command.add_option("-o,--output", arguments.output, "Write it here (default -, standard output)"));
  add_report_option(command, arguments.report);
  command.add_flag("--no-times", arguments.no_times,
                   "Leave the times out: the rest is the same on every run of a seed, unless a limit was reached");
  command.add_flag("-q,--quiet", arguments.quiet, "Print no progress");
}

}  // namespace

void add_compare_command(Command& program, Action& action) {
  Command command = program.add_subcommand("compare", "Run several algorithms on workloads, side by side");
  auto arguments = std::make_shared<CompareArguments>();
  path(command.add_option("INPUT", arguments->inputs, "Workload files, plain or gzipped; - for standard input")
           .required());
  add_question_options(command, arguments->question);
  add_running(command, *arguments);
  add_output(command, *arguments);
  command.footer(algorithm_table() +
                 "Ctrl-C ends the algorithm that runs, and the table shows what there is. A second one ends the "
                 "program.\n" +
                 kExamples);
  command.callback([&action, arguments] { action = [arguments] { return run_compare(*arguments); }; });
}

}  // namespace partita::detail::app
