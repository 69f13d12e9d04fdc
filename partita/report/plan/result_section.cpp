// SPDX-License-Identifier: Apache-2.0
// How good the split is, how that is known, and how the search went.
#include <optional>
#include <variant>

#include "partita/check/speed_up.h"
#include "partita/report/plan/sections.h"

namespace partita::detail {
namespace {

void add_statistics(const Statistics& statistics, JsonWriter& json) {
  json.rows("statistics", statistics.rows(), [&](const Statistics::Row& row) {
    json.field("technique", row.technique);
    json.field("calls", row.calls);
    json.field("seconds", row.seconds);
    if (row.unit.empty()) return;
    json.key("yield").object([&] {
      json.field("amount", row.yield);
      json.field("unit", row.unit);
    });
  });
}

void add_gain(const Problem& problem, double value, JsonWriter& json) {
  const auto class_name = [&](ClassId c) { return problem.workload->platform.classes[c].name; };
  const std::optional<SpeedUp> gain = speed_up(problem, value);
  if (gain && gain->why_not.empty()) {
    json.key("speed_up").object([&] {
      json.field("factor", gain->factor);
      json.field("one_device", gain->one_device);
      json.field("class", class_name(gain->device_class));
      json.field("devices", gain->of);
    });
  }
  if (const std::optional<LoneBottleneck> alone = lone_bottleneck(problem, value)) {
    const auto& nodes = problem.workload->graph.nodes;
    json.key("lone_bottleneck").object([&] {
      json.column("nodes", alone->nodes, [&](NodeId v) { return nodes[v].original_id; });
      json.field("class", class_name(alone->device_class));
    });
  }
}

void add_link_pass(const char* name, const PassLoad& pass, JsonWriter& json) {
  json.key(name).object([&] {
    json.field("in", pass.in);
    json.field("out", pass.out);
  });
}

}  // namespace

void add_shared_links(const Problem& problem, const CheckReport& report, JsonWriter& json) {
  if (report.shared_links.empty()) return;
  json.rows("shared_links", report.shared_links, [&](const SharedLinkReport& link) {
    json.field("name", link.name);
    json.field("load", link.load);
    json.field("in", link.forward.in + link.backward.in);
    json.field("out", link.forward.out + link.backward.out);
    if (!problem.workload->graph.has_backward()) return;
    add_link_pass("forward", link.forward, json);
    add_link_pass("backward", link.backward, json);
  });
  json.field("bottleneck", report.slowest_link ? report.shared_links[*report.slowest_link].name
                                               : problem.workload->platform.device_name(report.bottleneck));
}

void add_result(const Result& result, JsonWriter& json) {
  json.field("status", to_string(result.status));
  json.field("value", result.split ? std::optional(result.value) : std::nullopt);
  json.field("bound", result.bound);
  json.field("bound_verified", !result.unverified);
  json.field("gap", result.split ? std::optional(result.gap()) : std::nullopt);
  json.field("seconds", result.seconds);
  json.field("seed", result.seed);
}

void add_run(RunRecord run, JsonWriter& json) {
  const SettingFields settings = changed(run.settings);
  if (!settings.empty()) {
    json.key("settings").object([&] {
      for (const SettingField& setting : settings)
        std::visit([&](const auto* value) { json.field(setting.name, *value); }, setting.place);
    });
  }
  if (run.statistics) add_statistics(*run.statistics, json);
}

void add_verdict(const Problem& problem, const Result& result, JsonWriter& json) {
  json.field("proof", result.proof);
  if (result.split) {
    add_gain(problem, result.value, json);
  } else {
    json.field("reason", result.reason);
  }
}

}  // namespace partita::detail
