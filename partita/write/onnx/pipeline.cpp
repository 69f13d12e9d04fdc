// SPDX-License-Identifier: Apache-2.0
#include "partita/write/onnx/pipeline.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "partita/report/pretty_json.h"
#include "partita/util/version.h"
#include "partita/util/visible_text.h"

namespace partita::detail::onnx {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kPipelineVersion = 1;

Json bytes_json(const std::optional<double>& bytes) {
  if (!bytes) return nullptr;
  return static_cast<std::uint64_t>(std::llround(*bytes));
}

Json value_json(const PipelineValue& value) {
  Json json{{"name", value.name}};
  json["dtype"] = value.type.type.empty() ? Json() : Json(value.type.type);
  if (value.type.sequence) json["sequence"] = true;
  json["shape"] = nullptr;
  if (value.type.shape) {
    Json& shape = json["shape"] = Json::array();
    for (const OpenExtent& extent : *value.type.shape) {
      if (const std::int64_t* size = std::get_if<std::int64_t>(&extent)) {
        shape.push_back(*size);
      } else if (const std::string* symbol = std::get_if<std::string>(&extent)) {
        shape.push_back(*symbol);
      } else {
        shape.push_back(nullptr);
      }
    }
  }
  json["bytes"] = bytes_json(value.type.bytes);
  if (value.optional) json["optional"] = true;
  return json;
}

Json from_json(const PipelineValue& value) { return value.from ? Json{{"stage", *value.from}} : Json("input"); }

}  // namespace

std::string pipeline_json(const Pipeline& pipeline) {
  Json json;
  json["partita"] = {{"format", "pipeline"}, {"version", kPipelineVersion}, {"program", version()}};
  json["model"] = pipeline.model;
  json["chain"] = pipeline.chain;
  json["annotated"] = pipeline.annotated;
  Json& inputs = json["inputs"] = Json::array();
  for (const PipelineValue& value : pipeline.inputs) inputs.push_back(value_json(value));
  Json& outputs = json["outputs"] = Json::array();
  for (const PipelineValue& value : pipeline.outputs) {
    outputs.push_back(value_json(value));
    outputs.back()["from"] = from_json(value);
  }
  Json& stages = json["stages"] = Json::array();
  double copied = 0;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const PipelineStage& stage = pipeline.stages[i];
    Json one{{"stage", i}, {"device", stage.device}};
    if (!stage.copies.empty()) {
      Json& copies = one["copies"] = Json::array();
      for (const std::string& device : stage.copies) copies.push_back(device);
    }
    one["file"] = stage.file;
    if (stage.data) one["data"] = *stage.data;
    one["nodes"] = stage.nodes;
    one["recomputed_nodes"] = stage.recomputed;
    one["weight_bytes"] = bytes_json(stage.weight_bytes);
    copied += stage.weight_bytes;
    Json& read = one["inputs"] = Json::array();
    for (const PipelineValue& value : stage.inputs) {
      read.push_back(value_json(value));
      read.back()["from"] = from_json(value);
    }
    Json& made = one["outputs"] = Json::array();
    for (const PipelineValue& value : stage.outputs) made.push_back(value_json(value));
    stages.push_back(std::move(one));
  }
  json["weights"] = {{"model_bytes", bytes_json(pipeline.model_weight_bytes)}, {"stage_bytes", bytes_json(copied)}};
  Json& files = json["files"] = Json::array();
  for (const std::string& file : pipeline.files) files.push_back(file);
  Json& notes = json["notes"] = Json::array();
  for (const std::string& note : pipeline.notes) notes.push_back(note);
  return pretty_json(json);
}

std::string why_not_a_pipeline(const fs::path& folder) {
  constexpr std::uintmax_t kLargest = std::uintmax_t{256} << 20;
  std::error_code error;
  const fs::path file = folder / kPipelineFile;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) return fmt::format("it has no {}", kPipelineFile);
  std::set<std::string> ours{kPipelineFile};
  if (size > kLargest) return fmt::format("its {} is not ours", kPipelineFile);
  std::ifstream stream(file, std::ios::binary);
  const Json json = Json::parse(stream, nullptr, false);
  try {
    if (json.is_discarded() || json.at("partita").at("format") != "pipeline")
      return fmt::format("its {} is not ours", kPipelineFile);
    for (const Json& name : json.at("files")) ours.insert(name.get<std::string>());
  } catch (const Json::exception&) {
    return fmt::format("its {} is not ours", kPipelineFile);
  }
  for (auto at = fs::recursive_directory_iterator(folder, error); !error && at != fs::end(at); at.increment(error)) {
    if (at->is_directory(error) && !at->is_symlink(error)) continue;
    const std::string name = at->path().lexically_relative(folder).string();
    if (!ours.contains(name)) return fmt::format("it holds '{}', which is not ours", visible(name, kLongestShownName));
  }
  return error ? error.message() : std::string();
}

}  // namespace partita::detail::onnx
