// SPDX-License-Identifier: Apache-2.0
// What is asked of plans and graphs besides a plan: check, simulate, compare, sweep. Answers are the JSON that the
// command line writes, and the text that it prints.
#include <fmt/format.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "partita/ask/answered_problem.h"
#include "partita/check/certificate.h"
#include "partita/check/describe.h"
#include "partita/compare/compare.h"
#include "partita/portfolio/sweep.h"
#include "partita/read/bytes.h"
#include "partita/read/certificate.h"
#include "partita/read/split.h"
#include "partita/read/trace.h"
#include "partita/report/compare_json.h"
#include "partita/report/compare_text.h"
#include "partita/report/page.h"
#include "partita/report/simulate_json.h"
#include "partita/report/simulate_text.h"
#include "partita/report/sweep_json.h"
#include "partita/report/sweep_text.h"
#include "partita/report/trace_json.h"
#include "partita/report/workload_json.h"
#include "partita/schedule/simulation.h"
#include "partita/util/error.h"
#include "python/bindings/argument_names.h"
#include "python/bindings/handles.h"
#include "python/bindings/model_arguments.h"
#include "python/bindings/search_arguments.h"
#include "python/bindings/watched.h"

namespace partita::python {
namespace {

// A split of the graph as a plan's text states it, judged anew; and a certificate, if there is one.
nb::dict checked(const GraphHandle& graph, const std::string& plan_text, const std::string& source,
                 const std::string& certificate_text, const std::string& certificate_source, double seconds,
                 std::size_t width) {
  CheckReport report;
  Problem problem;
  std::string text;
  std::optional<Certificate> certificate;
  detail::CertificateVerdict verdict{.holds = true, .reason = ""};
  {
    const nb::gil_scoped_release released;
    detail::PlanFile file{plan_text, source};
    file.says = parse_question(plan_text, source);
    detail::AnsweredProblem answered = detail::read_answered_problem(graph_question(graph), file);
    problem = std::move(answered.problem);
    report = check(problem, parse_split(plan_text, source));
    text = detail::describe_table(problem, report, width) + detail::describe_verdict(problem, report);
    if (!certificate_text.empty()) {
      certificate = detail::parse_certificate(certificate_text, certificate_source);
      const Budget::Limits limits{.seconds = seconds};
      Budget budget(limits);
      verdict = detail::verify(problem, *certificate, &budget);
      text += detail::describe_certificate(problem, *certificate, verdict, limits);
    }
  }
  nb::list violations;
  for (const Violation& violation : report.violations)
    violations.append(nb::make_tuple(to_string(violation.kind), in_arguments(violation.message)));
  nb::dict result;
  result["legal"] = report.legal();
  result["value"] = report.value;
  result["unit"] = problem.workload->time_unit;
  result["violations"] = violations;
  result["certified"] = certificate && verdict.holds ? nb::cast(certificate->limit) : nb::none();
  result["accepted"] = verdict.holds;
  result["text"] = text;
  return result;
}

SimulationOptions simulation_options(const PlanHandle& handle, const std::string& schedule, std::size_t samples,
                                     std::size_t microbatches) {
  if (!handle.plan.result.split) throw InputError(ErrorKind::Usage, "plan", "has no split, so there is nothing to run");
  SimulationOptions options;
  options.kind = default_schedule(handle.problem);
  if (!schedule.empty()) {
    const auto kind = parse_schedule_kind(schedule);
    if (!kind) {
      throw InputError(
          ErrorKind::Usage, "schedule",
          fmt::format("'{}' is not one of its values; expected pipeline, 1f1b, gpipe or sequential", schedule));
    }
    options.kind = *kind;
  }
  options.samples = samples;
  options.record = std::clamp<std::size_t>(samples, 1, detail::kMostTraced);
  if (microbatches > 0 || handle.problem.microbatches > 0) {
    options.microbatches = microbatches > 0 ? microbatches : static_cast<std::size_t>(handle.problem.microbatches);
  }
  return options;
}

nb::tuple simulated(const PlanHandle& handle, const std::string& schedule, std::size_t samples,
                    std::size_t microbatches, std::size_t width) {
  const SimulationOptions options = simulation_options(handle, schedule, samples, microbatches);
  const nb::gil_scoped_release released;
  const Simulation simulation = simulate(handle.problem, *handle.plan.result.split, options);
  std::string json = detail::simulate_json(handle.problem, handle.plan.report, simulation);
  std::string text = detail::simulate_text(handle.problem, handle.plan.report, simulation, width);
  std::string trace = detail::trace_json(handle.problem, handle.plan.report, simulation);
  const nb::gil_scoped_acquire held;
  return nb::make_tuple(json, text, trace);
}

std::string run_page(const PlanHandle& handle, const std::string& trace_file) {
  const nb::gil_scoped_release released;
  const RunTrace trace = read_trace(trace_file);
  const bool is_known = parse_schedule_kind(trace.schedule).has_value();
  const SimulationOptions options = simulation_options(handle, is_known ? trace.schedule : "", trace.samples, 0);
  const Simulation predicted = simulate(handle.problem, *handle.plan.result.split, options);
  return run_page_html(handle.problem, handle.plan.result, handle.plan.report, predicted, trace);
}

Problem asked_about(const GraphHandle& graph, const nb::dict& question) {
  const detail::QuestionOptions options = question_options(question);
  Problem problem = detail::asked_of(options, {});
  problem.workload = graph.workload;
  detail::require_bandwidth(options, problem);
  problem.wishes = detail::read_wishes(wish_options(question), graph.workload, graph.source());
  return problem;
}

nb::tuple compared(const GraphHandle& graph, const nb::dict& question, const nb::dict& searching,
                   const std::vector<std::string>& algorithms, std::size_t width) {
  const Problem problem = asked_about(graph, question);
  const PlanOptions searched = search_options(searching);
  CompareOptions options;
  options.algorithm.seed = searched.seed;
  options.algorithm.threads = searched.threads;
  options.algorithm.settings = searched.settings;
  options.algorithms = algorithms;
  Budget::Limits limits = search_limits(searching);
  options.seconds = limits.seconds;  // for each algorithm
  limits.seconds = std::numeric_limits<double>::infinity();
  Budget budget(limits);
  Watch watch(budget, nb::none());
  std::string json, text;
  watch.run([&] {
    std::vector<Comparison> comparisons{compare(problem, options, budget)};
    for (AlgorithmRun& run : comparisons.front().runs) run.reason = in_arguments(std::move(run.reason));
    json = compare_json(problem, comparisons, {options.seconds, options.algorithm.seed, true});
    text = compare_text(comparisons, {.markdown = false, .times = true, .width = width});
  });
  return nb::make_tuple(json, text, watch.interrupted());
}

nb::tuple swept(const GraphHandle& graph, const nb::dict& question, const nb::dict& searching, const std::string& vary,
                const std::vector<double>& values, std::size_t width) {
  const Problem problem = asked_about(graph, question);
  const std::optional<SweepParameter> parameter = parse_sweep_parameter(vary);
  if (!parameter) {
    throw InputError(
        ErrorKind::Usage, "vary",
        fmt::format("'{}' is not one of its values; expected accelerators, hosts, memory or bandwidth", vary));
  }
  SweepOptions options;
  options.plan = search_options(searching);
  Budget::Limits limits = search_limits(searching);
  options.seconds = limits.seconds;  // for each point
  limits.seconds = std::numeric_limits<double>::infinity();
  Budget budget(limits);
  Watch watch(budget, nb::none());
  std::string json, text;
  watch.run([&] {
    Sweep result = sweep(problem, *parameter, values, options, budget);
    for (SweepPoint& point : result.points) point.result.reason = in_arguments(std::move(point.result.reason));
    json = detail::sweep_json(problem, result, {options.seconds, options.plan.seed});
    text = detail::sweep_text(problem, result, {.times = true, .width = width});
  });
  return nb::make_tuple(json, text, watch.interrupted());
}

}  // namespace

void bind_studies(nb::module_& module) {
  module.def("check", &checked, nb::arg("graph"), nb::arg("plan"), nb::arg("source"), nb::arg("certificate"),
             nb::arg("certificate_source"), nb::arg("seconds"), nb::arg("width"));
  module.def("run_page", &run_page, nb::arg("plan"), nb::arg("trace_file"));
  module.def("simulate", &simulated, nb::arg("plan"), nb::arg("schedule"), nb::arg("samples"), nb::arg("microbatches"),
             nb::arg("width"));
  module.def("compare", &compared, nb::arg("graph"), nb::arg("question"), nb::arg("searching"), nb::arg("algorithms"),
             nb::arg("width"));
  module.def("sweep", &swept, nb::arg("graph"), nb::arg("question"), nb::arg("searching"), nb::arg("vary"),
             nb::arg("values"), nb::arg("width"));
}

}  // namespace partita::python
