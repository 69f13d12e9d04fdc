// SPDX-License-Identifier: Apache-2.0
// `partita simulate INPUT PLAN`: runs a plan on a stream of samples, event by event, and measures it.
#include "partita/schedule/simulation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "app/partita/commands.h"
#include "app/partita/output.h"
#include "app/partita/page_report.h"
#include "app/partita/written.h"
#include "app/shared/help_formatter.h"
#include "app/shared/options.h"
#include "app/shared/question.h"
#include "app/shared/terminal_width.h"
#include "partita/ask/answered_problem.h"
#include "partita/ask/option_names.h"
#include "partita/check/describe.h"
#include "partita/check/listed_split.h"
#include "partita/check/warnings.h"
#include "partita/read/bytes.h"
#include "partita/read/split.h"
#include "partita/read/trace.h"
#include "partita/report/run_comparison.h"
#include "partita/report/simulate_json.h"
#include "partita/report/simulate_text.h"
#include "partita/report/timeline.h"
#include "partita/report/timeline_svg.h"
#include "partita/report/trace_json.h"
#include "partita/schedule/measured_run.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita::detail::app {
namespace {

constexpr long long kMostSamples = 1'000'000;
constexpr std::size_t kUsualSamples = 100;

struct SimulateArguments {
  QuestionOptions question;
  std::string plan;      // a path, or "-"
  std::string schedule;  // empty: what fits the question
  std::optional<int> samples;
  std::string measured;  // a path, or "-": the trace of a real run; empty: none
  std::string svg;       // a path, or "-"; empty: not written; likewise the others
  std::string trace;     // in the Trace Event Format
  std::string output;    // the measurements
  std::string report;    // the page
  bool quiet = false;
};

constexpr const char* kSimulateFooter =
    R"(A plan says what question it answers and for which devices; options say otherwise. The paper code's output does not
say, so give the options that it was made with.

Examples:
  partita simulate model.json plan.json
  partita simulate model.json plan.json --schedule gpipe --microbatches 16
  partita simulate model.json plan.json --samples 64 --svg timeline.svg
  partita simulate model.json plan.json --samples 1000 --trace trace.json
  partita simulate plan.json --measured run.json --report run.html
)";

// Where the measurements and pictures go, opened before anything is computed.
struct SimulateOutputs {
  std::optional<Output> svg, trace, measurements;
  std::optional<PageReport> page;

  explicit SimulateOutputs(const SimulateArguments& arguments) {
    refuse_clashes({{"-o", arguments.output},
                    {"--svg", arguments.svg},
                    {"--trace", arguments.trace},
                    {"--report", arguments.report}},
                   {arguments.question.workload, arguments.question.platform_file, arguments.plan, arguments.measured});
    if (!arguments.svg.empty()) svg.emplace(arguments.svg, "--svg");
    if (!arguments.trace.empty()) trace.emplace(arguments.trace, "--trace");
    if (!arguments.output.empty()) measurements.emplace(arguments.output);
    page = page_report("simulate", arguments.report);
  }

  bool stdout_taken() const {
    const auto taken = [](const std::optional<Output>& output) { return output && output->is_stdout(); };
    return taken(svg) || taken(trace) || taken(measurements) || (page && page->is_stdout());
  }
};

// What --microbatches says is the size of a batch in the schedule gpipe; in the memory models that count samples in
// flight it is also part of the question, and in the flat one, which would refuse it, it is not.
AnsweredProblem read_simulated_problem(const QuestionOptions& question, const PlanFile& plan) {
  QuestionOptions asked = question;
  const MemoryModel planned = plan.says ? plan.says->asked.memory_model : MemoryModel::Flat;
  if (question.memory_model.value_or(to_string(planned)) == to_string(MemoryModel::Flat)) asked.microbatches.reset();
  return read_answered_problem(asked, plan);
}

// The schedule and the number of samples are those of the real run, where there is one and options say nothing.
SimulationOptions simulation_options(const SimulateArguments& arguments, const Problem& problem,
                                     const std::optional<RunTrace>& trace) {
  SimulationOptions options;
  const std::string schedule = arguments.schedule.empty() && trace ? trace->schedule : arguments.schedule;
  options.kind = parse_schedule_kind(schedule).value_or(default_schedule(problem));
  options.samples = arguments.samples ? static_cast<std::size_t>(*arguments.samples)
                    : trace           ? trace->samples
                                      : kUsualSamples;
  const std::optional<int> batch = arguments.question.microbatches;
  if (batch && options.kind != ScheduleKind::GPipe && problem.memory_model == MemoryModel::Flat) {
    throw InputError(
        ErrorKind::Usage, "--microbatches",
        fmt::format("only for --schedule gpipe, which runs batches, and for --memory-model 1f1b and gpipe, "
                    "not for --schedule {}",
                    to_string(options.kind)));
  }
  if (batch || problem.microbatches > 0)
    options.microbatches = static_cast<std::size_t>(batch.value_or(problem.microbatches));
  options.record = std::max(options.record, samples_for_timeline(options));
  if (!arguments.trace.empty() || trace)
    options.record = std::max(options.record, std::min(options.samples, kMostTraced));
  return options;
}

struct RealRun {
  RunTrace trace;
  Simulation measured;

  // A warning where the trace says that it is of another workload; a model may have been renamed since.
  std::string doubt(const Problem& problem) const {
    const std::string& name = problem.workload->name;
    if (trace.workload.empty() || trace.workload == visible(name)) return "";
    return fmt::format("warning: {} says that it is a run of '{}', and the plan is for '{}'\n", visible(trace.source),
                       visible(trace.workload, kLongestShownName), visible(name, kLongestShownName));
  }
};

std::string report_text(const SimulateArguments& arguments, const AnsweredProblem& answered, const CheckReport& report,
                        const Simulation& simulation, const std::optional<RealRun>& real, std::size_t width) {
  const Problem& problem = answered.problem;
  std::size_t most_in_flight = 0;
  for (const DeviceUse& use : simulation.devices) most_in_flight = std::max(most_in_flight, use.most_in_flight);
  std::string text = visible(describe_workload(problem)) + "\n";
  for (const std::string& line : simulation_warnings(problem, report, most_in_flight))
    text += fmt::format("warning: {}\n", visible(in_options(line)));
  if (!answered.other_devices.empty()) text += fmt::format("warning: {}\n", visible(answered.other_devices));
  if (!answered.overridden.empty())
    text += fmt::format("options override: {}\n", visible(in_options(answered.overridden)));
  if (real) text += real->doubt(problem);
  text += simulate_text(problem, report, simulation, width);
  if (real) {
    const RunComparison comparison = compare_run(report, simulation, real->measured);
    text += "\n" + run_text(problem, comparison, simulation, real->measured, width);
  }
  if (arguments.trace.empty()) return text;
  std::size_t traced = 0;
  for (const Interval& i : simulation.intervals) traced = std::max<std::size_t>(traced, i.sample + 1);
  if (traced < simulation.samples) text += fmt::format("\nthe trace has the first {} samples\n", traced);
  return text;
}

// The plan's file does not say how it was found, so nothing is known of a bound.
void write_page(const Problem& problem, const ListedSplit& plan, const Simulation& simulation,
                const std::optional<RealRun>& real, PageReport& page) {
  Result result;
  result.status = Status::Feasible;
  result.split = plan.split;
  result.value = plan.report.value;
  page.show(simulation);
  if (real) page.show_measured(real->measured);
  page.write(problem, result, plan.report);
}

// Nothing where no run was measured. Standard input can be read once.
std::optional<RunTrace> read_real_run(const SimulateArguments& arguments) {
  if (arguments.measured.empty()) return std::nullopt;
  if (arguments.measured == "-" && (arguments.question.workload == "-" || arguments.plan == "-"))
    throw InputError(ErrorKind::Usage, "--measured", "standard input is read already; give a file here or there");
  return read_trace(arguments.measured);
}

int run_simulate(SimulateArguments arguments) {
  const PlanFile file = read_plan_file(arguments.question.workload, arguments.plan);
  SimulateOutputs outputs(arguments);
  std::optional<RunTrace> trace = read_real_run(arguments);
  const AnsweredProblem answered = read_simulated_problem(arguments.question, file);
  const Problem& problem = answered.problem;
  const SimulationOptions options = simulation_options(arguments, problem, trace);
  const ListedSplit plan = planned_split(problem, file);
  const Simulation simulation = simulate(problem, plan.split, options);
  std::optional<RealRun> real;
  if (trace) {
    Simulation measured = measured_run(problem, plan.report, simulation, *trace);
    real = {std::move(*trace), std::move(measured)};
  }

  if (outputs.measurements)
    outputs.measurements->write(simulate_json(problem, plan.report, simulation, real ? &real->measured : nullptr));
  if (outputs.svg)
    outputs.svg->write(real ? timelines_svg(problem, plan.report, simulation, real->measured)
                            : timeline_svg(problem, plan.report, simulation));
  if (outputs.trace) outputs.trace->write(trace_json(problem, plan.report, simulation));
  if (outputs.page) write_page(problem, plan, simulation, real, *outputs.page);
  if (arguments.quiet) return 0;
  const int stream = outputs.stdout_taken() ? STDERR_FILENO : STDOUT_FILENO;
  print_report(report_text(arguments, answered, plan.report, simulation, real, page_width(stream)),
               outputs.stdout_taken());
  tell_written({arguments.output, arguments.svg, arguments.trace, arguments.report});
  return 0;
}

}  // namespace

void add_simulate_command(Command& program, Action& action) {
  Command command = program.add_subcommand("simulate", "Run a plan on a stream of samples and measure it");
  auto arguments = std::make_shared<SimulateArguments>();
  path(command
           .add_option("INPUT", arguments->question.workload,
                       "The workload or model of the plan (- for standard input); left out: the one that it names")
           .required());
  path(command.add_option("PLAN", arguments->plan, "A plan, or the paper code's output (- for standard input)"));
  command.group("Simulation");
  choices(command.add_option(
              "--schedule", arguments->schedule,
              "In which order devices run their pieces (default: sequential for latency, gpipe for the\n"
              "objective gpipe, 1f1b for training, else pipeline): pipeline, a new sample every round; 1f1b,\n"
              "one backward for each forward; gpipe, a batch forward, then backward; sequential, one sample\n"
              "at a time"),
          {"pipeline", "1f1b", "gpipe", "sequential"});
  whole(command.add_option(
            "--samples", arguments->samples,
            fmt::format("How many samples to run (default {}, or those of --measured); times the steps of\n"
                        "a sample (pieces, or with --transfers overlap and duplex up to three each)\n"
                        "at most {} million",
                        kUsualSamples, kMostTasks / 1'000'000)),
        "N", 1, kMostSamples);
  path(command.add_option("--measured", arguments->measured,
                          "The trace of a real run of the plan, as `python -m partita run --trace` writes it:\n"
                          "predicted against measured, in numbers, pictures and on the page; - for standard\n"
                          "input"));
  add_question_options(command, arguments->question);
  command.get_option("--microbatches")
      .description(
          "Schedule gpipe: samples in a batch (default 8). Memory models: samples in flight at most\n"
          "(1f1b), or always (gpipe, which needs it)");
  command.group(kOutputGroup);
  path(command.add_option("--svg", arguments->svg, "Draw the first samples as a timeline here; - for standard output"));
  path(command.add_option(
      "--trace", arguments->trace,
      "Write here what runs when, for ui.perfetto.dev and chrome://tracing; a unit of the workload's\n"
      "time is a millisecond there; - for standard output"));
  path(command.add_option("-o,--output", arguments->output,
                          "Write the measurements here, as JSON; - for standard output"));
  add_report_option(command, arguments->report);
  command.add_flag("-q,--quiet", arguments->quiet, "Print nothing but errors");
  command.footer(kSimulateFooter);
  command.callback([&action, arguments] { action = [arguments] { return run_simulate(*arguments); }; });
}

}  // namespace partita::detail::app
