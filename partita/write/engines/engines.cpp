// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "partita/util/error.h"
#include "partita/write/engines/device_names.h"
#include "partita/write/engines/engine.h"
#include "partita/write/engines/refusal.h"

namespace partita::detail {
namespace {

// Stages of whole layers in a row, each fed by the one before.
constexpr EngineRules kPipeline{.whole_layers = true, .in_a_row = true, .hosts = HostUse::None, .no_skips = true};
constexpr EngineRules kServing{.whole_layers = true,
                               .ends = LayerEnds::WithLayers,
                               .in_a_row = true,
                               .hosts = HostUse::None,
                               .no_skips = true,
                               .no_training = true};
constexpr EngineRules kMegatron{
    .whole_layers = true, .ends = LayerEnds::Together, .in_a_row = true, .hosts = HostUse::None, .no_skips = true};
constexpr EngineRules kLocal{.whole_layers = true, .in_a_row = true, .hosts = HostUse::First, .no_training = true};
constexpr EngineRules kOneAccelerator{.no_training = true, .most_accelerators = 1};
constexpr EngineRules kAnySplit{.no_training = true};
constexpr EngineRules kAnyCopies{.copies = true, .no_training = true};

constexpr EngineRules kWholeLayers{.whole_layers = true};

constexpr std::array kEngines{
    Engine{.name = "vllm",
           .title = "vLLM",
           .writes = "environment and command line",
           .rules = kServing,
           .write = write_vllm},
    Engine{
        .name = "llama.cpp", .title = "llama.cpp", .writes = "command line", .rules = kLocal, .write = write_llama_cpp},
    Engine{.name = "megatron", .title = "Megatron", .writes = "arguments", .rules = kMegatron, .write = write_megatron},
    Engine{.name = "torchtitan",
           .title = "torchtitan",
           .writes = "configuration",
           .rules = kPipeline,
           .write = write_torchtitan},
    Engine{.name = "torch",
           .title = "torch.distributed.pipelining",
           .writes = "split_spec in Python",
           .rules = kPipeline,
           .write = write_torch},
    Engine{.name = "accelerate",
           .title = "accelerate",
           .writes = "device_map as JSON",
           .rules = kWholeLayers,
           .write = write_accelerate},
    Engine{.name = "deepspeed",
           .title = "DeepSpeed",
           .writes = "a PipelineModule in Python",
           .rules = kPipeline,
           .write = write_deepspeed},
    Engine{.name = "onnxruntime",
           .title = "ONNX Runtime",
           .writes = "session options as JSON",
           .rules = kOneAccelerator,
           .runs_onnx = true,
           .write = write_onnxruntime},
    Engine{.name = "genai",
           .title = "ONNX Runtime GenAI",
           .writes = "part of genai_config.json",
           .rules = kAnySplit,
           .runs_stage_files = true,
           .runs_onnx = true,
           .write = write_genai},
    Engine{.name = "triton",
           .title = "Triton",
           .writes = "a model repository",
           .rules = kAnyCopies,
           .runs_stage_files = true,
           .writes_folder = true,
           .runs_onnx = true,
           .write = write_triton},
    Engine{.name = "openvino",
           .title = "OpenVINO",
           .writes = "affinities in Python",
           .rules = kAnySplit,
           .runs_onnx = true,
           .write = write_openvino},
};

}  // namespace

std::span<const Engine> engines() { return kEngines; }

const Engine* find_engine(std::string_view name) {
  const auto found = std::ranges::find_if(kEngines, [&](const Engine& engine) { return engine.name == name; });
  return found == kEngines.end() ? nullptr : &*found;
}

bool holds_weights(const Graph& graph, const WeightNames& names, NodeId node) {
  return names.empty() ? graph.nodes[node].parts.weights > 0 : !names[node].empty();
}

Exported export_plan(const Engine& engine, const ExportRequest& request) {
  check_device_names(request);
  if (engine.runs_stage_files && request.stages == nullptr) {
    refuse_export(engine,
                  "it runs files of stages: `partita split MODEL PLAN -o STAGES` makes them; then give that folder as "
                  "ExportRequest::stages");
  }
  if (engine.rules.no_training && request.problem.workload->graph.has_backward()) {
    refuse_export(engine, fmt::format("the plan is for training, and {} runs models forward alone; plan without a "
                                      "backward pass, or export to megatron, torchtitan, torch or deepspeed",
                                      engine.title));
  }
  const Platform& platform = request.problem.workload->platform;
  for (const DeviceId copy : request.split.copy_of.all()) {
    const DeviceId original = request.split.copy_of[copy];
    if (original == copy || engine.rules.copies) continue;
    refuse_export(engine, fmt::format("{} runs a copy of what {} runs, and {} has no copies of single stages; plan "
                                      "with Question::replicas = 1",
                                      platform.device_name(copy), platform.device_name(original), engine.title));
  }
  Exported exported = engine.write(engine, request);
  if (std::ranges::any_of(request.split.recomputes, [](char does) { return does != 0; }))
    exported.notes.push_back("the plan has stages that recompute activations; switch that on in the engine itself");
  return exported;
}

}  // namespace partita::detail
