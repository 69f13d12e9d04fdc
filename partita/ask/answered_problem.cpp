// SPDX-License-Identifier: Apache-2.0
#include "partita/ask/answered_problem.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "partita/check/describe.h"
#include "partita/check/listed_split.h"
#include "partita/read/bytes.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

double time_factor(const PlatformSpec& spec, ClassId c) { return spec.time_factor.empty() ? 1 : spec.time_factor[c]; }

// Nodes then take the same times, and need not be read again.
bool same_times(const PlatformSpec& a, const PlatformSpec& b) {
  if (a.platform.classes.size() != b.platform.classes.size()) return false;
  for (ClassId c : a.platform.classes.all()) {
    const DeviceClass& one = a.platform.classes[c];
    const DeviceClass& other = b.platform.classes[c];
    if (one.name != other.name || one.kind != other.kind || time_factor(a, c) != time_factor(b, c)) return false;
  }
  return true;
}

bool same_devices(const PlatformSpec& a, const PlatformSpec& b) {
  if (!same_times(a, b) || a.platform.sync_bandwidth != b.platform.sync_bandwidth) return false;
  if (a.platform.clusters != b.platform.clusters || a.platform.shared_links != b.platform.shared_links) return false;
  for (ClassId c : a.platform.classes.all()) {
    const DeviceClass& one = a.platform.classes[c];
    const DeviceClass& other = b.platform.classes[c];
    if (one.count != other.count || one.memory != other.memory || one.link_factor != other.link_factor ||
        one.link_latency != other.link_latency || one.contention != other.contention)
      return false;
  }
  return true;
}

// Two descriptions may be the same where the devices are not.
std::string not_those(const Platform& these, const Platform& others) {
  const std::string text = describe_devices(others);
  return text == describe_devices(these) ? text + ", but other links, clusters or times" : text;
}

// The workload as its file has it; nothing where the file leaves the devices to others, or has another fault, which the
// next to read it will name.
std::optional<Workload> as_the_file_says(const std::string& bytes, const std::string& source,
                                         const ReadOptions& reading, PlatformSpec& devices) {
  try {
    return parse_workload(bytes, source, {}, reading, &devices);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::string overridden_text(const Problem& problem, const PlatformSpec* devices, const PlanQuestion& plan) {
  std::string text;
  const std::string options = options_that_differ(problem, plan.asked);
  if (!options.empty()) {
    text = fmt::format("{} (the plan was made with {})", options, options_that_differ(plan.asked, problem));
  }
  if (devices && plan.devices && !same_devices(*devices, *plan.devices)) {
    text += fmt::format("{}other devices than the plan's ({})", text.empty() ? "" : "; ",
                        not_those(devices->platform, plan.devices->platform));
  }
  return text;
}

// The file that the plan says it is for: from here, or from where the plan is.
std::string model_of(const PlanFile& plan, const std::string& plan_path) {
  if (!plan.says || plan.says->model.file.empty()) {
    throw InputError(ErrorKind::Usage, plan.source,
                     plan.says ? "does not say which model it is for; give the model, then the plan"
                               : "is not a plan; expected a plan, or the model and then its plan");
  }
  const std::string& file = plan.says->model.file;
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) return file;
  const std::filesystem::path beside = std::filesystem::path(plan_path).parent_path() / file;
  if (std::filesystem::exists(beside, ignored)) return beside.string();
  throw InputError(
      ErrorKind::Unreadable, plan.source,
      fmt::format("is for the model '{}', which is neither there nor beside the plan; give the model, then the plan",
                  visible(file)));
}

AnsweredProblem read_answered(const QuestionOptions& options, const std::optional<PlanQuestion>& plan) {
  AnsweredProblem answered;
  PlatformOverrides overrides = platform_overrides(options);
  if (!plan || !plan->devices || overrides.platform) {
    AskedProblem asked{asked_of(options, plan ? plan->asked : Problem{}), {}};
    asked.problem.workload = read_question_workload(options, &asked.devices);
    require_bandwidth(options, asked.problem);
    if (plan) answered.overridden = overridden_text(asked.problem, &asked.devices, *plan);
    answered.problem = std::move(asked.problem);
    return answered;
  }

  answered.problem = asked_of(options, plan->asked);
  PlatformSpec devices = *plan->devices;
  if (!overrides.clusters.empty()) devices.platform.clusters.reset();  // they are said anew
  override_devices(overrides, devices.platform);
  override_links(overrides, devices);

  if (asks_of_model(options)) {
    answered.problem.workload = read_model_workload(options.workload, options.model, devices);
    answered.overridden = overridden_text(answered.problem, &devices, *plan);
    return answered;
  }
  const std::string bytes = options.text ? *options.text : read_bytes(options.workload);
  const std::string source = options.text ? options.workload : source_name(options.workload);
  const ReadOptions reading = read_options(options);
  PlatformSpec own;
  std::optional<Workload> workload = as_the_file_says(bytes, source, reading, own);
  if (workload && !same_devices(own, *plan->devices)) {
    answered.other_devices = fmt::format("the plan is for other devices than the workload's file names ({})",
                                         not_those(plan->devices->platform, own.platform));
  }
  if (workload && same_times(own, devices)) {
    workload->platform = devices.platform;
  } else {
    workload = parse_workload(bytes, source, {.platform = devices}, reading);
  }
  answered.problem.workload = std::move(*workload);
  answered.overridden = overridden_text(answered.problem, &devices, *plan);
  return answered;
}

}  // namespace

void require_same_graph(const PlanFile& plan, const Graph& graph, const std::string& workload) {
  if (!plan.says || plan.says->model.fingerprint.empty()) return;
  const std::string own = fingerprint(graph);
  if (own == plan.says->model.fingerprint) return;
  const std::string& file = plan.says->model.file;
  throw InputError(
      ErrorKind::BadField, plan.source,
      fmt::format("is a plan for another graph: its fingerprint is {}{}, that of {} is {}; give the model that the "
                  "plan was made for, read with the same options",
                  plan.says->model.fingerprint,
                  file.empty() ? std::string() : fmt::format(" (made for '{}')", visible(file)), source_name(workload),
                  own));
}

PlanFile read_plan_file(std::string& workload, std::string& plan) {
  const bool alone = plan.empty();
  if (alone && is_model(workload)) {
    throw InputError(ErrorKind::Usage, "PLAN", fmt::format("is missing; expected a plan of {}", source_name(workload)));
  }
  if (alone) std::swap(workload, plan);
  if (workload == "-" && plan == "-") {
    throw InputError(ErrorKind::Usage, "PLAN",
                     "'-' is already the workload; only one of the two can be standard input");
  }
  PlanFile file{read_bytes(plan), source_name(plan)};
  file.says = parse_question(file.bytes, file.source);
  if (alone) workload = model_of(file, plan);
  return file;
}

AnsweredProblem read_answered_problem(const QuestionOptions& options, const PlanFile& plan) {
  QuestionOptions asked = options;
  if (plan.says && asks_of_model(options)) asked.model = with_recorded(options.model, plan.says->model);
  AnsweredProblem answered = read_answered(asked, plan.says);
  answered.model = std::move(asked.model);
  require_same_graph(plan, answered.problem.workload->graph, options.workload);
  if (plan.says) answered.problem.wishes = match_wishes(plan.says->wishes, answered.problem.workload, plan.source);
  return answered;
}

ListedSplit planned_split(const Problem& problem, const PlanFile& plan) {
  return legal_split(problem, parse_split(plan.bytes, plan.source),
                     plan.says ? std::optional(plan.says->asked) : std::nullopt, plan.source);
}

}  // namespace partita::detail
