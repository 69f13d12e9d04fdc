// SPDX-License-Identifier: Apache-2.0
#include "partita/report/plan_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>

#include "partita/check/speed_up.h"
#include "partita/report/platform_json.h"
#include "partita/report/pretty_json.h"
#include "partita/report/question_json.h"
#include "partita/util/error.h"
#include "partita/util/version.h"

namespace partita {

using namespace detail;

namespace {

using Json = nlohmann::ordered_json;

// An older reader would take copies for idle devices, and miss what recomputing costs.
constexpr int kPlanVersion = 1;
constexpr int kPlanVersionOfPipelines = 2;
constexpr double kNotStated = -1;  // how the paper's files say that a load is not known

// What each device holds: original ids in the file's order.
IdVector<DeviceId, Json> node_lists(const Problem& problem, const Split& split) {
  const auto& nodes = problem.workload->graph.nodes;
  IdVector<DeviceId, Json> lists(problem.workload->platform.device_count(), Json::array());
  for (NodeId v : nodes.all()) lists[split.device_of[v]].push_back(nodes[v].original_id);
  return lists;
}

// What each device runs together, in running order: the subgraphs of each pass by number, so that the number in the
// schedule is the place in the list.
struct SubgraphLists {
  IdVector<DeviceId, Json> forward;
  IdVector<DeviceId, Json> backward;
};

SubgraphLists subgraph_lists(const Problem& problem, const Split& split) {
  const auto& nodes = problem.workload->graph.nodes;
  const IdVector<DeviceId, Json> none(problem.workload->platform.device_count(), Json::array());
  SubgraphLists lists{none, none};
  for (NodeId v : nodes.all()) {
    const std::size_t place = split.subgraph_of.empty() ? 0 : split.subgraph_of[v];
    Json& list = (nodes[v].backward ? lists.backward : lists.forward)[split.device_of[v]];
    while (list.size() <= place) list.push_back(Json::array());
    list[place].push_back(nodes[v].original_id);
  }
  return lists;
}

// The device's place in the pipeline, or null where it holds nothing or the shape has no order.
IdVector<DeviceId, Json> stages(const Problem& problem, const std::vector<DeviceId>& order) {
  IdVector<DeviceId, Json> stage(problem.workload->platform.device_count());
  for (std::size_t i = 0; i < order.size(); ++i) stage[order[i]] = i;
  return stage;
}

bool is_copy(const Split& split, DeviceId device) {
  if (split.copy_of.empty()) return false;
  const DeviceId original = split.copy_of[device];
  return original.valid() && original != device;
}

bool has_copies(const Split& split) {
  for (DeviceId d : split.copy_of.all()) {
    if (is_copy(split, d)) return true;
  }
  return false;
}

bool recomputes(const Split& split, DeviceId device) { return !split.recomputes.empty() && split.recomputes[device]; }

bool has_recomputing(const Split& split) {
  return std::any_of(split.recomputes.begin(), split.recomputes.end(), [](char one) { return one != 0; });
}

// Where a class is called otherwise than its kind, its name says more than the kind does.
bool has_named_classes(const Platform& platform) {
  return std::any_of(platform.classes.begin(), platform.classes.end(),
                     [](const DeviceClass& one) { return one.name != to_string(one.kind); });
}

Json memory_json(const MemoryItems& items, bool recompute) {
  Json parts{{"weights", whole_if_exact(items.weights)},
             {"optimizer_state", whole_if_exact(items.optimizer_state)},
             {"activation", whole_if_exact(items.activation)},
             {"in_flight", items.in_flight}};
  if (items.gradients != 0) parts["gradients"] = whole_if_exact(items.gradients);
  if (recompute) parts["recomputed"] = whole_if_exact(items.recomputed);
  return parts;
}

// By device: its place in the list of devices, which has all of them,
// or on a large platform those in use. Nothing for those left out.
using PlacesInList = IdVector<DeviceId, std::optional<std::size_t>>;
PlacesInList places_in_list(const Platform& platform, const CheckReport& report) {
  PlacesInList places(platform.device_count());
  std::size_t next = 0;
  for (DeviceId d : places.all()) {
    if (places.size() <= kIdleListedUpTo || report.devices[d].original.valid()) places[d] = next++;
  }
  return places;
}

// What only pipelines with copies, samples in flight and recomputing have.
void add_pipeline_items(const Problem& problem, const Split& split, DeviceId d, const DeviceReport& costs,
                        const PlacesInList& places, Json& device) {
  if (problem.replicas > 1) {
    device["sync"] = costs.sync;
    device["sharing"] = costs.sharing;
    if (is_copy(split, d)) device["copy_of"] = *places[split.copy_of[d]];
  }
  if (recomputes(split, d)) device["recompute"] = true;
  if (problem.memory_model != MemoryModel::Flat)
    device["memory_parts"] = memory_json(costs.memory_items, problem.recompute);
}

// With one subgraph in each pass, `nodes` says all.
bool has_subgraphs(const Problem& problem) { return problem.objective == Objective::Latency && problem.subgraphs > 1; }

Json pass_json(const PassLoad& pass) { return {{"compute", pass.compute}, {"in", pass.in}, {"out", pass.out}}; }

Json devices_json(const Problem& problem, const Result& result, const CheckReport& report, const PlacesInList& places) {
  const Platform& platform = problem.workload->platform;
  const bool training = problem.workload->graph.has_backward();
  const auto nodes = node_lists(problem, *result.split);
  const bool subgraphs = has_subgraphs(problem);
  const SubgraphLists lists = subgraphs ? subgraph_lists(problem, *result.split) : SubgraphLists{};
  const auto stage = stages(problem, report.order.empty() ? result.split->order : report.order);
  const bool named_classes = has_named_classes(platform);
  std::map<DeviceKind, std::size_t> index;
  Json devices = Json::array();
  for (ClassId c : platform.classes.all()) {
    const DeviceClass& device_class = platform.classes[c];
    const std::size_t first = platform.first_device(c).index();
    for (std::size_t i = 0; i < static_cast<std::size_t>(device_class.count); ++i) {
      const DeviceId d(first + i);
      const std::size_t place_of_kind = index[device_class.kind]++;
      if (!places[d]) continue;
      const DeviceReport& costs = report.devices[d];
      Json device;
      device["name"] = platform.device_name(d);
      device["kind"] = to_string(device_class.kind);
      if (named_classes) device["class"] = device_class.name;
      device["index"] = place_of_kind;
      device["stage"] = stage[d];
      device["load"] = report.load[d];
      device["compute"] = costs.compute();
      device["in"] = costs.in();
      device["out"] = costs.out();
      if (training) {
        device["forward"] = pass_json(costs.forward);
        device["backward"] = pass_json(costs.backward);
      }
      device["memory"] = whole_if_exact(costs.memory);
      device["memory_limit"] = whole_if_exact(device_class.memory);
      add_pipeline_items(problem, *result.split, d, costs, places, device);
      device["nodes"] = nodes[d];
      if (subgraphs && device_class.kind == DeviceKind::Accelerator) {
        device["subgraphs"] = lists.forward[d];
        if (training) device["backward_subgraphs"] = lists.backward[d];
      }
      devices.push_back(std::move(device));
    }
  }
  return devices;
}

Json assignment_json(const Problem& problem, const Split& split, const PlacesInList& places) {
  const auto& nodes = problem.workload->graph.nodes;
  Json::object_t assignment;
  assignment.reserve(nodes.size());
  // emplace_back, as ordered_json's own insertion looks through all earlier keys: quadratic in the nodes.
  for (NodeId v : nodes.all()) {
    assignment.emplace_back(std::to_string(nodes[v].original_id), *places[split.device_of[v]]);
  }
  return assignment;
}

Json host_cores_json(const Problem& problem, const Result& result, const CheckReport& report) {
  return {{"policy", problem.strict_host_cores ? "strict" : "unlimited"},
          {"available", problem.workload->platform.device_count(DeviceKind::Host)},
          {"busy", result.split ? Json(report.host_cores) : Json()}};
}

Json schedule_json(const Problem& problem, const CheckReport& report, const PlacesInList& places) {
  const auto& nodes = problem.workload->graph.nodes;
  const bool training = problem.workload->graph.has_backward();
  Json schedule = Json::array();
  for (const ScheduleStep& step : report.schedule) {
    Json entry{{"device", *places[step.device]}};
    if (step.node.valid()) {
      entry["node"] = nodes[step.node].original_id;
    } else {
      if (training) entry["backward"] = step.backward;
      entry["subgraph"] = step.subgraph;
      entry["nodes"] = step.node_count;
    }
    entry["start"] = step.start;
    entry["finish"] = step.finish;
    schedule.push_back(std::move(entry));
  }
  return schedule;
}

// Everything that was asked, so that whoever reads the plan need not be told again.
Json question_json(const Problem& problem, const PlatformSpec& devices) {
  Json question;
  add_question(problem, question);
  question["platform"] = platform_object(devices);
  return question;
}

Json setting_json(const SettingField& field) {
  return std::visit([](const auto* value) { return Json(*value); }, field.place);
}

void add_run(RunRecord run, Json& plan) {
  const SettingFields settings = changed(run.settings);
  for (const SettingField& field : settings) plan["settings"][field.name] = setting_json(field);
  if (!run.statistics) return;
  plan["statistics"] = Json::array();
  for (const Statistics::Row& row : run.statistics->rows()) {
    Json entry{{"technique", row.technique}, {"calls", row.calls}, {"seconds", row.seconds}};
    if (!row.unit.empty()) entry["yield"] = {{"amount", whole_if_exact(row.yield)}, {"unit", row.unit}};
    plan["statistics"].push_back(std::move(entry));
  }
}

void add_worth(const Problem& problem, double value, Json& plan) {
  const auto class_name = [&](ClassId c) { return problem.workload->platform.classes[c].name; };
  const std::optional<SpeedUp> gain = speed_up(problem, value);
  if (gain && gain->why_not.empty()) {
    plan["speed_up"] = {{"factor", gain->factor},
                        {"one_device", gain->one_device},
                        {"class", class_name(gain->device_class)},
                        {"devices", gain->of}};
  }
  if (const std::optional<LoneBottleneck> alone = lone_bottleneck(problem, value)) {
    Json ids = Json::array();
    for (NodeId v : alone->nodes) ids.push_back(problem.workload->graph.nodes[v].original_id);
    plan["lone_bottleneck"] = {{"nodes", std::move(ids)}, {"class", class_name(alone->device_class)}};
  }
}

// What all devices behind a link move over it, and which of devices and links is the slowest.
void add_shared_links(const Problem& problem, const CheckReport& report, Json& plan) {
  if (report.shared_links.empty()) return;
  plan["shared_links"] = Json::array();
  for (const SharedLinkReport& link : report.shared_links) {
    Json one{{"name", link.name},
             {"load", link.load},
             {"in", link.forward.in + link.backward.in},
             {"out", link.forward.out + link.backward.out}};
    if (problem.workload->graph.has_backward()) {
      one["forward"] = {{"in", link.forward.in}, {"out", link.forward.out}};
      one["backward"] = {{"in", link.backward.in}, {"out", link.backward.out}};
    }
    plan["shared_links"].push_back(std::move(one));
  }
  plan["bottleneck"] = report.slowest_link ? report.shared_links[*report.slowest_link].name
                                           : problem.workload->platform.device_name(report.bottleneck);
}

// The format would make idle devices of copies, and other stages of those that recompute.
void refuse_pipelines(bool copies, bool recomputing) {
  if (!copies && !recomputing) return;
  throw InputError(ErrorKind::Unsupported, "seed format",
                   fmt::format("cannot say which {}; write a plan instead",
                               copies ? "devices are copies of others" : "stages recompute their activations"));
}

Json seed_device(double load, Json nodes) { return {{"load", load}, {"nodes", std::move(nodes)}}; }

// The subgraphs of each accelerator, each as an accelerator of its own,
// in running order; its load is the time it takes.
IdVector<DeviceId, Json> seed_subgraphs(const Problem& problem, const Split& split, const CheckReport& report) {
  SubgraphLists lists = subgraph_lists(problem, split);
  IdVector<DeviceId, Json> entries(lists.forward.size(), Json::array());
  for (const ScheduleStep& step : report.schedule) {
    if (step.node.valid()) continue;
    Json& nodes = (step.backward ? lists.backward : lists.forward)[step.device][step.subgraph];
    entries[step.device].push_back(seed_device(step.finish - step.start, std::move(nodes)));
  }
  return entries;
}

// The subgraphs that a device lists, those of both passes, and what it holds besides: a pass without a list is one.
std::vector<std::vector<std::int64_t>> listed_subgraphs(const SplitListing::Device& device) {
  std::vector<std::vector<std::int64_t>> subgraphs = device.subgraphs;
  subgraphs.insert(subgraphs.end(), device.backward_subgraphs.begin(), device.backward_subgraphs.end());
  std::unordered_set<std::int64_t> listed;
  for (const auto& subgraph : subgraphs) listed.insert(subgraph.begin(), subgraph.end());
  std::vector<std::int64_t> rest;
  std::copy_if(device.node_ids.begin(), device.node_ids.end(), std::back_inserter(rest),
               [&](std::int64_t id) { return !listed.contains(id); });
  subgraphs.push_back(std::move(rest));
  return subgraphs;
}

}  // namespace

std::string plan_json(const Problem& problem, const Result& result, const CheckReport& report,
                      const PlatformSpec& devices, const RunRecord& run) {
  Json plan;
  const bool pipeline = result.split && (has_copies(*result.split) || has_recomputing(*result.split));
  plan["partita"] = {{"format", "plan"},
                     {"version", pipeline ? kPlanVersionOfPipelines : kPlanVersion},
                     {"program_version", version()}};
  plan["workload"] = problem.workload->name;
  add_time_unit(problem, plan);
  plan["objective"] = to_string(problem.objective);
  plan["shape"] = to_string(problem.shape);
  plan["transfers"] = to_string(problem.transfers);
  plan["backward_shape"] = problem.backward_shape;
  add_pipeline_question(problem, plan);
  const bool latency = problem.objective == Objective::Latency;
  if (latency) {
    plan["subgraphs"] = problem.subgraphs;
    plan["host_cores"] = host_cores_json(problem, result, report);
  }
  plan["status"] = to_string(result.status);
  plan["value"] = result.split ? Json(result.value) : Json();
  plan["bound"] = result.bound;
  plan["bound_verified"] = !result.unverified;
  plan["gap"] = result.split ? Json(result.gap()) : Json();
  plan["seconds"] = result.seconds;
  plan["seed"] = result.seed;
  add_run(run, plan);
  plan["proof"] = result.proof;
  if (!result.split) plan["reason"] = result.reason;
  if (result.split) add_worth(problem, result.value, plan);
  if (result.split) add_shared_links(problem, report, plan);
  plan["question"] =
      question_json(problem, devices.platform.classes.empty() ? PlatformSpec{problem.workload->platform} : devices);
  const PlacesInList places = result.split ? places_in_list(problem.workload->platform, report) : PlacesInList();
  plan["devices"] = result.split ? devices_json(problem, result, report, places) : Json::array();
  plan["assignment"] = result.split ? assignment_json(problem, *result.split, places) : Json::object();
  if (latency) plan["schedule"] = result.split ? schedule_json(problem, report, places) : Json::array();
  return pretty_json(plan);
}

std::string seed_json(const Problem& problem, const Result& result, const CheckReport& report) {
  assert(result.split);
  refuse_pipelines(has_copies(*result.split), has_recomputing(*result.split));
  const Platform& platform = problem.workload->platform;
  const bool subgraphs = has_subgraphs(problem);
  auto nodes = node_lists(problem, *result.split);
  auto entries = subgraphs ? seed_subgraphs(problem, *result.split, report) : IdVector<DeviceId, Json>();
  Json accelerators = Json::array();
  Json hosts = Json::array();
  for (DeviceId d : nodes.all()) {
    const bool host = platform.classes[platform.class_of(d)].kind == DeviceKind::Host;
    if (subgraphs && !host && !nodes[d].empty()) {
      for (Json& entry : entries[d]) accelerators.push_back(std::move(entry));
    } else {
      (host ? hosts : accelerators).push_back(seed_device(report.load[d], std::move(nodes[d])));
    }
  }
  return pretty_json({{"maxLoad", result.value}, {"fpgas", std::move(accelerators)}, {"cpus", std::move(hosts)}});
}

std::string seed_json(const SplitListing& listing) {
  const auto any = [&](auto test) { return std::any_of(listing.devices.begin(), listing.devices.end(), test); };
  refuse_pipelines(any([](const SplitListing::Device& device) { return device.copy_of.has_value(); }),
                   any([](const SplitListing::Device& device) { return device.recomputes; }));
  Json accelerators = Json::array();
  Json hosts = Json::array();
  for (const SplitListing::Device& device : listing.devices) {
    const bool host = device.kind == DeviceKind::Host;
    if (!host && !(device.subgraphs.empty() && device.backward_subgraphs.empty())) {
      for (const auto& subgraph : listed_subgraphs(device)) {
        if (!subgraph.empty()) accelerators.push_back(seed_device(kNotStated, subgraph));
      }
    } else {
      (host ? hosts : accelerators).push_back(seed_device(device.claimed_load.value_or(kNotStated), device.node_ids));
    }
  }
  const double value = listing.claimed_value.value_or(kNotStated);
  return pretty_json({{"maxLoad", value}, {"fpgas", std::move(accelerators)}, {"cpus", std::move(hosts)}});
}

}  // namespace partita
