// SPDX-License-Identifier: Apache-2.0
#include "partita/write/onnx/split_onnx.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "partita/model/fingerprint.h"
#include "partita/read/mapped_file.h"
#include "partita/read/onnx/inference.h"
#include "partita/read/onnx/network.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"
#include "partita/write/onnx/stage_file.h"
#include "partita/write/onnx/stage_folder.h"

namespace partita::detail {

namespace onnx {

namespace {

namespace fs = std::filesystem;

FlatModel inferred(const WireFile& file, const ModelView& view, Symbols& symbols) {
  FlatModel model = flatten(file, view);
  infer(model, symbols);
  return model;
}

// The node of each operator. The graph of a network has them in the order of the operators, with inputs, outputs that
// were set apart and a backward pass between and behind them.
std::vector<NodeId> nodes_of(const Graph& graph, const Network& network, const std::string& source) {
  std::vector<NodeId> nodes;
  for (NodeId v : graph.nodes.all()) {
    if (nodes.size() == network.operators.size()) break;
    const Operator& op = network.operators[OperatorId(nodes.size())];
    const std::string kind = op.domain.empty() ? op.kind : op.domain + "." + op.kind;
    const Node& node = graph.nodes[v];
    if (!node.backward && node.name == op.name && node.op == kind) nodes.push_back(v);
  }
  if (nodes.size() != network.operators.size()) {
    throw InputError(ErrorKind::BadGraph, source,
                     fmt::format("its operator '{}' is not in the plan's graph; expected the model that was planned",
                                 visible(network.operators[OperatorId(nodes.size())].name, kLongestShownName)));
  }
  return nodes;
}

// What the plan keeps together, in the order of its pipeline where it has one.
struct PlanParts {
  std::vector<DeviceId> device;  // by part
  std::vector<PartId> part_of;   // by operator
  std::vector<PartId> order;
};

PlanParts parts_of(const Problem& problem, const ListedSplit& plan, const std::vector<NodeId>& nodes) {
  PlanParts parts;
  const Platform& platform = problem.workload->platform;
  std::map<std::pair<DeviceId, std::uint32_t>, PartId> known;
  const auto part = [&](DeviceId device, std::uint32_t subgraph) {
    const auto [at, is_new] = known.emplace(std::pair(device, subgraph), PartId(parts.device.size()));
    if (is_new) parts.device.push_back(device);
    return at->second;
  };
  for (DeviceId d : plan.report.order) parts.order.push_back(part(d, 0));
  for (NodeId v : nodes) {
    const DeviceId d = plan.split.device_of[v];
    const bool is_host = platform.classes[platform.class_of(d)].kind == DeviceKind::Host;
    parts.part_of.push_back(part(d, plan.split.subgraph_of.empty() || is_host ? 0 : plan.split.subgraph_of[v]));
  }
  return parts;
}

class Splitter {
 public:
  Splitter(const Problem& problem, const ListedSplit& plan, const OnnxSplitOptions& options, const WireFile& file,
           const ModelView& view)
      : problem_(problem), plan_(plan), options_(options), file_(file), view_(view) {}

  Pipeline run(const fs::path& model, StageFolder& folder) {
    Symbols symbols(options_.network);
    FlatModel sized = inferred(file_, view_, symbols);
    const Network network = to_network(sized, symbols);
    parts_ = parts_of(problem_, plan_, nodes_of(problem_.workload->graph, network, file_.source));
    const ReadNetworkOptions none;
    Symbols open_symbols(none);
    const FlatModel open = inferred(file_, view_, open_symbols);
    CutGraph graph = cut_graph(sized, parts_.part_of);
    const StageRow row = make_stages(graph, {.order = parts_.order, .chain = options_.chain && !options_.annotate});
    const ValueTypes types(graph, open);
    ExternalData data(file_, model, options_.copy_weights);
    const StageFileParts files{file_, graph, row, types, data};

    result_.model = model.filename().string();
    result_.fingerprint = fingerprint(problem_.workload->graph);
    result_.chain = options_.chain && !options_.annotate;
    result_.annotated = options_.annotate;
    describe(graph, row, types);
    if (options_.annotate) {
      write_annotated(files, folder);
    } else {
      for (StageId q : row.stages.all()) write_stage(files, q, folder);
    }
    share(data, folder);
    add_notes(row);
    note_other_opsets(graph);
    result_.files = folder.files();
    folder.write(kPipelineFile, pipeline_json(result_));
    return std::move(result_);
  }

 private:
  void describe(const CutGraph& graph, const StageRow& row, const ValueTypes& types) {
    const auto value = [&](ValueId id) {
      return PipelineValue{.name = graph.name[id], .type = types.type(id), .from = {}, .optional = false};
    };
    std::set<ValueId> weights;
    for (std::size_t i = 0; i < view_.graph.inputs.size(); ++i) {
      const ValueId id = graph.model->graph.inputs[i];
      result_.inputs.push_back(value(id));
      result_.inputs.back().optional = is_initializer(graph, id);
      if (result_.inputs.back().optional) overridable_.insert(id);
    }
    for (ValueId id : graph.model->graph.outputs) {
      if (!id.valid()) continue;
      result_.outputs.push_back(value(id));
      result_.outputs.back().from = row.made_in[id].index();
    }
    const std::size_t digits = std::to_string(row.stages.size() - 1).size();
    for (StageId q : row.stages.all()) {
      const Stage& stage = row.stages[q];
      PipelineStage one;
      set_device(parts_.device[stage.part.index()], one);
      one.file = options_.annotate ? result_.model : fmt::format("stage_{:0{}}.onnx", q.index(), digits);
      one.nodes = stage.items.size();
      one.recomputed = stage.copies;
      one.weight_bytes = weight_bytes(graph, stage.weights);
      weights.insert(stage.weights.begin(), stage.weights.end());
      for (const StageInput& input : stage.inputs) {
        one.inputs.push_back(value(input.value));
        if (input.from.valid()) one.inputs.back().from = input.from.index();
      }
      for (ValueId id : stage.weights) {
        if (!overridable_.contains(id)) continue;
        one.inputs.push_back(value(id));
        one.inputs.back().optional = true;
      }
      for (ValueId id : stage.outputs) one.outputs.push_back(value(id));
      result_.stages.push_back(std::move(one));
    }
    result_.model_weight_bytes = weight_bytes(graph, {weights.begin(), weights.end()});
  }

  void set_device(DeviceId device, PipelineStage& stage) const {
    const Platform& platform = problem_.workload->platform;
    stage.device = platform.device_name(device);
    const Split& split = plan_.split;
    for (DeviceId d : split.copy_of.all()) {
      if (d != device && split.copy_of[d] == device) stage.copies.push_back(platform.device_name(d));
    }
  }

  void write_stage(const StageFileParts& files, StageId q, StageFolder& folder) {
    PipelineStage& stage = result_.stages[q.index()];
    const std::string data_file = fs::path(stage.file).stem().string() + ".data";
    files.data.begin_stage(data_file);
    stage.checksum = folder.write(stage.file, stage_model(files, q));
    if (files.data.copied().empty()) return;
    folder.copy(data_file, files.data.copied());
    stage.data = data_file;
  }

  void write_annotated(const StageFileParts& files, StageFolder& folder) {
    std::vector<std::string> devices;
    for (const PipelineStage& stage : result_.stages) devices.push_back(stage.device);
    const std::string data_file = result_.model + ".data";
    files.data.begin_stage(data_file);
    const std::uint32_t checksum = folder.write(result_.model, annotated_model(files, devices));
    for (PipelineStage& stage : result_.stages) stage.checksum = checksum;
    if (files.data.copied().empty()) return;
    folder.copy(data_file, files.data.copied());
    for (PipelineStage& stage : result_.stages) stage.data = data_file;
  }

  // Files of weights that stages refer to under the model's own names.
  void share(const ExternalData& data, StageFolder& folder) {
    const std::vector<std::string> written = folder.files();
    for (const std::string& location : data.locations()) {
      if (location == kPipelineFile || std::ranges::find(written, location) != written.end()) {
        throw InputError(
            ErrorKind::Unsupported, file_.source,
            fmt::format("its weights are in a file called '{}', as a file of the stages is; rename that file, or "
                        "copy the weights with OnnxSplitOptions::copy_weights",
                        visible(location, kLongestShownName)));
      }
      std::error_code ignored;
      const fs::path from = data.source(location);
      if (fs::exists(from, ignored)) {
        folder.share(from, location);
      } else {
        note(fmt::format("the weights in '{}' are not there; the stages look for that file beside them",
                         visible(location, kLongestShownName)));
      }
    }
  }

  void note(std::string text) { result_.notes.push_back(std::move(text)); }

  void add_notes(const StageRow& row) {
    const Platform& platform = problem_.workload->platform;
    std::map<DeviceId, std::size_t> stages;
    for (const Stage& stage : row.stages) ++stages[parts_.device[stage.part.index()]];
    for (const auto& [device, count] : stages) {
      if (count > 1) {
        note(
            fmt::format("{} has {} stages, because others must run between them", platform.device_name(device), count));
      }
    }
    for (DeviceId d : plan_.report.devices.all()) {
      if (plan_.report.devices[d].node_count > 0 && !stages.contains(d)) {
        note(fmt::format("{} has no stage: nothing that it holds has to be computed there", platform.device_name(d)));
      }
    }
    if (problem_.workload->graph.has_backward()) note("the stages are the forward pass of a plan for training");
    std::set<std::string> without_axes;
    for (const PipelineStage& stage : result_.stages) {
      for (const PipelineValue& input : stage.inputs) {
        if (input.from && !input.type.shape && !input.type.type.empty()) without_axes.insert(input.name);
      }
    }
    if (!without_axes.empty()) {
      note(fmt::format(
          "how many axes {} value(s) have that cross a cut is not known, which onnx.checker asks for, though "
          "not ONNX Runtime: '{}'{}",
          without_axes.size(), visible(*without_axes.begin(), kLongestShownName),
          without_axes.size() > 1 ? ", ..." : ""));
    }
    if (row.unused > 0) note(fmt::format("{} node(s) that no output depends on are left out", row.unused));
    double stored = 0;
    for (const PipelineStage& stage : result_.stages) stored += stage.weight_bytes;
    if (stored > result_.model_weight_bytes) {
      note(fmt::format("weights that several stages use are in each of them: {:.0f} bytes more than in the model",
                       stored - result_.model_weight_bytes));
    }
  }

  // The standard wants a function's operators to mean the same in both versions; who replaces a call relies on that.
  void note_other_opsets(const CutGraph& graph) {
    std::set<std::string_view> names;
    for (const auto& [call, prefix] : graph.prefix) {
      if (call == nullptr) continue;
      for (const OpsetView& opset : call->function->opsets) {
        const auto own = std::ranges::find(view_.opsets, opset.domain, &OpsetView::domain);
        if (own != view_.opsets.end() && own->version != opset.version) names.insert(call->function->name);
      }
    }
    for (std::string_view name : names) {
      note(fmt::format("calls of the function '{}' were cut; it imports other versions of operators than the model",
                       visible(name, kLongestShownName)));
    }
  }

  const Problem& problem_;
  const ListedSplit& plan_;
  const OnnxSplitOptions& options_;
  const WireFile& file_;
  const ModelView& view_;
  PlanParts parts_;
  std::set<ValueId> overridable_;
  Pipeline result_;
};

}  // namespace

}  // namespace onnx

onnx::Pipeline split_onnx(const std::filesystem::path& model, const Problem& problem, const ListedSplit& plan,
                          const std::filesystem::path& folder, const OnnxSplitOptions& options) {
  const MappedFile mapped(model.string());
  const onnx::WireFile file{std::as_bytes(std::span(mapped.bytes())), model.string()};
  const onnx::ModelView view = onnx::view_model(file);
  onnx::StageFolder files(folder, model, options.budget);
  return onnx::Splitter(problem, plan, options, file, view).run(model, files);
}

}  // namespace partita::detail
