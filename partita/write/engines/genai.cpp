// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime GenAI runs the files of `decoder.pipeline` (genai_config.json, type decoder-pipeline) in turn for each
// token: inputs and outputs of a stage by name, with what a stage has made at hand for all that follow.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "partita/util/json_writer.h"
#include "partita/write/engines/device_names.h"
#include "partita/write/engines/stage_devices.h"

namespace partita::detail {

Exported write_genai(const Engine& engine, const ExportRequest& request) {
  const std::vector<DeviceId> devices = stage_devices(engine, request);
  chain_ends(engine, *request.stages);  // refuses stages that do not follow each other
  JsonWriter json(JsonLayout::Pretty);
  const auto write_stage = [&](const StageFile& file, DeviceId device) {
    json.field("filename", file.file);
    json.key("session_options").object([&] {
      json.key("provider_options").array([&] {
        if (is_host(request, device)) return;
        json.object(
            [&] { json.key("cuda").object([&] { json.field("device_id", engine_name(request, device, "", "")); }); });
      });
    });
    json.column("inputs", file.inputs, [](const StageTensor& tensor) { return tensor.name; });
    json.column("outputs", file.outputs, [](const StageTensor& tensor) { return tensor.name; });
    json.field("run_on_prompt", true);
    json.field("run_on_token_gen", true);
  };
  const auto write_pipeline = [&] {
    for (std::size_t s = 0; s < devices.size(); ++s) {
      json.object([&] {
        json.key(fmt::format("stage{}", s)).object([&] { write_stage(request.stages->stages[s], devices[s]); });
      });
    }
  };
  json.object([&] {
    json.key("model").object([&] {
      json.field("type", "decoder-pipeline");
      json.key("decoder").object([&] { json.key("pipeline").array(write_pipeline); });
    });
  });
  Exported exported{
      {{"genai_config.json", json.take()}},
      {"put this into the model's genai_config.json, beside the files of the stages; GenAI runs the stages in turn, so "
       "the plan's time per sample becomes the sum of its stages' times"}};
  return exported;
}

}  // namespace partita::detail
