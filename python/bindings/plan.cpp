// SPDX-License-Identifier: Apache-2.0
// The search for a plan, and what is known of the plan that was found.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "partita/ask/wishes.h"
#include "partita/check/listed_split.h"
#include "partita/partita.h"
#include "partita/report/certificate_json.h"
#include "partita/util/error.h"
#include "python/bindings/argument_names.h"
#include "python/bindings/arrays.h"
#include "python/bindings/handles.h"
#include "python/bindings/model_arguments.h"
#include "python/bindings/search_arguments.h"
#include "python/bindings/watched.h"

namespace partita::python {
namespace {

using GraphPointer = std::shared_ptr<const GraphHandle>;
using PlanPointer = std::shared_ptr<PlanHandle>;

Ended why_ended(const Watch& watch, const Budget& budget) {
  if (watch.interrupted()) return Ended::Interrupted;
  if (watch.stopped_by_callback()) return Ended::Callback;
  if (budget.out_of_memory()) return Ended::MemoryLimit;
  return budget.exhausted() ? Ended::TimeLimit : Ended::Searched;
}

// What a page shows of how value and bound met.
Sink recorder(std::vector<Progress>& kept, Sink next) {
  return [&kept, next = std::move(next)](const Progress& progress) {
    if (kept.empty() || progress.value != kept.back().value || progress.bound != kept.back().bound)
      kept.push_back(progress);
    if (next) next(progress);
  };
}

void require_layers(const GraphHandle& graph) {
  for (const Node& node : graph.workload->graph.nodes)
    if (node.layer) return;
  throw InputError(ErrorKind::Usage, "PlanOptions::contract_layers",
                   "no node of the graph has a layer, so there are no layers to keep together; leave it out");
}

PlanPointer search(GraphPointer graph, const nb::dict& question, const nb::dict& searching, const PlanHandle* start,
                   nb::object callback) {
  auto answer = std::make_shared<PlanHandle>();
  const detail::QuestionOptions options = question_options(question);
  answer->graph = graph;
  answer->devices = graph->devices;
  answer->problem = detail::asked_of(options, {});
  answer->problem.workload = graph->workload;
  detail::require_bandwidth(options, answer->problem);
  answer->problem.wishes = detail::read_wishes(wish_options(question), graph->workload, graph->source());
  PlanOptions plan_options = search_options(searching);
  if (plan_options.contract_layers) require_layers(*graph);
  if (start) plan_options.start = start_split(*start, answer->problem);
  answer->run.settings = plan_options.settings;
  answer->run.contract_layers = plan_options.contract_layers;
  answer->run.model = graph->record();

  Budget budget(search_limits(searching));
  Watch watch(budget, std::move(callback));
  const Sink sink = recorder(answer->progress, watch.sink());
  watch.run([&] {
    answer->plan = plan(answer->problem, plan_options, budget, sink);
    if (answer->plan.certificate)
      answer->certificate = detail::certificate_json(answer->problem, *answer->plan.certificate);
  });
  answer->ended = why_ended(watch, budget);
  return answer;
}

const char* ended_text(const PlanHandle& handle) {
  switch (handle.ended) {
    case Ended::Searched: return "searched";
    case Ended::TimeLimit: return "time limit";
    case Ended::MemoryLimit: return "memory limit";
    case Ended::Interrupted: return "interrupted";
    case Ended::Callback: return "callback";
  }
  return "";
}

nb::ndarray<nb::numpy, std::int32_t> device_of(const PlanHandle& handle) {
  std::vector<std::int32_t> devices;
  if (handle.plan.result.split)
    for (DeviceId device : handle.plan.result.split->device_of)
      devices.push_back(static_cast<std::int32_t>(device.index()));
  return numpy_array(std::move(devices));
}

}  // namespace

void bind_plans(nb::module_& module) {
  nb::class_<PlanHandle>(module, "Plan")
      .def_prop_ro("status", [](const PlanHandle& handle) { return to_string(handle.plan.result.status); })
      .def_prop_ro("value", [](const PlanHandle& handle) { return handle.plan.result.value; })
      .def_prop_ro("bound", [](const PlanHandle& handle) { return handle.plan.result.bound; })
      .def_prop_ro("gap", [](const PlanHandle& handle) { return handle.plan.result.gap(); })
      .def_prop_ro("seconds", [](const PlanHandle& handle) { return handle.plan.result.seconds; })
      .def_prop_ro("proof", [](const PlanHandle& handle) { return in_arguments(handle.plan.result.proof); })
      .def_prop_ro("reason", [](const PlanHandle& handle) { return in_arguments(handle.plan.result.reason); })
      .def_prop_ro("has_split", [](const PlanHandle& handle) { return handle.plan.result.split.has_value(); })
      .def_prop_ro("unit", [](const PlanHandle& handle) { return handle.problem.workload->time_unit; })
      .def_prop_ro("ended", &ended_text)
      .def_prop_ro("certificate", [](const PlanHandle& handle) { return handle.certificate; })
      .def_prop_ro("graph", [](const PlanHandle& handle) { return handle.graph; })
      .def("device_of", &device_of);
  module.def("search", &search, nb::arg("graph"), nb::arg("question"), nb::arg("searching"), nb::arg("start").none(),
             nb::arg("callback").none());
}

}  // namespace partita::python
