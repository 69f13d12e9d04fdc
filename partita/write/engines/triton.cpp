// SPDX-License-Identifier: Apache-2.0
// Triton's model repository: a model for each stage, on its device, and an ensemble that chains them. An ensemble's
// steps run as soon as their inputs are there, so that several requests are under way in different stages.
//
//   stage0/config.pbtxt, stage0/1/model.onnx, ..., pipeline/config.pbtxt, pipeline/1/
//
// A tensor of an ensemble is made by one step. A stage that passes on what it was given makes it a second time, which
// the ensemble does not ask for.
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "partita/model/tensor.h"
#include "partita/write/engines/device_names.h"
#include "partita/write/engines/quoting.h"
#include "partita/write/engines/refusal.h"
#include "partita/write/engines/stage_devices.h"

namespace partita::detail {
namespace {

std::string triton_type(const Engine& engine, const StageTensor& tensor) {
  static const std::map<std::string, const char*> kTypes{
      {"fp64", "TYPE_FP64"},     {"fp32", "TYPE_FP32"},     {"fp16", "TYPE_FP16"},     {"bf16", "TYPE_BF16"},
      {"int64", "TYPE_INT64"},   {"int32", "TYPE_INT32"},   {"int16", "TYPE_INT16"},   {"int8", "TYPE_INT8"},
      {"uint64", "TYPE_UINT64"}, {"uint32", "TYPE_UINT32"}, {"uint16", "TYPE_UINT16"}, {"uint8", "TYPE_UINT8"},
      {"bool", "TYPE_BOOL"},     {"string", "TYPE_STRING"}};
  const std::optional<DataType> type = data_type(tensor.type);
  const auto found = kTypes.find(type ? to_string(*type) : tensor.type);
  if (found == kTypes.end()) {
    refuse_export(engine, fmt::format("the tensor {} has {}, and Triton must be told a type that it knows", tensor.name,
                                      tensor.type.empty() ? "no type in pipeline.json" : "the type " + tensor.type));
  }
  return found->second;
}

std::string tensor_block(const Engine& engine, const StageTensor& tensor) {
  if (!tensor.shape) {
    refuse_export(
        engine, fmt::format("the tensor {} has no shape in pipeline.json, and Triton must be told one; split the model "
                            "with the sizes of its dimensions given",
                            tensor.name));
  }
  // A tensor without axes has one for Triton, which is taken away on the way to the model.
  const bool scalar = tensor.shape->empty();
  return fmt::format("  {{ name: {} data_type: {} dims: [ {} ]{} }}", protobuf_text(tensor.name),
                     triton_type(engine, tensor), scalar ? "1" : fmt::format("{}", fmt::join(*tensor.shape, ", ")),
                     scalar ? " reshape { shape: [ ] }" : "");
}

std::string tensor_blocks(const Engine& engine, const char* field, const std::vector<StageTensor>& tensors) {
  std::string text;
  for (const StageTensor& tensor : tensors) text += (text.empty() ? "" : ",\n") + tensor_block(engine, tensor);
  return text.empty() ? "" : fmt::format("{} [\n{}\n]\n", field, text);
}

std::string map_entry(const char* field, const std::string& name) {
  return fmt::format("      {} {{ key: {} value: {} }}\n", field, protobuf_text(name), protobuf_text(name));
}

std::string stage_name(std::size_t stage) { return fmt::format("stage{}", stage); }

std::string stage_config(const Engine& engine, const ExportRequest& request, std::size_t s, DeviceId device) {
  const StageFile& stage = request.stages->stages[s];
  std::string gpus = is_host(request, device) ? "" : engine_name(request, device, "", "");
  for (const std::string& copy : stage.copies) {
    const DeviceId other = device_named(engine, request, copy);
    if (!is_host(request, other)) gpus += (gpus.empty() ? "" : ", ") + engine_name(request, other, "", "");
  }
  // On a host, copies of a stage are as many instances.
  const std::string where = gpus.empty() ? fmt::format("{{ count: {} kind: KIND_CPU }}", stage.copies.size() + 1)
                                         : fmt::format("{{ count: 1 kind: KIND_GPU gpus: [ {} ] }}", gpus);
  return fmt::format("name: \"{}\"\nplatform: \"onnxruntime_onnx\"\nmax_batch_size: 0\n{}{}instance_group [ {} ]\n",
                     stage_name(s), tensor_blocks(engine, "input", stage.inputs),
                     tensor_blocks(engine, "output", stage.outputs), where);
}

std::string ensemble_config(const Engine& engine, const StageFiles& files) {
  const ChainEnds ends = chain_ends(engine, files);
  std::set<std::string> made, wanted;
  for (const StageTensor& tensor : ends.inputs) made.insert(tensor.name);
  for (const StageTensor& tensor : ends.outputs) wanted.insert(tensor.name);
  for (const StageFile& stage : files.stages)
    for (const StageTensor& tensor : stage.inputs) wanted.insert(tensor.name);
  std::string steps;
  for (std::size_t s = 0; s < files.stages.size(); ++s) {
    std::string maps;
    for (const StageTensor& tensor : files.stages[s].inputs) maps += map_entry("input_map", tensor.name);
    for (const StageTensor& tensor : files.stages[s].outputs)
      if (wanted.contains(tensor.name) && made.insert(tensor.name).second) maps += map_entry("output_map", tensor.name);
    steps += fmt::format("{}    {{\n      model_name: \"{}\"\n      model_version: -1\n{}    }}", s > 0 ? ",\n" : "",
                         stage_name(s), maps);
  }
  return fmt::format(
      "name: \"pipeline\"\nplatform: \"ensemble\"\nmax_batch_size: 0\n{}{}ensemble_scheduling {{\n  step [\n{}\n  "
      "]\n}}\n",
      tensor_blocks(engine, "input", ends.inputs), tensor_blocks(engine, "output", ends.outputs), steps);
}

void check_gpu_numbers(const Engine& engine, const ExportRequest& request) {
  for (const std::string& name : request.devices) {
    if (name.find_first_not_of("0123456789") == std::string::npos) continue;
    refuse_export(
        engine, fmt::format("Triton knows GPUs by number, not as '{}'; give numbers as ExportRequest::devices", name));
  }
}

}  // namespace

Exported write_triton(const Engine& engine, const ExportRequest& request) {
  check_gpu_numbers(engine, request);
  const std::vector<DeviceId> devices = stage_devices(engine, request);
  const StageFiles& files = *request.stages;
  Exported exported;
  for (std::size_t s = 0; s < devices.size(); ++s) {
    exported.files.push_back({stage_name(s) + "/config.pbtxt", stage_config(engine, request, s, devices[s])});
    exported.files.push_back(
        {.path = stage_name(s) + "/1/model.onnx", .linked_to = files.folder + "/" + files.stages[s].file});
    // Weights are looked for beside the model, by the name that it has for them.
    for (const std::string& weights : files.stages[s].weights)
      exported.files.push_back({.path = stage_name(s) + "/1/" + weights, .linked_to = files.folder + "/" + weights});
  }
  exported.files.push_back({"pipeline/config.pbtxt", ensemble_config(engine, files)});
  exported.files.push_back(
      {"pipeline/1/README", "Triton wants a folder of each version, and an ensemble has no files.\n"});
  return exported;
}

}  // namespace partita::detail
