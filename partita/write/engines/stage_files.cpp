// SPDX-License-Identifier: Apache-2.0
#include "partita/write/engines/stage_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "partita/read/bytes.h"
#include "partita/read/fields.h"
#include "partita/read/json_document.h"
#include "partita/read/text_stream.h"
#include "partita/util/error.h"

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
  if (fields.flag("sequence", false)) tensor.type = "sequence of " + tensor.type;
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
    // Weights that a caller may replace, but need not.
    if (list[i].is_object() && ObjectView(list[i], element, kTensors).flag("optional", false)) continue;
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

std::vector<std::string> names_in(const ObjectView& object, const char* key, const char* expected) {
  const json& list = object.array(key, expected);
  const Place place = object.place().member(key);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_string()) fail_type(list[i], place.element(i), "a name, a text");
    names.push_back(list[i].get<std::string>());
  }
  return names;
}

// Weights that stages refer to under the model's own names: what is in the folder and no stage's own.
void add_shared_weights(const ObjectView& fields, StageFiles& files) {
  if (!fields.find("files")) return;
  std::set<std::string> own;
  for (const StageFile& stage : files.stages) {
    own.insert(stage.file);
    own.insert(stage.weights.begin(), stage.weights.end());
  }
  const Place place = fields.place().member("files");
  for (const std::string& name : names_in(fields, "files", "the list of the folder's files")) {
    if (own.contains(name)) continue;
    for (StageFile& stage : files.stages) stage.weights.push_back(file_in(files.folder, name, place));
  }
}

StageFile stage_in(const std::string& folder, const json& value, const Place& place) {
  const ObjectView fields(value, place, "a stage: an object with file, inputs and outputs");
  StageFile stage;
  const Place file_place = place.member("file");
  stage.file = file_in(folder, fields.text("file", "the name of the stage's file").value_or(""), file_place);
  if (fields.find("data")) {
    const Place data = place.member("data");
    stage.weights.push_back(file_in(folder, fields.text("data", "the name of a file").value_or(""), data));
  }
  stage.device = fields.text("device", "the device's name, a text").value_or("");
  if (fields.find("copies")) stage.copies = names_in(fields, "copies", "the list of devices that run it too");
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
  if (fields.flag("annotated", false)) {
    root.member("annotated")
        .fail(ErrorKind::Unsupported,
              "says that this is one file whose nodes name their stage; expected a file for each "
              "stage: run `partita split` without annotating");
  }
  add_shared_weights(fields, files);
  files.inputs = tensors_in(fields, "inputs");
  files.outputs = tensors_in(fields, "outputs");
  return files;
}

}  // namespace partita::detail
