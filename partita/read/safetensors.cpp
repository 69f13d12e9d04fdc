// SPDX-License-Identifier: Apache-2.0
// A safetensors file is the length of its header (8 bytes, little-endian), the header (JSON: for each tensor `dtype`,
// `shape` and `data_offsets`) and the data, which the tensors fill without holes.
#include "partita/read/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "partita/read/bytes.h"
#include "partita/read/fields.h"
#include "partita/read/huggingface/huggingface.h"
#include "partita/read/json_document.h"
#include "partita/read/json_words.h"
#include "partita/read/mapped_file.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kLongestHeader = 100'000'000;
constexpr const char* kIndexName = "model.safetensors.index.json";
constexpr const char* kFileName = "model.safetensors";
constexpr const char* kConfigName = "config.json";
constexpr std::size_t kMostFiles = 10'000;

std::uint64_t header_length(std::string_view bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  return length;
}

DataType type_of(const ObjectView& fields) {
  constexpr const char* kExpected = "the type of the elements, such as \"BF16\"";
  const std::optional<std::string> word = fields.text("dtype", kExpected);
  if (!word)
    fields.place().member("dtype").fail(ErrorKind::BadField, fmt::format("is missing; expected {}", kExpected));
  if (*word == "F8_E8M0") return DataType::UInt8;  // exponents alone, the scales of smaller types
  if (*word == "C64") return DataType::Complex64;
  const std::optional<DataType> type = data_type(*word);
  if (!type || !bits_of(*type)) {
    fields.place().member("dtype").fail(
        ErrorKind::Unsupported, fmt::format("\"{}\" is not known; expected {}", one_line(*word, 60), kExpected));
  }
  return *type;
}

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string name;
};

std::uint64_t natural(const json& value, const Place& place, const char* expected) {
  const std::int64_t number = integer_at(value, place, expected);
  if (number < 0) fail_type(value, place, expected);
  return static_cast<std::uint64_t>(number);
}

StoredTensor read_tensor(const std::string& name, const json& value, const Place& place, Range& range) {
  const ObjectView fields(value, place, "a tensor: an object with dtype, shape and data_offsets");
  StoredTensor tensor;
  tensor.name = name;
  tensor.type = type_of(fields);
  const json& shape = fields.array("shape", "the sizes of the tensor");
  const Place shape_place = place.member("shape");
  for (std::size_t i = 0; i < shape.size(); ++i) {
    tensor.extents.push_back(
        static_cast<std::int64_t>(natural(shape[i], shape_place.element(i), "a size, an integer, 0 or more")));
  }
  const json& offsets = fields.array("data_offsets", "where the tensor begins and ends in the data");
  const Place offsets_place = place.member("data_offsets");
  constexpr const char* kExpected = "two integers: where the tensor begins and ends in the data";
  if (offsets.size() != 2) fail_type(offsets, offsets_place, kExpected);
  range = {natural(offsets[0], offsets_place.element(0), kExpected),
           natural(offsets[1], offsets_place.element(1), kExpected), name};
  const std::optional<double> bytes = TensorType{tensor.type, tensor.extents}.bytes();
  if (range.end < range.begin || static_cast<double>(range.end - range.begin) != *bytes) {
    offsets_place.fail(ErrorKind::BadField, fmt::format("found {} to {}; expected {:.0f} bytes, as dtype and shape say",
                                                        range.begin, range.end, *bytes));
  }
  tensor.bytes = *bytes;
  return tensor;
}

// The tensors fill the data one behind the other.
void check_ranges(std::vector<Range>& ranges, std::uint64_t data_bytes, bool has_data, const std::string& source) {
  std::ranges::sort(
      ranges, [](const Range& a, const Range& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  std::uint64_t filled = 0;
  for (const Range& range : ranges) {
    if (range.begin != filled) {
      throw InputError(
          ErrorKind::BadField, fmt::format("{}: {}", source, one_line(range.name)),
          fmt::format("begins at byte {} of the data; expected {}, where the one before it ends", range.begin, filled));
    }
    filled = range.end;
  }
  if (has_data && filled != data_bytes) {
    throw InputError(ErrorKind::BadField, source,
                     fmt::format("has {} bytes of data, but its tensors take {}; it is cut off, or its header is wrong",
                                 data_bytes, filled));
  }
}

// Files beside the index, each once.
std::set<std::string> files_of_index(const std::string& path) {
  TextStream text(file_source(path), source_name(path));
  const json document = read_json(text);
  const Place root(text.source());
  const ObjectView index(document, root, "an index of safetensors files: an object with weight_map");
  const json* map = index.find("weight_map");
  const Place place = root.member("weight_map");
  if (!map || !map->is_object()) fail_type(map ? *map : json(), place, "an object: the file of each tensor");
  std::set<std::string> files;
  for (const auto& [name, file] : map->items()) {
    constexpr const char* kExpected = "the name of a file beside the index";
    const Place here = place.member(name);
    if (!file.is_string()) fail_type(file, here, kExpected);
    const auto& word = file.get_ref<const std::string&>();
    if (word.empty() || word != fs::path(word).filename().string() || word == "." || word == "..")
      fail_type(file, here, kExpected);
    files.insert(word);
    if (files.size() > kMostFiles)
      place.fail(ErrorKind::BadNumber, fmt::format("names more than {} files", kMostFiles));
  }
  return files;
}

bool is_index(const std::string& path) { return path.ends_with(".json"); }

// One of several files stands for all of them where there is an index beside it.
std::string index_or_file(const std::string& path) {
  const fs::path index = fs::path(path).parent_path() / kIndexName;
  const bool one_of_several = path.find("-of-") != std::string::npos;
  std::error_code ignored;
  return !is_index(path) && one_of_several && fs::exists(index, ignored) ? index.string() : path;
}

}  // namespace

bool looks_like_safetensors(std::string_view beginning) {
  if (beginning.size() <= kLengthBytes || beginning[kLengthBytes] != '{') return false;
  const std::uint64_t length = header_length(beginning);
  return length >= 2 && length <= kLongestHeader;
}

bool looks_like_safetensors_index(std::string_view beginning) { return json_has_word(beginning, "weight_map"); }

void parse_safetensors(std::string_view bytes, const std::string& source, Checkpoint& checkpoint) {
  if (bytes.size() < kLengthBytes) {
    throw InputError(ErrorKind::BadField, source, "is shorter than 8 bytes; expected a safetensors file");
  }
  const std::uint64_t length = header_length(bytes);
  if (length > kLongestHeader || length > bytes.size() - kLengthBytes) {
    throw InputError(
        ErrorKind::BadField, source,
        fmt::format("says that its header takes {} bytes, but has {} behind the length; expected a safetensors "
                    "file, with a header of at most {} bytes",
                    length, bytes.size() - kLengthBytes, kLongestHeader));
  }
  TextStream text(memory_source(bytes.substr(kLengthBytes, length)), source);
  const json document = read_json(text);
  const Place root(source);
  const ObjectView header(document, root, "a header: an object with the tensors");
  std::vector<Range> ranges;
  for (const auto& [name, value] : document.items()) {
    if (name == "__metadata__") continue;
    ranges.emplace_back();
    const Place place = root.member(name);
    if (!checkpoint.add(read_tensor(name, value, place, ranges.back()))) {
      place.fail(ErrorKind::BadField, "is in another of the files too; expected each tensor in one");
    }
  }
  const std::uint64_t data_bytes = bytes.size() - kLengthBytes - length;
  check_ranges(ranges, data_bytes, data_bytes > 0, source);
}

Checkpoint read_checkpoint(const std::string& path) {
  Checkpoint checkpoint(path);
  if (!is_index(path)) {
    const MappedFile file(path);
    parse_safetensors(file.bytes(), path, checkpoint);
    return checkpoint;
  }
  for (const std::string& name : files_of_index(path)) {
    const std::string part = (fs::path(path).parent_path() / name).string();
    const MappedFile file(part);
    parse_safetensors(file.bytes(), part, checkpoint);
  }
  return checkpoint;
}

Network read_safetensors(const std::string& path, const TransformerOptions& options) {
  const std::string stored = index_or_file(path);
  const fs::path config = fs::path(path).parent_path() / kConfigName;
  std::error_code ignored;
  if (!fs::exists(config, ignored)) {
    throw InputError(ErrorKind::Unsupported, path,
                     "holds weights, but does not say what network they are of; expected its config.json beside it");
  }
  Checkpoint checkpoint = read_checkpoint(stored);
  return read_huggingface(config.string(), options, &checkpoint);
}

Network read_model_folder(const std::string& folder, const TransformerOptions& options) {
  std::error_code ignored;
  for (const char* name : {kIndexName, kFileName}) {
    const fs::path stored = fs::path(folder) / name;
    if (fs::exists(stored, ignored)) return read_safetensors(stored.string(), options);
  }
  return read_huggingface((fs::path(folder) / kConfigName).string(), options);
}

}  // namespace partita::detail
