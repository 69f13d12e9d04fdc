// SPDX-License-Identifier: Apache-2.0
// Plans as files: read, written, shown, cut into stages, exported to engines.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "partita/ask/answered_problem.h"
#include "partita/ask/option_names.h"
#include "partita/check/describe.h"
#include "partita/check/listed_split.h"
#include "partita/check/times.h"
#include "partita/partita.h"
#include "partita/read/bytes.h"
#include "partita/read/onnx.h"
#include "partita/read/plan_facts.h"
#include "partita/report/graph_svg.h"
#include "partita/report/page.h"
#include "partita/report/plan_json.h"
#include "partita/report/split_at_work.h"
#include "partita/util/error.h"
#include "partita/write/engines/engine.h"
#include "partita/write/engines/weight_names.h"
#include "partita/write/onnx/split_onnx.h"
#include "partita/write/output_folder.h"
#include "python/bindings/argument_names.h"
#include "python/bindings/handles.h"
#include "python/bindings/watched.h"

namespace partita::python {
namespace {

std::string json(const PlanHandle& handle) {
  const nb::gil_scoped_release released;
  Result result = handle.plan.result;
  detail::put_in_options(result);  // as the command line writes it
  return plan_json(handle.problem, result, handle.plan.report, handle.devices, handle.run);
}

const Split& split_of(const PlanHandle& handle, const char* what) {
  if (handle.plan.result.split) return *handle.plan.result.split;
  throw InputError(ErrorKind::NoSplitFound, "",
                   fmt::format("the plan has no split, so there is nothing to {}: {}", what,
                               handle.plan.result.reason.empty() ? to_string(handle.plan.result.status)
                                                                 : handle.plan.result.reason));
}

std::string page(const PlanHandle& handle) {
  const nb::gil_scoped_release released;
  const Plan& plan = handle.plan;
  PageContent content{.command = "plan", .problem = &handle.problem, .result = &plan.result, .report = &plan.report};
  std::optional<Simulation> simulation;
  if (plan.result.split && plan.report.legal())
    simulation = detail::split_at_work(handle.problem, *plan.result.split, plan.report);
  if (simulation) content.simulation = &*simulation;
  std::vector<Progress> progress = handle.progress;
  progress.push_back({Progress::Event::Done, plan.result.seconds, plan.result.value, plan.result.bound, 0, ""});
  if (!handle.progress.empty()) content.progress = &progress;
  return page_html(content);
}

std::string svg(const PlanHandle& handle) {
  const Split& split = split_of(handle, "draw");
  const nb::gil_scoped_release released;
  const Pieces pieces = cut_into_pieces(handle.problem, split, handle.plan.report);
  return detail::graph_svg(handle.problem, pieces, handle.plan.report, handle.plan.result);
}

std::string table(const PlanHandle& handle, std::size_t width) {
  if (!handle.plan.result.split) return "";
  std::string text = detail::describe_table(handle.problem, handle.plan.report, width);
  const std::string memory = detail::describe_memory(handle.problem, handle.plan.report, width);
  if (!memory.empty()) text += "\n" + memory;
  return text;
}

// The plan as its file states it, with its model where the file says that it is.
std::shared_ptr<PlanHandle> read(const std::string& path, const GraphHandle* given) {
  const nb::gil_scoped_release released;
  detail::PlanFile file;
  detail::QuestionOptions question;
  auto graph = std::make_shared<GraphHandle>();
  if (given) {
    *graph = *given;
    question = graph_question(*given);
    file = {detail::read_bytes(path), detail::source_name(path)};
    file.says = parse_question(file.bytes, file.source);
  } else {
    std::string workload = path, plan;
    file = detail::read_plan_file(workload, plan);
    question.workload = graph->path = workload;
    graph->is_model = detail::is_model(workload);
  }
  detail::AnsweredProblem answered = detail::read_answered_problem(question, file);
  auto handle = std::make_shared<PlanHandle>();
  graph->model = answered.model;
  graph->workload = answered.problem.workload;
  graph->costed = graph->has_devices = true;
  if (file.says && file.says->devices) graph->devices = *file.says->devices;
  handle->devices = graph->devices;
  handle->run.model = graph->record();
  handle->graph = std::move(graph);

  detail::ListedSplit listed = detail::planned_split(answered.problem, file);
  const detail::PlanFacts facts = detail::parse_plan_facts(file.bytes, file.source);
  Result& result = handle->plan.result;
  result.split = std::move(listed.split);
  result.value = listed.report.value;
  result.bound = facts.bound.value_or(0);
  // A file's word for `optimal` is taken only as far as its bound goes with the value that check has recomputed.
  result.status = facts.status == "optimal" && result.gap() <= kOptimalGap ? Status::Optimal : Status::Feasible;
  handle->plan.report = std::move(listed.report);
  handle->problem = std::move(answered.problem);
  return handle;
}

void require_onnx(const GraphHandle& graph) {
  const bool is_onnx = graph.is_model && graph.path.ends_with(".onnx");
  if (is_onnx) return;
  throw InputError(ErrorKind::Unsupported, graph.source(), "is no ONNX model, which is what can be split");
}

std::vector<std::string> cut(const PlanHandle& handle, const std::string& folder_path, bool chain, bool copy_weights,
                             bool force) {
  require_onnx(*handle.graph);
  const Split& split = split_of(handle, "cut");
  Budget budget;
  Watch watch(budget, nb::none());
  std::vector<std::string> notes;
  watch.run([&] {
    detail::OutputFolder folder(folder_path, force, detail::onnx::why_not_a_pipeline);
    detail::OnnxSplitOptions options;
    options.network = detail::network_options(handle.graph->model);
    options.chain = chain;
    options.copy_weights = copy_weights;
    options.budget = &budget;
    const detail::onnx::Pipeline pipeline =
        detail::split_onnx(handle.graph->path, handle.problem, {split, handle.plan.report}, folder.path(), options);
    folder.keep();
    notes = pipeline.notes;
  });
  return notes;
}

nb::tuple exported(const PlanHandle& handle, const std::string& target, const std::vector<std::string>& devices,
                   const std::string& stage_folder) {
  const detail::Engine* engine = detail::find_engine(target);
  if (!engine) {
    std::string names;
    for (const detail::Engine& known : detail::engines())
      names += (names.empty() ? "" : ", ") + std::string(known.name);
    throw InputError(ErrorKind::Usage, "target", fmt::format("'{}' is no engine; expected one of {}", target, names));
  }
  const Split& split = split_of(handle, "export");
  if (engine->runs_onnx) require_onnx(*handle.graph);
  std::optional<detail::StageFiles> stages;
  if (!stage_folder.empty()) stages = detail::read_stage_files(stage_folder);
  detail::WeightNames weights;
  if (handle.graph->is_model)
    weights = detail::weight_names(detail::read_model_network(handle.graph->path, handle.graph->model),
                                   handle.problem.workload);
  const detail::Exported files = detail::export_plan(*engine, {.problem = handle.problem,
                                                               .split = split,
                                                               .devices = devices,
                                                               .weights = std::move(weights),
                                                               .stages = stages ? &*stages : nullptr});
  nb::list written, notes;
  for (const detail::ExportedFile& file : files.files)
    written.append(nb::make_tuple(file.path, file.text, file.linked_to));
  for (const std::string& note : files.notes) notes.append(in_arguments(note));
  return nb::make_tuple(engine->writes_folder, written, notes);
}

}  // namespace

void bind_plan_files(nb::module_& module) {
  module.def("plan_json", &json, nb::arg("plan"));
  module.def("plan_page", &page, nb::arg("plan"));
  module.def("plan_svg", &svg, nb::arg("plan"));
  module.def("plan_table", &table, nb::arg("plan"), nb::arg("width"));
  module.def("read_plan", &read, nb::arg("plan"), nb::arg("graph").none());
  module.def("cut_plan", &cut, nb::arg("plan"), nb::arg("folder"), nb::arg("chain"), nb::arg("copy_weights"),
             nb::arg("force"));
  module.def("export_plan", &exported, nb::arg("plan"), nb::arg("target"), nb::arg("devices"), nb::arg("stages"));
  module.def("value_text", [](const PlanHandle& handle) {
    const std::string& unit = handle.problem.workload->time_unit;
    const double value = handle.plan.result.value;
    return handle.problem.objective == Objective::Latency ? detail::time_text(value, unit)
                                                          : detail::per_sample_text(value, unit);
  });
}

}  // namespace partita::python
