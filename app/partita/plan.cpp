// SPDX-License-Identifier: Apache-2.0
// `partita plan INPUT`: the main job. Reads a workload, finds a split, writes it and says how good it is.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/partita/commands.h"
#include "app/partita/engine_settings.h"
#include "app/partita/interrupt.h"
#include "app/partita/output.h"
#include "app/partita/page_report.h"
#include "app/partita/pictures.h"
#include "app/partita/plan_report.h"
#include "app/partita/progress_view.h"
#include "app/partita/solving.h"
#include "app/partita/statistics_table.h"
#include "app/partita/wishes.h"
#include "app/partita/written.h"
#include "app/shared/exit_codes.h"
#include "app/shared/help_formatter.h"
#include "app/shared/memory_limit.h"
#include "app/shared/options.h"
#include "app/shared/question.h"
#include "app/shared/terminal_width.h"
#include "partita/ask/answered_problem.h"
#include "partita/ask/nodes_called.h"
#include "partita/ask/option_names.h"
#include "partita/check/listed_split.h"
#include "partita/check/times.h"
#include "partita/partita.h"
#include "partita/read/bytes.h"
#include "partita/read/split.h"
#include "partita/report/certificate_json.h"
#include "partita/report/explain_text.h"
#include "partita/report/plan_json.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"
#include "partita/write/engines/engine_question.h"

namespace partita::detail::app {
namespace {

struct PlanArguments {
  QuestionOptions question;
  WishOptions wishes;
  Solving solving;
  std::string engine;    // whose rules the plan keeps; empty: none
  std::string solution;  // empty: search
  std::string start;     // a plan to improve on; empty: none
  std::string format = "plan";
  std::string output;                  // empty: only the report
  std::string certificate;             // empty: not written
  std::string svg;                     // empty: not written
  std::string dot;                     // empty: not written
  std::string report;                  // empty: not written
  std::optional<std::string> explain;  // a name, an id or a pattern; empty: the operators that take longest
  bool quiet = false;
  bool verbose = false;
  bool stats = false;
};

constexpr const char* kPlanExamples = R"(
Examples:
  partita plan model.json
  partita plan model.json --accelerators 4 --memory 16GiB -o plan.json
  partita plan model.json --objective latency --time-limit 2min
  partita plan model.json --shape free --gap 1% --report page.html
  partita plan model.onnx --platform 4xa100 --explain '*attn*'
  partita plan config.json --platform 2xa100+t4 --for vllm -o plan.json
)";

Stopped why_stopped(const Budget& budget) {
  if (budget.cancelled()) return Stopped::Interrupted;
  if (budget.out_of_memory()) return Stopped::OutOfMemory;
  return budget.exhausted() ? Stopped::OutOfTime : Stopped::No;
}

int exit_code(Status status, const Budget& budget) {
  switch (status) {
    case Status::Optimal:
    case Status::Feasible: return 0;
    case Status::Infeasible: return static_cast<int>(ErrorKind::Infeasible);
    case Status::Unknown:
      return static_cast<int>(budget.out_of_memory() ? ErrorKind::OutOfMemory : ErrorKind::NoSplitFound);
  }
  return 1;
}

// A result without a split still makes a plan, with its status and reason; the seed format has no place for either.
void write_result(const PlanArguments& arguments, const Output& output, const AskedProblem& asked, bool whole_layers,
                  const Plan& plan, const Statistics& statistics) {
  if (arguments.format == "plan") {
    const std::string& file = arguments.question.workload;
    const RunRecord run{arguments.solving.options.settings, arguments.stats ? &statistics : nullptr,
                        ModelRecord{file == "-" ? "" : file, "", recorded(arguments.question.model)}, whole_layers,
                        arguments.engine};
    output.write(plan_json(asked.problem, plan.result, plan.report, asked.devices, run));
  } else if (plan.result.split) {
    output.write(seed_json(asked.problem, plan.result, plan.report));
  }
}

void print_no_split(const PlanArguments& arguments, const Result& result, const Budget& budget) {
  std::string message = fmt::format("{}: {}: {}", arguments.question.workload, to_string(result.status), result.reason);
  if (arguments.format == "seed") message += "; nothing was written, as the seed format cannot say so";
  if (result.status == Status::Unknown) message += budget.out_of_memory() ? kGiveMoreMemory : kGiveMoreTime;
  if (!arguments.svg.empty() || !arguments.dot.empty()) message += "; there is nothing to draw";
  print_error("partita", message);
}

// Certificates are prices of nodes, which the bounds of the configuration LP are made of; for latency, labels.
std::string why_no_certificate(const Problem& problem, const Result& result) {
  if (!result.split) return "there is no split";
  if (!(result.bound > 0)) return "nothing was proved";
  if (problem.objective == Objective::Latency) return "no labels were found for this bound, nor for a lower one";
  if (problem.shape == Shape::Staged)
    return "none was found for this bound, nor for a lower one, in three tenths of the time (for staged splits they "
           "are looked for where accelerators are equal and loads are sums); there may be one for --shape free, "
           "whose bound holds for staged splits too";
  return fmt::format("this bound has no certificate ({})", result.proof);
}

// Not all that was asked for: a result without a split has no pictures, and few bounds have a certificate.
void tell_what_was_written(const PlanArguments& arguments, const Plan& plan) {
  const bool split = plan.result.split.has_value();
  std::vector<std::string> paths{arguments.report};
  if (split || arguments.format == "plan") paths.push_back(arguments.output);
  if (plan.certificate) paths.push_back(arguments.certificate);
  if (split) paths.insert(paths.end(), {arguments.svg, arguments.dot});
  tell_written(paths);
}

// The plan that another solver's solution of the integer program describes.
Plan read_plan(const PlanArguments& arguments, const Problem& problem) {
  const std::string where = source_name(arguments.solution);
  const Plan answer = adopt(problem, read_integer_solution(problem, read_bytes(arguments.solution), where));
  if (!answer.result.split) throw InputError(ErrorKind::IllegalSplit, where, answer.result.reason);
  return answer;
}

// The split that runs today. What its file says of its question and devices does not count: those of today may be others.
ListedSplit read_start(const PlanArguments& arguments, const Problem& problem) {
  std::string workload = arguments.question.workload, start = arguments.start;
  const PlanFile plan = read_plan_file(workload, start);
  require_same_graph(plan, problem.workload->graph, workload);
  SplitListing listing = parse_split(plan.bytes, plan.source);
  listing.claimed_value.reset();  // by other costs, perhaps
  return legal_split(problem, listing, plan.says ? std::optional(plan.says->asked) : std::nullopt, plan.source);
}

// What was gained over the split that was started from.
std::string gain_text(const PlanArguments& arguments, const Problem& problem, double before, const Result& result) {
  const std::string today = time_text(before, problem.workload->time_unit);
  const std::string name = visible(source_name(arguments.start));
  if (!result.split || result.value == before) return fmt::format("{}: {}; nothing better was found\n", name, today);
  if (result.value > before)
    return fmt::format("{}: {}, but it does not keep layers as was asked; nothing better that does was found\n", name,
                       today);
  return fmt::format("{}: {}; this plan is {:.3g} times as fast\n", name, today, before / result.value);
}

// A bound on splits that keep layers together would be taken for one on all splits.
void refuse_with_layers(bool given, const char* option, const char* layers) {
  if (given) throw InputError(ErrorKind::Usage, option, fmt::format("cannot be used together with {}", layers));
}

// The option would change nothing, and whoever gave it would not know.
void refuse_without_layers(const Problem& problem, const std::string& workload, const char* option) {
  const auto has_layer = [](const Node& node) { return node.layer.has_value(); };
  if (std::ranges::any_of(problem.workload->graph.nodes, has_layer)) return;
  throw InputError(ErrorKind::Usage, option,
                   fmt::format("no node of {} has a layerId, so there are no layers to keep together; leave it out",
                               source_name(workload)));
}

// Better told before a long search than after it.
void refuse_as_seed(bool given, const char* option) {
  if (given) {
    throw InputError(ErrorKind::Usage, "--format",
                     fmt::format("seed cannot hold what {} may lead to; use --format plan", option));
  }
}

// Better told before a long search than after it.
std::optional<ExplainOptions> what_to_explain(const PlanArguments& arguments, const AskedProblem& asked) {
  if (!arguments.explain) return std::nullopt;
  ExplainOptions options{.rates = asked.devices.rates};
  const std::string& name = *arguments.explain;
  if (name.empty()) return options;
  options.nodes =
      nodes_called(asked.problem.workload->graph, name, "--explain", source_name(arguments.question.workload));
  return options;
}

// What is asked of the planner, with the rules of the engine.
PlanOptions options_with_rules(const PlanArguments& arguments, const Engine* engine, const Problem& problem,
                               const WeightNames& weights) {
  PlanOptions options = arguments.solving.plan_options();
  if (!engine || !engine->rules.whole_layers) return options;
  options.contract_layers = true;
  options.layer_ends = ends_to_ask_for(engine->rules, problem.workload->graph, weights);
  return options;
}

int run_plan(PlanArguments arguments) {
  limit_memory(arguments.solving.memory_limit);
  read_within_memory_limit(arguments.question);
  const Engine* engine = arguments.engine.empty() ? nullptr : find_engine(arguments.engine);
  const char* layers_option = arguments.solving.options.contract_layers ? "--contract-layers" : "--for";
  if (arguments.format == "seed") {
    refuse_as_seed(arguments.question.replicas.value_or(1) > 1, "--replicate");
    refuse_as_seed(arguments.question.recompute, "--recompute");
  }
  if (arguments.solving.options.contract_layers || engine) {
    refuse_with_layers(!arguments.certificate.empty(), "--certificate", layers_option);
    refuse_with_layers(!arguments.solution.empty(), "--read-solution", layers_option);
  }
  refuse_clashes({{"-o", arguments.output},
                  {"--certificate", arguments.certificate},
                  {"--svg", arguments.svg},
                  {"--dot", arguments.dot},
                  {"--report", arguments.report}},
                 {arguments.question.workload, arguments.question.platform_file, arguments.solution, arguments.start});
  std::optional<Output> output;
  if (!arguments.output.empty()) output.emplace(arguments.output);
  std::optional<Output> certificate;
  if (!arguments.certificate.empty()) certificate.emplace(arguments.certificate, "--certificate");
  const Pictures pictures(arguments.svg, arguments.dot);
  std::optional<PageReport> page = page_report("plan", arguments.report);
  AskedProblem asked = read_asked_problem(arguments.question);
  if (engine) ask_for_engine(*engine, asked.problem, asked.devices);
  asked.problem.wishes =
      read_wishes(arguments.wishes, asked.problem.workload, source_name(arguments.question.workload));
  const Problem& problem = asked.problem;
  const WeightNames weights =
      engine ? weight_names(arguments.question.workload, arguments.question.model, *problem.workload) : WeightNames();
  PlanOptions options = options_with_rules(arguments, engine, problem, weights);
  if (options.contract_layers) refuse_without_layers(problem, arguments.question.workload, layers_option);

  options.certificate = certificate.has_value();
  std::optional<ExplainOptions> explained = what_to_explain(arguments, asked);
  std::optional<double> before;  // what the split to start from costs
  if (!arguments.start.empty()) {
    const ListedSplit start = read_start(arguments, problem);
    options.start = start.split;
    before = start.report.value;
  }

  Statistics statistics;
  Budget budget(arguments.solving.limits());
  if (arguments.stats) budget.collect(statistics);
  ProgressView view(arguments.verbose ? ProgressView::Detail::Everything : ProgressView::Detail::LiveLine, budget);
  Sink sink;
  if (!arguments.quiet) {
    view.start();
    sink = [&view](const Progress& progress) { view.show(progress); };
  }
  if (page) sink = page->recorder(std::move(sink));
  const InterruptGuard guard(budget);  // until all is written: a late Ctrl-C must not lose the answer either
  Plan answer = arguments.solution.empty() ? plan(problem, options, budget, sink) : read_plan(arguments, problem);
  use_memory_reserve();
  put_in_options(answer.result);
  const Stopped stopped = why_stopped(budget);
  view.finish();

  const bool stdout_taken =
      (output && output->is_stdout()) || (page && page->is_stdout()) || pictures.on_standard_output();
  const std::size_t width = page_width(stdout_taken ? STDERR_FILENO : STDOUT_FILENO);
  const PlanReportOptions words{.stopped = stopped,
                                .gap = arguments.solving.options.gap,
                                .searched = arguments.solution.empty(),
                                .technical = arguments.verbose,
                                .width = width};
  std::string report = arguments.quiet ? "" : plan_report(problem, answer, words);
  if (before && !arguments.quiet) report += gain_text(arguments, problem, *before, answer.result);
  if (explained && !arguments.quiet) {
    explained->width = width;
    report += "\n" + explain_text(problem.workload, *explained);
  }
  if (engine && answer.result.split && !arguments.quiet)
    report += "\n" + settings_text(*engine, arguments.question.workload, arguments.output,
                                   {.problem = problem, .split = *answer.result.split, .weights = weights});
  if (arguments.stats && !arguments.quiet) report += "\n" + statistics_table(statistics, answer.result.seconds);
  try {
    if (output) write_result(arguments, *output, asked, options.contract_layers, answer, statistics);
    if (certificate && answer.certificate) certificate->write(certificate_json(problem, *answer.certificate));
    pictures.write(problem, answer);
    if (page) page->write(problem, answer.result, answer.report);
  } catch (const InputError&) {
    print_report(report, stdout_taken);  // the disk may have filled up meanwhile: what was found is at least shown
    throw;
  }
  print_report(report, stdout_taken);
  if (!arguments.quiet) tell_what_was_written(arguments, answer);
  if (!answer.result.split) print_no_split(arguments, answer.result, budget);
  if (answer.result.split && stopped == Stopped::OutOfMemory && !arguments.quiet)
    print_error("partita", out_of_memory_text("the best split so far was kept"));
  if (certificate && !answer.certificate) {
    print_error("partita", fmt::format("--certificate: {}: nothing was written: {}", arguments.certificate,
                                       why_no_certificate(problem, answer.result)));
    if (answer.result.split) return static_cast<int>(ErrorKind::Unsupported);
  }
  return exit_code(answer.result.status, budget);
}

void add_solving(Command& command, PlanArguments& arguments) {
  path(command.add_option("--start", arguments.start,
                          "A plan to improve on, as of today: the answer is never worse than it"));
  add_solving_options(command, arguments.solving,
                      "Answer with the best split and bound so far after this time (default 60 s; inf for none)");
  command.add_flag(
      "--contract-layers", arguments.solving.options.contract_layers,
      "Keep the nodes of each layer (layerId) on one device; bound and status are then those of such\nsplits");
  choices(
      command.add_option("--for", arguments.engine,
                         "Keep the rules of the engine that is to run the plan (whole layers, stages in a row and so\n"
                         "on: docs/engines.md); `partita export` then writes its settings"),
      engine_names())
      .option_text("ENGINE");
  path(command.add_option("--read-solution", arguments.solution,
                          "Do not search: take the split from this solution file, which a solver made of the integer\n"
                          "program that convert --to mps or lp wrote for the same objective, shape and platform"));
}

void add_output(Command& command, PlanArguments& arguments) {
  command.group(kOutputGroup);
  const Option output =
      path(command.add_option("-o,--output", arguments.output, "Write the split here; - for standard output"));
  choices(command
              .add_option("--format", arguments.format,
                          "What to write (default plan): plan, Partita's own JSON; seed, the paper code's output")
              .needs(output),
          {"plan", "seed"});
  path(command.add_option(
      "--certificate", arguments.certificate,
      "Write here what proves the bound, or a lower one as near to it as can be found; staged splits\n"
      "and latency keep three tenths of the time limit for that. partita-check --certificate verifies it"));
  add_picture_options(command, arguments.svg, arguments.dot);
  add_report_option(command, arguments.report);
  command
      .add_option("--explain", arguments.explain,
                  "Also print what the times of operators are made of, and where they come from: of those that take\n"
                  "longest, or of NODE, which is a name, an id or a pattern such as '*attn*'")
      .optional_value()
      .option_text("[NODE]");
  command.add_flag("-q,--quiet", arguments.quiet, "Print nothing but errors");
  command.add_flag("--stats", arguments.stats,
                   "Also tell how often each technique was used, how long it took and what it gave");
  command.add_flag("-v,--verbose", arguments.verbose, "Also print each step of the search (see below)");
}

}  // namespace

void add_plan_command(Command& program, Action& action) {
  Command command = program.add_subcommand("plan", "Find the best split of a workload over its devices");
  auto arguments = std::make_shared<PlanArguments>();
  path(command
           .add_option("INPUT", arguments->question.workload, "A workload file, plain or gzipped; - for standard input")
           .required());
  add_question_options(command, arguments->question);
  add_wish_options(command, arguments->wishes);
  add_solving(command, *arguments);
  add_output(command, *arguments);
  command.footer(
      "Ctrl-C stops the search: the best split so far is written and shown. A second one ends the program.\n\n" +
      progress_legend() + kPlanExamples);
  command.callback([&action, arguments] { action = [arguments] { return run_plan(*arguments); }; });
}

}  // namespace partita::detail::app
