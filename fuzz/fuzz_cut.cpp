// SPDX-License-Identifier: Apache-2.0
// Models are cut along plans drawn from their own bytes; each stage must be a model again.
#include <optional>
#include <span>

#include "fuzz/target.h"
#include "partita/read/onnx/inference.h"
#include "partita/write/onnx/stage_file.h"

namespace partita::detail::onnx {
namespace {

void cut(std::span<const std::byte> bytes, std::size_t seed) {
  const WireFile file{bytes, "f"};
  const ModelView view = view_model(file);
  FlatModel model = flatten(file, view);
  const ReadNetworkOptions none;
  Symbols symbols(none);
  infer(model, symbols);
  const std::size_t parts = 1 + seed % 4;
  std::vector<PartId> part_of;
  const std::size_t operators = operator_nodes(model).size();
  for (std::size_t i = 0; i < operators; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    part_of.emplace_back((seed >> 33) % parts);
  }
  CutGraph graph = cut_graph(model, part_of);
  const StageRow row = make_stages(graph, {.order = {}, .chain = (seed >> 40 & 1) != 0});
  const ValueTypes types(graph, model);
  ExternalData data(file, "f", false);
  const StageFileParts files{file, graph, row, types, data};
  for (StageId q : row.stages.all()) {
    const std::string stage = stage_model(files, q).flat(file.bytes);
    const WireFile written{std::as_bytes(std::span(stage)), "stage"};
    const ModelView again = view_model(written);
    if (again.graph.nodes.empty()) continue;  // values that are passed on, and nothing else
    try {
      flatten(written, again);
    } catch (const InputError&) {
      std::abort();
    }
  }
  annotated_model(files, std::vector<std::string>(row.stages.size(), "device"));
}

}  // namespace
}  // namespace partita::detail::onnx

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace partita::detail;
  std::size_t seed = size;
  for (std::size_t i = 0; i < size; i += 1 + size / 64) seed = seed * 131 + data[i];
  fuzz::must_answer([&] { onnx::cut(std::as_bytes(std::span(data, size)), seed); });
  return 0;
}
