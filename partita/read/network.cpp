// SPDX-License-Identifier: Apache-2.0
#include "partita/read/network.h"

#include <filesystem>
#include <span>

#include "partita/read/bytes.h"
#include "partita/read/gguf.h"
#include "partita/read/huggingface/huggingface.h"
#include "partita/read/onnx.h"
#include "partita/read/safetensors.h"
#include "partita/util/error.h"

namespace partita {

using namespace detail;

namespace {

std::span<const std::byte> as_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

[[noreturn]] void fail_unknown(const std::string& path) {
  throw InputError(ErrorKind::BadField, source_name(path),
                   "is no model that is known; expected ONNX, GGUF, or the config.json of a transformer");
}

void refuse_dimensions(const ReadNetworkOptions& options, const std::string& path) {
  if (options.dimensions.empty()) return;
  throw InputError(
      ErrorKind::Usage, "ReadNetworkOptions::dimensions",
      source_name(path) +
          " has no named dimensions; its sizes follow from TransformerOptions::batch and TransformerOptions::sequence");
}

}  // namespace

bool looks_like_model(std::string_view beginning) {
  return looks_like_gguf(beginning) || looks_like_safetensors(beginning) || looks_like_huggingface(beginning) ||
         looks_like_onnx(as_bytes(beginning));
}

namespace {

// What people call the model: its file's name, or its folder's where all such files have one name. What exporters call a
// graph ("main_graph") tells nobody anything.
std::string name_of_file(const std::string& path) {
  const std::filesystem::path file = std::filesystem::absolute(path).lexically_normal();
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    return (file.has_filename() ? file : file.parent_path()).filename().string();
  }
  const std::string stem = file.stem().string();
  if (stem != "config" && stem != "model") return stem;
  const std::string folder = file.parent_path().filename().string();
  return folder.empty() ? stem : folder;
}

Network read_file(const std::string& path, const ReadNetworkOptions& options, const TransformerOptions& transformer) {
  std::error_code ignored;
  if (path != "-" && std::filesystem::is_directory(path, ignored)) {
    refuse_dimensions(options, path);
    return read_model_folder(path, transformer);
  }
  if (path == "-") {
    const std::string bytes = read_bytes(path);
    const std::string source = source_name(path);
    if (looks_like_gguf(bytes)) return parse_gguf(bytes, source, transformer);
    if (looks_like_huggingface(bytes)) return parse_huggingface(bytes, source, transformer);
    if (looks_like_onnx(as_bytes(bytes))) return parse_onnx(as_bytes(bytes), source, options);
    fail_unknown(path);
  }
  const std::string beginning = beginning_of(path);
  if (looks_like_onnx(as_bytes(beginning))) return read_onnx(path, options);
  refuse_dimensions(options, path);
  if (looks_like_gguf(beginning)) return read_gguf(path, transformer);
  if (looks_like_safetensors(beginning)) return read_safetensors(path, transformer);
  if (looks_like_huggingface(beginning)) return read_huggingface(path, transformer);
  fail_unknown(path);
}

}  // namespace

Network read_network(const std::string& path, const ReadNetworkOptions& options,
                     const TransformerOptions& transformer) {
  Network network = read_file(path, options, transformer);
  if (path != "-") network.name = name_of_file(path);
  return network;
}

}  // namespace partita
