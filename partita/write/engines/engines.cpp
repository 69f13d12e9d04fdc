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
constexpr EngineRules kPipeline{.whole_layers = true, .in_a_row = true, .no_hosts = true, .no_skips = true};
constexpr EngineRules kServing{.whole_layers = true,
                               .ends = LayerEnds::WithLayers,
                               .in_a_row = true,
                               .no_hosts = true,
                               .no_skips = true,
                               .no_training = true};
constexpr EngineRules kMegatron{
    .whole_layers = true, .ends = LayerEnds::Together, .in_a_row = true, .no_hosts = true, .no_skips = true};
constexpr EngineRules kLocal{.whole_layers = true, .in_a_row = true, .no_training = true};
constexpr EngineRules kOneAccelerator{.no_training = true, .most_accelerators = 1};
constexpr EngineRules kAnySplit{.no_training = true};

constexpr std::array kEngines{
    Engine{"vllm", "vLLM", "environment and command line", kServing, false, false, write_vllm},
    Engine{"llama.cpp", "llama.cpp", "command line", kLocal, false, false, write_llama_cpp},
    Engine{"megatron", "Megatron", "arguments", kMegatron, false, false, write_megatron},
    Engine{"torchtitan", "torchtitan", "configuration", kPipeline, false, false, write_torchtitan},
    Engine{"torch", "torch.distributed.pipelining", "split_spec in Python", kPipeline, false, false, write_torch},
    Engine{"accelerate", "accelerate", "device_map as JSON", {.whole_layers = true}, false, false, write_accelerate},
    Engine{"deepspeed", "DeepSpeed", "a PipelineModule in Python", kPipeline, false, false, write_deepspeed},
    Engine{"onnxruntime", "ONNX Runtime", "session options as JSON", kOneAccelerator, false, false, write_onnxruntime},
    Engine{"genai", "ONNX Runtime GenAI", "part of genai_config.json", kAnySplit, true, false, write_genai},
    Engine{"triton", "Triton", "a model repository", kAnySplit, true, true, write_triton},
    Engine{"openvino", "OpenVINO", "affinities in Python", kAnySplit, false, false, write_openvino},
};

}  // namespace

std::span<const Engine> engines() { return kEngines; }

const Engine* find_engine(std::string_view name) {
  const auto found = std::ranges::find_if(kEngines, [&](const Engine& engine) { return engine.name == name; });
  return found == kEngines.end() ? nullptr : &*found;
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
    if (original == copy) continue;
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
