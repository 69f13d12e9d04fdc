// SPDX-License-Identifier: Apache-2.0
#include "partita/write/engines/stage_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "partita/read/bytes.h"
#include "partita/read/fields.h"
#include "partita/read/json_document.h"
#include "partita/read/text_stream.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kTensors = "a list of tensors, each a name or an object with name, dtype and shape";

std::vector<std::int64_t> shape_in(const json& list, const Place& place) {
  constexpr std::int64_t kMostOfAnExtent = 1'000'000'000'000;
  if (!list.is_array()) fail_type(list, place, "a list of extents");
  std::vector<std::int64_t> shape;
  for (std::size_t i = 0; i < list.size(); ++i) {
    // A name, or nothing: not fixed.
    if (!list[i].is_number()) {
      shape.push_back(-1);
      continue;
    }
    const std::int64_t extent = integer_at(list[i], place.element(i), "an extent, an integer");
    if (extent < -1 || extent > kMostOfAnExtent) fail_type(list[i], place.element(i), "an extent, 0 or more");
    shape.push_back(extent);
  }
  return shape;
}

StageTensor tensor_in(const json& value, const Place& place) {
  if (value.is_string()) return {value.get<std::string>()};
  const ObjectView fields(value, place, "a tensor: a name, or an object with name, dtype and shape");
  const std::optional<std::string> name = fields.text("name", "the tensor's name, a text");
  if (!name) place.member("name").fail(ErrorKind::BadField, "is missing; expected the tensor's name, a text");
  StageTensor tensor{*name};
  tensor.type = fields.text("dtype", "a type, such as \"fp32\"").value_or("");
  if (const json* shape = fields.find("shape")) {
    const Place shape_place = place.member("shape");
    tensor.shape = shape_in(*shape, shape_place);
  }
  return tensor;
}

std::vector<StageTensor> tensors_in(const ObjectView& object, const char* key) {
  std::vector<StageTensor> tensors;
  if (!object.find(key)) return tensors;
  const json& list = object.array(key, kTensors);
  const Place place = object.place().member(key);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Place element = place.element(i);
    tensors.push_back(tensor_in(list[i], element));
  }
  return tensors;
}

// A file of the folder, and nothing outside of it.
std::string file_in(const std::string& folder, const std::string& name, const Place& place) {
  const fs::path path(name);
  bool inside = !name.empty() && path.is_relative();
  for (const fs::path& part : path) inside = inside && part != "..";
  if (!inside)
    place.fail(ErrorKind::BadField, fmt::format("found '{}'; expected a file of the folder", one_line(name)));
  std::error_code error;
  if (!fs::is_regular_file(fs::path(folder) / path, error)) {
    place.fail(ErrorKind::Unreadable,
               fmt::format("names '{}', which is not in the folder; run `partita split` again", one_line(name)));
  }
  return name;
}

StageFile stage_in(const std::string& folder, const json& value, const Place& place) {
  const ObjectView fields(value, place, "a stage: an object with file, inputs and outputs");
  StageFile stage;
  const Place file_place = place.member("file");
  stage.file = file_in(folder, fields.text("file", "the name of the stage's file").value_or(""), file_place);
  if (fields.find("weights_file")) {
    const Place weights = place.member("weights_file");
    stage.more.push_back(file_in(folder, fields.text("weights_file", "the name of a file").value_or(""), weights));
  }
  stage.device = fields.text("device", "the device's name, a text").value_or("");
  stage.inputs = tensors_in(fields, "inputs");
  stage.outputs = tensors_in(fields, "outputs");
  return stage;
}

}  // namespace

StageFiles read_stage_files(const std::string& folder) {
  const std::string path = (fs::path(folder) / "pipeline.json").string();
  std::error_code error;
  if (!fs::exists(path, error)) {
    throw InputError(ErrorKind::Unreadable, folder,
                     "has no pipeline.json; expected a folder that `partita split MODEL PLAN -o FOLDER` has written");
  }
  TextStream text(file_source(path), path);
  const json document = read_json(text);
  const Place root(path);
  const ObjectView fields(document, root, "an object with stages, inputs and outputs");
  StageFiles files{folder, {}};
  const json& stages = fields.array("stages", "the list of stages");
  const Place list = root.member("stages");
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Place place = list.element(i);
    files.stages.push_back(stage_in(folder, stages[i], place));
  }
  if (files.stages.empty()) list.fail(ErrorKind::BadField, "is empty; expected at least one stage");
  files.inputs = tensors_in(fields, "inputs");
  files.outputs = tensors_in(fields, "outputs");
  return files;
}

}  // namespace partita::detail
