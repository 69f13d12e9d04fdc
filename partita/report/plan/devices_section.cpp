// SPDX-License-Identifier: Apache-2.0
// What each device holds, and what `check` found that it costs.
#include <algorithm>
#include <map>

#include "partita/report/json_parts.h"
#include "partita/report/plan/sections.h"

namespace partita::detail {
namespace {

// The device's place in the pipeline; nothing where it holds nothing or the shape has no order.
IdVector<DeviceId, std::optional<std::size_t>> stages(const Problem& problem, const std::vector<DeviceId>& order) {
  IdVector<DeviceId, std::optional<std::size_t>> stage(problem.workload->platform.device_count());
  for (std::size_t i = 0; i < order.size(); ++i) stage[order[i]] = i;
  return stage;
}

// Where a class is called otherwise than its kind, its name says more than the kind does.
bool has_named_classes(const Platform& platform) {
  return std::any_of(platform.classes.begin(), platform.classes.end(),
                     [](const DeviceClass& one) { return one.name != to_string(one.kind); });
}

void write_memory_parts(const MemoryItems& items, bool recompute, JsonWriter& json) {
  json.object([&] {
    json.field("weights", items.weights);
    json.field("optimizer_state", items.optimizer_state);
    json.field("activation", items.activation);
    json.field("in_flight", items.in_flight);
    if (items.gradients != 0) json.field("gradients", items.gradients);
    if (recompute) json.field("recomputed", items.recomputed);
  });
}

class DeviceWriter {
 public:
  DeviceWriter(const Problem& problem, const Split& split, const CheckReport& report,
               const std::vector<CutTensor>& cuts, const PlacesInList& places, JsonWriter& json)
      : problem_(problem),
        split_(split),
        report_(report),
        places_(places),
        json_(json),
        training_(problem.workload->graph.has_backward()),
        named_classes_(has_named_classes(problem.workload->platform)),
        nodes_(node_lists(problem, split)),
        subgraphs_(has_subgraphs(problem) ? subgraph_lists(problem, split) : SubgraphLists{}),
        stage_(stages(problem, report.order.empty() ? split.order : report.order)),
        receives_(places.size()),
        sends_(places.size()) {
    for (std::size_t i = 0; i < cuts.size(); ++i) {
      sends_[cuts[i].from].push_back(i);
      for (DeviceId d : cuts[i].to) receives_[d].push_back(i);
    }
  }

  // `index`: its place among the devices of its kind.
  void write(DeviceId d, std::size_t index) {
    const Platform& platform = problem_.workload->platform;
    const DeviceClass& its_class = platform.classes[platform.class_of(d)];
    json_.object([&] {
      json_.field("name", platform.device_name(d));
      json_.field("kind", to_string(its_class.kind));
      if (named_classes_) json_.field("class", its_class.name);
      json_.field("index", index);
      json_.field("stage", stage_[d]);
      add_costs(d);
      json_.field("memory", report_.devices[d].memory);
      json_.field("memory_limit", its_class.memory);
      add_pipeline_items(d);
      json_.column("receives", receives_[d]);
      json_.column("sends", sends_[d]);
      json_.column("nodes", nodes_[d]);
      if (has_subgraphs(problem_) && its_class.kind == DeviceKind::Accelerator) add_subgraphs(d);
    });
  }

 private:
  void add_costs(DeviceId d) {
    const DeviceReport& costs = report_.devices[d];
    json_.field("load", report_.load[d]);
    json_.field("compute", costs.compute());
    json_.field("in", costs.in());
    json_.field("out", costs.out());
    if (!training_) return;
    write_pass(costs.forward, json_.key("forward"));
    write_pass(costs.backward, json_.key("backward"));
  }

  // What only pipelines with copies, samples in flight and recomputing have.
  void add_pipeline_items(DeviceId d) {
    const DeviceReport& costs = report_.devices[d];
    if (problem_.replicas > 1) {
      json_.field("sync", costs.sync);
      json_.field("sharing", costs.sharing);
      if (is_copy(split_, d)) json_.field("copy_of", *places_[split_.copy_of[d]]);
    }
    if (recomputes(split_, d)) json_.field("recompute", true);
    write_memory_parts(costs.memory_items, problem_.recompute, json_.key("memory_parts"));
  }

  void add_subgraphs(DeviceId d) {
    const auto add_lists = [&](const char* name, const std::vector<OriginalIds>& lists) {
      json_.key(name).array(
          lists, [&](const OriginalIds& ids) { json_.array(ids, [&](std::int64_t id) { json_.value(id); }); });
    };
    add_lists("subgraphs", subgraphs_.forward[d]);
    if (training_) add_lists("backward_subgraphs", subgraphs_.backward[d]);
  }

  const Problem& problem_;
  const Split& split_;
  const CheckReport& report_;
  const PlacesInList& places_;
  JsonWriter& json_;
  bool training_;
  bool named_classes_;
  IdVector<DeviceId, OriginalIds> nodes_;
  SubgraphLists subgraphs_;
  IdVector<DeviceId, std::optional<std::size_t>> stage_;
  IdVector<DeviceId, std::vector<std::size_t>> receives_;  // places in the list of cuts, in its order
  IdVector<DeviceId, std::vector<std::size_t>> sends_;
};

}  // namespace

void write_planned_devices(const Problem& problem, const Result& result, const CheckReport& report,
                           const std::vector<CutTensor>& cuts, const PlacesInList& places, JsonWriter& json) {
  const Platform& platform = problem.workload->platform;
  DeviceWriter writer(problem, *result.split, report, cuts, places, json);
  std::map<DeviceKind, std::size_t> seen;
  json.array([&] {
    for (DeviceId d : places.all()) {
      const std::size_t index = seen[platform.classes[platform.class_of(d)].kind]++;
      if (places[d]) writer.write(d, index);
    }
  });
}

}  // namespace partita::detail
