// SPDX-License-Identifier: Apache-2.0
#include "partita/write/onnx/pipeline.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "partita/util/json_writer.h"
#include "partita/util/version.h"
#include "partita/util/visible_text.h"

namespace partita::detail::onnx {

namespace {

namespace fs = std::filesystem;

constexpr int kPipelineVersion = 1;

class PipelineWriter {
 public:
  explicit PipelineWriter(const Pipeline& pipeline) : pipeline_(pipeline) {}

  std::string write() {
    json_.object([&] {
      json_.key("partita").object([&] {
        json_.field("format", "pipeline");
        json_.field("version", kPipelineVersion);
        json_.field("program", version());
      });
      json_.field("model", pipeline_.model);
      json_.field("fingerprint", pipeline_.fingerprint);
      json_.field("chain", pipeline_.chain);
      json_.field("annotated", pipeline_.annotated);
      json_.rows("inputs", pipeline_.inputs, [&](const PipelineValue& value) { add_value(value); });
      json_.rows("outputs", pipeline_.outputs, [&](const PipelineValue& value) { add_value_from(value); });
      double copied = 0;
      for (const PipelineStage& stage : pipeline_.stages) copied += stage.weight_bytes;
      json_.rows("stages", pipeline_.stages, [&](const PipelineStage& stage) { add_stage(stage); });
      json_.key("weights").object([&] {
        json_.field("model_bytes", pipeline_.model_weight_bytes);
        json_.field("stage_bytes", copied);
      });
      json_.column("files", pipeline_.files);
      json_.column("notes", pipeline_.notes);
    });
    return json_.take();
  }

 private:
  void write_extent(const OpenExtent& extent) {
    if (const std::int64_t* size = std::get_if<std::int64_t>(&extent)) {
      json_.value(*size);
    } else if (const std::string* symbol = std::get_if<std::string>(&extent)) {
      json_.value(*symbol);
    } else {
      json_.null();
    }
  }

  void add_value(const PipelineValue& value) {
    json_.field("name", value.name);
    value.type.type.empty() ? json_.key("dtype").null() : json_.field("dtype", value.type.type);
    if (value.type.sequence) json_.field("sequence", true);
    if (value.type.shape) {
      json_.key("shape").array(*value.type.shape, [&](const OpenExtent& extent) { write_extent(extent); });
    } else {
      json_.key("shape").null();
    }
    json_.field("bytes", value.type.bytes);
    if (value.optional) json_.field("optional", true);
  }

  void add_value_from(const PipelineValue& value) {
    add_value(value);
    if (value.from) {
      json_.key("from").object([&] { json_.field("stage", *value.from); });
    } else {
      json_.field("from", "input");
    }
  }

  void add_stage(const PipelineStage& stage) {
    json_.field("stage", static_cast<std::size_t>(&stage - pipeline_.stages.data()));
    json_.field("device", stage.device);
    if (!stage.copies.empty()) json_.column("copies", stage.copies);
    json_.field("file", stage.file);
    json_.field("crc32", fmt::format("{:08x}", stage.checksum));
    if (stage.data) json_.field("data", *stage.data);
    json_.field("nodes", stage.nodes);
    json_.field("recomputed_nodes", stage.recomputed);
    json_.field("weight_bytes", stage.weight_bytes);
    json_.rows("inputs", stage.inputs, [&](const PipelineValue& value) { add_value_from(value); });
    json_.rows("outputs", stage.outputs, [&](const PipelineValue& value) { add_value(value); });
  }

  const Pipeline& pipeline_;
  JsonWriter json_{JsonLayout::Pretty};
};

}  // namespace

std::string pipeline_json(const Pipeline& pipeline) { return PipelineWriter(pipeline).write(); }

std::string why_not_a_pipeline(const fs::path& folder) {
  constexpr std::uintmax_t kLargest = std::uintmax_t{256} << 20;
  std::error_code error;
  const fs::path file = folder / kPipelineFile;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) return fmt::format("it has no {}", kPipelineFile);
  std::set<std::string> ours{kPipelineFile};
  if (size > kLargest) return fmt::format("its {} is not ours", kPipelineFile);
  std::ifstream stream(file, std::ios::binary);
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  try {
    if (json.is_discarded() || json.at("partita").at("format") != "pipeline")
      return fmt::format("its {} is not ours", kPipelineFile);
    for (const nlohmann::json& name : json.at("files")) ours.insert(name.get<std::string>());
  } catch (const nlohmann::json::exception&) {
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
