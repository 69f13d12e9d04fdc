// SPDX-License-Identifier: Apache-2.0
#include "partita/read/onnx.h"

#include "partita/read/mapped_file.h"
#include "partita/read/onnx/flat_model.h"
#include "partita/read/onnx/inference.h"
#include "partita/read/onnx/network.h"

namespace partita::detail {

Network parse_onnx(std::span<const std::byte> bytes, const std::string& source, const ReadNetworkOptions& options) {
  const onnx::WireFile file{bytes, source};
  const onnx::ModelView view = onnx::view_model(file);
  onnx::FlatModel model = onnx::flatten(file, view);
  onnx::Symbols symbols(options);
  onnx::infer(model, symbols);
  return onnx::to_network(model, symbols);
}

Network read_onnx(const std::filesystem::path& path, const ReadNetworkOptions& options) {
  const MappedFile file(path.string());
  Network network = parse_onnx(std::as_bytes(std::span(file.bytes())), path.string(), options);
  if (network.name.empty()) network.name = path.stem().string();
  return network;
}

bool looks_like_onnx(std::span<const std::byte> bytes) { return onnx::looks_like_onnx(bytes); }

}  // namespace partita::detail
