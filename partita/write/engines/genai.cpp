// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime GenAI runs the files of `decoder.pipeline` (genai_config.json, type decoder-pipeline) in turn for each
// token: inputs and outputs of a stage by name, with what a stage has made at hand for all that follow.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "partita/report/pretty_json.h"
#include "partita/write/engines/device_names.h"
#include "partita/write/engines/stage_devices.h"

namespace partita::detail {

Exported write_genai(const Engine& engine, const ExportRequest& request) {
  using nlohmann::ordered_json;
  const std::vector<DeviceId> devices = stage_devices(engine, request);
  chain_ends(engine, *request.stages);  // refuses stages that do not follow each other
  ordered_json pipeline = ordered_json::array();
  for (std::size_t s = 0; s < devices.size(); ++s) {
    const StageFile& file = request.stages->stages[s];
    ordered_json inputs = ordered_json::array(), outputs = ordered_json::array(), providers = ordered_json::array();
    for (const StageTensor& tensor : file.inputs) inputs.push_back(tensor.name);
    for (const StageTensor& tensor : file.outputs) outputs.push_back(tensor.name);
    if (!is_host(request, devices[s]))
      providers.push_back({{"cuda", {{"device_id", engine_name(request, devices[s], "", "")}}}});
    ordered_json stage;
    stage["filename"] = file.file;
    stage["session_options"] = {{"provider_options", std::move(providers)}};
    stage["inputs"] = std::move(inputs);
    stage["outputs"] = std::move(outputs);
    stage["run_on_prompt"] = true;
    stage["run_on_token_gen"] = true;
    ordered_json named;
    named[fmt::format("stage{}", s)] = std::move(stage);
    pipeline.push_back(std::move(named));
  }
  ordered_json config;
  config["model"]["type"] = "decoder-pipeline";
  config["model"]["decoder"]["pipeline"] = std::move(pipeline);
  Exported exported{
      {{"genai_config.json", pretty_json(config)}},
      {"put this into the model's genai_config.json, beside the files of the stages; GenAI runs the stages in turn, so "
       "the "
       "plan's time per sample becomes the sum of its stages' times"}};
  return exported;
}

}  // namespace partita::detail
