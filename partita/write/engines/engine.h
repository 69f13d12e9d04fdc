// SPDX-License-Identifier: Apache-2.0
// Engines that run a model on several devices, and what each of them needs to be told for a plan to come true.
//
// An engine is a row of a table: its name, its rules as data, and a function that writes its settings. The rules serve
// twice: `plan` asks for splits that keep them (engine_question.h), and a split that does not is refused with the
// reason. docs/engines.md has a section on each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partita/model/layer_ends.h"
#include "partita/model/problem.h"
#include "partita/model/split.h"
#include "partita/write/engines/stage_files.h"

namespace partita::detail {

// What hosts may be.
enum class HostUse {
  Anywhere,
  First,  // the first stage; no other device then comes before one
  None,
};

struct EngineRules {
  bool whole_layers = false;          // all of a layer is on one device
  LayerEnds ends = LayerEnds::Apart;  // where what comes before and behind the layers is
  bool in_a_row = false;              // each device has one run of consecutive layers
  HostUse hosts = HostUse::Anywhere;  // where they may stand among the stages
  bool no_skips = false;              // a stage gets what it reads from the stage before it
  bool copies = false;                // a stage may run on several devices that take turns
  bool no_training = false;           // inference alone
  int most_accelerators = 0;          // 0: any number
};

// Names of weights, by node; empty for nodes without, and as a whole where nobody knows them.
using WeightNames = IdVector<NodeId, std::vector<std::string>>;

// Does the node hold weights that were trained, and not just constants? By the names, or by its memory without them.
bool holds_weights(const Graph& graph, const WeightNames& names, NodeId node);

struct ExportRequest {
  const Problem& problem;
  const Split& split;  // legal
  // What the engine calls the accelerators, in the platform's order. Empty: what it usually calls them.
  std::vector<std::string> devices = {};
  WeightNames weights = {};            // as the model's file calls them
  const StageFiles* stages = nullptr;  // for engines that run files of stages
};

struct ExportedFile {
  std::string path;  // in the folder that is written; just a name where it is the only one
  std::string text = {};
  std::string linked_to = {};  // instead of a text: this file, as a link where that can be, as it may be large
};

struct Exported {
  std::vector<ExportedFile> files;
  std::vector<std::string> notes = {};  // what the engine will do otherwise than the plan says, a line each
};

struct Engine {
  const char* name;    // "vllm": what callers say
  const char* title;   // "vLLM": what texts say
  const char* writes;  // in a few words
  EngineRules rules;
  bool runs_stage_files = false;  // ExportRequest::stages is needed
  bool writes_folder = false;     // several files, not one
  bool runs_onnx = false;         // ONNX models, by the names of their nodes or in files of stages
  Exported (*write)(const Engine& engine, const ExportRequest& request) = nullptr;
};

std::span<const Engine> engines();
const Engine* find_engine(std::string_view name);  // null where there is none

// The settings of the engine for this plan. Throws InputError(Unsupported) where the engine cannot run it, with the
// reason and what to ask for instead.
Exported export_plan(const Engine& engine, const ExportRequest& request);

// The writers, one file each.
Exported write_vllm(const Engine& engine, const ExportRequest& request);
Exported write_llama_cpp(const Engine& engine, const ExportRequest& request);
Exported write_megatron(const Engine& engine, const ExportRequest& request);
Exported write_torchtitan(const Engine& engine, const ExportRequest& request);
Exported write_torch(const Engine& engine, const ExportRequest& request);
Exported write_accelerate(const Engine& engine, const ExportRequest& request);
Exported write_deepspeed(const Engine& engine, const ExportRequest& request);
Exported write_onnxruntime(const Engine& engine, const ExportRequest& request);
Exported write_genai(const Engine& engine, const ExportRequest& request);
Exported write_triton(const Engine& engine, const ExportRequest& request);
Exported write_openvino(const Engine& engine, const ExportRequest& request);

}  // namespace partita::detail
