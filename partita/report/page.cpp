// SPDX-License-Identifier: Apache-2.0
#include "partita/report/page.h"

#include <cassert>
#include <stdexcept>

#include "partita/check/cost_sources.h"
#include "partita/check/describe.h"
#include "partita/check/warnings.h"
#include "partita/report/page/page_program.h"
#include "partita/report/page/sections.h"
#include "partita/report/page/splits.h"
#include "partita/schedule/measured_run.h"
#include "partita/util/version.h"

namespace partita {

using namespace detail;

namespace {

constexpr int kPageVersion = 2;
constexpr std::string_view kDataElement = R"(<script id="data" type="application/json">)";
constexpr std::string_view kNoData = "null</script>";

// Those of the split where there is one, else what the reader found odd.
std::vector<std::string> warnings_of(const PageContent& content) {
  const bool split = content.result && content.result->split && content.report;
  return split ? warnings(*content.problem, *content.report) : content.problem->workload->notes;
}

}  // namespace

std::string page_json(const PageContent& content) {
  assert(content.problem);
  const Problem& problem = *content.problem;
  const PageSplits splits = choose_splits(content);
  JsonWriter json(JsonLayout::Line);
  json.object([&] {
    json.field("version", kPageVersion);
    json.field("program", std::string("partita ") + version());
    json.field("command", content.command);
    json.field("title", problem.workload->name);
    json.field("subject", describe_workload(problem));
    json.field("timeUnit", problem.workload->time_unit);
    json.column("warnings", warnings_of(content));
    json.field("costSources", describe_sources(*problem.workload));
    write_question(problem, json.key("question"));
    json.column("classes", problem.workload->platform.classes,
                [](const DeviceClass& one) -> const std::string& { return one.name; });
    write_devices(problem.workload->platform, json.key("devices"));
    if (content.result) write_graph(content, json.key("graph"));
    if (content.result) write_plan(problem, *content.result, content.report, json.key("plan"));
    if (content.simulation) write_timeline(problem, content.report, *content.simulation, json.key("timeline"));
    if (content.simulation && content.measured && content.report) write_measured(content, json.key("measured"));
    if (content.progress) write_convergence(*content.progress, json.key("convergence"));
    if (content.comparison) write_comparison(*content.comparison, splits, json.key("comparison"));
    if (content.sweep) write_sweep(*content.sweep, splits, json.key("sweep"));
    if (!splits.written.empty()) write_splits(content, splits, json.key("splits"));
  });
  return json.take();
}

std::string page_html(const PageContent& content) {
  const std::string_view program = page_program();
  const std::size_t element = program.find(kDataElement);
  const std::size_t place = element + kDataElement.size();
  if (element == std::string_view::npos || program.substr(place, kNoData.size()) != kNoData)
    throw std::logic_error("web/dist/page.html has no place for the data");
  std::string page(program.substr(0, place));
  page += page_json(content);
  page += program.substr(place + std::string_view("null").size());
  return page;
}

std::string run_page_html(const Problem& problem, const Result& result, const CheckReport& report,
                          const Simulation& predicted, const RunTrace& trace) {
  const Simulation measured = measured_run(problem, report, predicted, trace);
  PageContent content;
  content.command = "simulate";
  content.problem = &problem;
  content.result = &result;
  content.report = &report;
  content.simulation = &predicted;
  content.measured = &measured;
  return page_html(content);
}

}  // namespace partita
