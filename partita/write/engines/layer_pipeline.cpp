// SPDX-License-Identifier: Apache-2.0
#include "partita/write/engines/layer_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "partita/util/csr.h"
#include "partita/util/topological_order.h"
#include "partita/write/engines/quoting.h"
#include "partita/write/engines/refusal.h"

namespace partita::detail {
namespace {

constexpr std::size_t kNoUnit = std::numeric_limits<std::size_t>::max();

std::string device_of_node(const ExportRequest& request, NodeId v) {
  return request.problem.workload->platform.device_name(request.split.device_of[v]);
}

std::string shown_node(const ExportRequest& request, NodeId v) {
  const Node& node = request.problem.workload->graph.nodes[v];
  return node.name.empty() ? fmt::format("node {}", node.original_id) : node.name;
}

std::vector<std::pair<NodeId, NodeId>> forward_pairs(const Graph& graph) {
  std::vector<std::pair<NodeId, NodeId>> pairs;
  for (const Edge& edge : graph.edges) {
    if (!graph.nodes[edge.from].backward && !graph.nodes[edge.to].backward) pairs.emplace_back(edge.from, edge.to);
  }
  return pairs;
}

bool is_network_input(const Node& node) { return node.op == "input"; }

// Who comes before a layer, and who behind one.
class LayerSurroundings {
 public:
  explicit LayerSurroundings(const Graph& graph)
      : latest_(graph.nodes.size()), above_layer_(graph.nodes.size(), 0), varies_(graph.nodes.size(), 0) {
    const Csr<NodeId, NodeId> next(graph.nodes.size(), forward_pairs(graph));
    order_ = topological_order(next);
    const bool has_inputs = std::ranges::any_of(graph.nodes, is_network_input);
    for (NodeId u : order_) {
      if (!has_inputs || is_network_input(graph.nodes[u])) varies_[u] = 1;
      for (NodeId v : next[u]) {
        latest_[v] = std::max({latest_[v], latest_[u], graph.nodes[u].layer});
        varies_[v] = varies_[v] | varies_[u];
      }
    }
    for (std::size_t i = order_.size(); i-- > 0;) {
      for (NodeId v : next[order_[i]])
        if (graph.nodes[v].layer || above_layer_[v]) above_layer_[order_[i]] = 1;
    }
  }

  const std::vector<NodeId>& order() const { return order_; }
  bool is_before(NodeId v) const { return !latest_[v]; }
  bool is_between(NodeId v) const { return latest_[v] && above_layer_[v]; }
  // Is it made of weights and constants alone, as a table that is turned for the head?
  bool is_constant(NodeId v) const { return varies_[v] == 0; }
  // The latest of the layers that lead to it.
  const std::optional<std::int64_t>& latest(NodeId v) const { return latest_[v]; }

 private:
  IdVector<NodeId, std::optional<std::int64_t>> latest_;
  IdVector<NodeId, char> above_layer_;
  IdVector<NodeId, char> varies_;  // from sample to sample
  std::vector<NodeId> order_;
};

class PipelineMaker {
 public:
  PipelineMaker(const Engine& engine, const ExportRequest& request)
      : engine_(engine),
        request_(request),
        graph_(request.problem.workload->graph),
        around_(graph_),
        unit_of_(graph_.nodes.size(), kNoUnit) {}

  std::vector<PipelineUnit> make_ends() {
    add_ends(PipelineUnit::Place::Before);
    add_ends(PipelineUnit::Place::Behind);
    return std::move(pipeline_.units);
  }

  LayerPipeline make() {
    const LayerNodes layers = layer_nodes(engine_, request_);
    pipeline_.layers = layers.forward.size();
    add_ends(PipelineUnit::Place::Before);
    for (std::size_t i = 0; i < layers.forward.size(); ++i) add_layer(static_cast<std::int64_t>(i), layers);
    add_ends(PipelineUnit::Place::Behind);
    make_stages();
    if (engine_.rules.in_a_row) check_row();
    if (engine_.rules.ends == LayerEnds::WithLayers ||
        (engine_.rules.in_a_row && !layers_are_complete(graph_, request_.weights)))
      check_ends();
    if (engine_.rules.ends == LayerEnds::Together) check_together();
    if (engine_.rules.hosts == HostUse::None) check_hosts();
    if (engine_.rules.no_skips) check_skips();
    note_loose();
    return std::move(pipeline_);
  }

 private:
  DeviceId device(NodeId v) const { return request_.split.device_of[v]; }
  bool holds(NodeId v) const { return holds_weights(graph_, request_.weights, v); }
  std::string name(DeviceId d) const { return request_.problem.workload->platform.device_name(d); }
  std::string unit_text(const PipelineUnit& unit) const {
    if (unit.place == PipelineUnit::Place::Layer) return fmt::format("layer {}", unit.layer);
    return shown_node(request_, unit.nodes.front());
  }

  void add_unit(PipelineUnit unit) {
    for (NodeId v : unit.nodes) unit_of_[v] = pipeline_.units.size();
    pipeline_.units.push_back(std::move(unit));
  }

  // Does no node outside of the layers say that it holds weights?
  bool weights_unknown() const {
    for (NodeId v : graph_.nodes.all())
      if (!graph_.nodes[v].layer && !graph_.nodes[v].backward && holds(v)) return false;
    return true;
  }

  void add_ends(PipelineUnit::Place place) {
    const bool all = weights_unknown();
    for (NodeId v : around_.order()) {
      const Node& node = graph_.nodes[v];
      if (node.layer || node.backward || is_network_input(node)) continue;
      if (around_.is_before(v) != (place == PipelineUnit::Place::Before)) continue;
      if (around_.is_between(v) && holds(v)) continue;  // of a layer: see layer_nodes
      if (around_.is_between(v) || (!all && !holds(v))) {
        loose_.push_back(v);
        continue;
      }
      add_unit({place, 0, {v}, device(v)});
    }
  }

  void add_layer(std::int64_t number, const LayerNodes& layers) {
    const auto& nodes = layers.forward[static_cast<std::size_t>(number)];
    for (const auto* list : {&nodes, &layers.backward[static_cast<std::size_t>(number)]}) {
      for (NodeId v : *list) {
        if (device(v) == device(nodes.front())) continue;
        refuse_plan(engine_,
                    fmt::format("the plan cuts inside layer {}: {} is on {}, {} on {}", number,
                                shown_node(request_, nodes.front()), device_of_node(request_, nodes.front()),
                                shown_node(request_, v), device_of_node(request_, v)),
                    "PlanOptions::contract_layers");
      }
    }
    add_unit({PipelineUnit::Place::Layer, number, nodes, device(nodes.front())});
  }

  void make_stages() {
    for (std::size_t i = 0; i < pipeline_.units.size(); ++i) {
      const PipelineUnit& unit = pipeline_.units[i];
      if (pipeline_.stages.empty() || pipeline_.stages.back().device != unit.device)
        pipeline_.stages.push_back({unit.device, i, i, 0});
      PipelineStage& stage = pipeline_.stages.back();
      stage.end = i + 1;
      stage.layers += unit.place == PipelineUnit::Place::Layer ? 1 : 0;
    }
  }

  void check_row() const {
    std::map<DeviceId, std::size_t> stage_of;
    for (std::size_t s = 0; s < pipeline_.stages.size(); ++s) {
      const auto [before, is_new] = stage_of.emplace(pipeline_.stages[s].device, s);
      if (is_new) continue;
      refuse_plan(
          engine_,
          fmt::format("{} has {} and again {}, with another device between; {} gives each device one run of "
                      "layers",
                      name(pipeline_.stages[s].device), unit_text(pipeline_.last_of(pipeline_.stages[before->second])),
                      unit_text(pipeline_.first_of(pipeline_.stages[s])), engine_.title),
          "Question::shape = staged");
    }
  }

  void check_ends() const {
    for (const PipelineStage& stage : pipeline_.stages) {
      if (stage.layers > 0) continue;
      const PipelineUnit& unit = pipeline_.first_of(stage);
      refuse_plan(engine_,
                  fmt::format("{} has {} and no layer: a stage without layers would be empty for {}, which keeps that "
                              "with the {} layer",
                              name(stage.device), unit_text(unit), engine_.title,
                              unit.place == PipelineUnit::Place::Before ? "first" : "last"),
                  "");
    }
  }

  void check_together() const {
    for (const auto place : {PipelineUnit::Place::Before, PipelineUnit::Place::Behind}) {
      const PipelineUnit* first = nullptr;
      for (const PipelineUnit& unit : pipeline_.units) {
        if (unit.place != place) continue;
        if (first == nullptr) first = &unit;
        if (unit.device == first->device) continue;
        refuse_plan(engine_,
                    fmt::format("{} is on {} and {} on {}, and {} keeps what comes {} the layers on one device",
                                unit_text(*first), name(first->device), unit_text(unit), name(unit.device),
                                engine_.title, place == PipelineUnit::Place::Before ? "before" : "behind"),
                    "");
      }
    }
  }

  void check_hosts() const {
    const Platform& platform = request_.problem.workload->platform;
    for (const PipelineStage& stage : pipeline_.stages) {
      if (platform.classes[platform.class_of(stage.device)].kind != DeviceKind::Host) continue;
      refuse_plan(engine_,
                  fmt::format("{} has {}, and the stages of {} run on accelerators", name(stage.device),
                              unit_text(pipeline_.first_of(stage)), engine_.title),
                  "PlatformOverrides::hosts = 0");
    }
  }

  // What a mask or a table of positions is made of is known to every stage, and weights are where they are used; what a
  // unit has made of the sample is not.
  void check_skips() const {
    std::map<DeviceId, std::size_t> stage_of;
    for (std::size_t s = 0; s < pipeline_.stages.size(); ++s) stage_of.emplace(pipeline_.stages[s].device, s);
    IdVector<NodeId, char> carries(graph_.nodes.size(), 0);
    for (NodeId v : graph_.nodes.all()) carries[v] = unit_of_[v] != kNoUnit && !around_.is_constant(v);
    const Csr<NodeId, NodeId> next(graph_.nodes.size(), forward_pairs(graph_));
    for (NodeId u : around_.order()) {
      if (!carries[u]) continue;
      for (NodeId v : next[u]) {
        carries[v] = 1;
        const auto from = stage_of.find(device(u)), to = stage_of.find(device(v));
        if (from == stage_of.end() || to == stage_of.end() || to->second <= from->second + 1) continue;
        refuse_export(engine_,
                      fmt::format("stage {} reads what {} makes in stage {}, and {} hands on to the next stage alone; "
                                  "plan for fewer devices, or for an engine that runs files of stages (triton)",
                                  to->second, shown_node(request_, u), from->second, engine_.title));
      }
    }
  }

  void note_loose() {
    const auto elsewhere = [this](NodeId v) {
      return std::ranges::none_of(pipeline_.stages,
                                  [&](const PipelineStage& stage) { return stage.device == device(v); });
    };
    const auto moved = std::ranges::count_if(loose_, elsewhere);
    if (moved == 0) return;
    pipeline_.notes.push_back(fmt::format(
        "{} operator(s) outside of the layers that hold no weights, such as {}, run where {} needs them, not on a "
        "device of their own",
        moved, shown_node(request_, *std::ranges::find_if(loose_, elsewhere)), engine_.title));
  }

  const Engine& engine_;
  const ExportRequest& request_;
  const Graph& graph_;
  const LayerSurroundings around_;
  IdVector<NodeId, std::size_t> unit_of_;
  std::vector<NodeId> loose_;
  LayerPipeline pipeline_;
};

}  // namespace

LayerNodes layer_nodes(const Engine& engine, const ExportRequest& request) {
  const Graph& graph = request.problem.workload->graph;
  std::set<std::int64_t> numbers;
  for (const Node& node : graph.nodes)
    if (node.layer && !node.backward) numbers.insert(*node.layer);
  if (numbers.empty()) {
    refuse_export(engine, fmt::format("no node of {} says which layer it is of, and {} is told layers; export from the "
                                      "model's own file, or name layers (layerId) in the workload",
                                      request.problem.workload->name, engine.title));
  }
  LayerNodes layers;
  layers.first_number = *numbers.begin();
  std::int64_t expected = layers.first_number;
  for (const std::int64_t number : numbers) {
    if (number != expected++) {
      refuse_export(engine, fmt::format("layer {} is missing: there is layer {} behind layer {}; expected layers that "
                                        "are numbered in a row",
                                        expected - 1, number, expected - 2));
    }
  }
  layers.forward.resize(numbers.size());
  layers.backward.resize(numbers.size());
  const LayerSurroundings around(graph);
  for (NodeId v : graph.nodes.all()) {
    const Node& node = graph.nodes[v];
    std::optional<std::int64_t> layer = node.layer;
    // Weights between layers, of which the file does not say whose they are, are of the layer before them.
    if (!layer && !node.backward && holds_weights(graph, request.weights, v) && around.is_between(v))
      layer = around.latest(v);
    if (!layer || !numbers.contains(*layer)) continue;
    auto& lists = node.backward ? layers.backward : layers.forward;
    lists[static_cast<std::size_t>(*layer - layers.first_number)].push_back(v);
  }
  for (const auto& [from, to] : forward_pairs(graph)) {
    const auto &a = graph.nodes[from].layer, &b = graph.nodes[to].layer;
    if (!a || !b || *a <= *b) continue;
    refuse_export(engine, fmt::format("layer {} feeds layer {}: {} is read by {}; expected layers that follow each "
                                      "other",
                                      *a, *b, shown_node(request, from), shown_node(request, to)));
  }
  return layers;
}

bool layers_are_complete(const Graph& graph, const WeightNames& weights) {
  const LayerSurroundings around(graph);
  for (NodeId v : graph.nodes.all()) {
    const Node& node = graph.nodes[v];
    if (!node.layer && !node.backward && holds_weights(graph, weights, v) && around.is_between(v)) return false;
  }
  return true;
}

LayerPipeline layer_pipeline(const Engine& engine, const ExportRequest& request) {
  return PipelineMaker(engine, request).make();
}

std::vector<PipelineUnit> end_units(const Engine& engine, const ExportRequest& request) {
  return PipelineMaker(engine, request).make_ends();
}

std::string stage_lines(const LayerPipeline& pipeline, const ExportRequest& request, const std::string& prefix) {
  std::string text;
  for (std::size_t s = 0; s < pipeline.stages.size(); ++s) {
    const PipelineStage& stage = pipeline.stages[s];
    std::string what;
    std::optional<std::int64_t> first;
    for (std::size_t i = stage.first; i < stage.end; ++i) {
      const PipelineUnit& unit = pipeline.units[i];
      const bool is_layer = unit.place == PipelineUnit::Place::Layer;
      if (is_layer && !first) first = unit.layer;
      if (is_layer && i + 1 < stage.end && pipeline.units[i + 1].place == PipelineUnit::Place::Layer) continue;
      what += what.empty() ? "" : ", ";
      if (!is_layer) {
        what += comment_text(shown_node(request, unit.nodes.front()));
      } else {
        what += *first == unit.layer ? fmt::format("layer {}", unit.layer)
                                     : fmt::format("layers {} to {}", *first, unit.layer);
      }
    }
    text += fmt::format("{}stage {}, {}: {}\n", prefix, s,
                        comment_text(request.problem.workload->platform.device_name(stage.device)), what);
  }
  return text;
}

}  // namespace partita::detail
