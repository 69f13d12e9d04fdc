// SPDX-License-Identifier: Apache-2.0
// Megatron's layout (megatron/core/transformer/pipeline_parallel_layer_layout.py): a letter for each layer, E the
// embedding, t a transformer layer, L the head with its loss; "|" between stages, "*n" repeats, commas are cosmetic.
// There is one E, at the very beginning, and one L, at the very end; a stage may have either alone. Rank i is stage i.
#include <fmt/format.h>

#include <string>

#include "partita/write/engines/device_names.h"
#include "partita/write/engines/layer_pipeline.h"
#include "partita/write/engines/quoting.h"

namespace partita::detail {
namespace {

constexpr const char* kMegatronArguments = R"(# on one machine: CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES={}
--num-layers {} --pipeline-model-parallel-size {} --pipeline-model-parallel-layout {}
)";

}  // namespace

Exported write_megatron(const Engine& engine, const ExportRequest& request) {
  const LayerPipeline pipeline = layer_pipeline(engine, request);
  std::string layout, devices;
  for (std::size_t s = 0; s < pipeline.stages.size(); ++s) {
    const PipelineStage& stage = pipeline.stages[s];
    std::string part;
    if (s == 0) part = "E";
    if (stage.layers > 0) part += stage.layers == 1 ? "t" : fmt::format("t*{}", stage.layers);
    if (s + 1 == pipeline.stages.size()) part += part.empty() ? "L" : ",L";
    layout += (s > 0 ? "|" : "") + part;
    devices += (s > 0 ? "," : "") + engine_name(request, stage.device, "", "");
  }
  Exported exported{.files = {}, .notes = pipeline.notes};
  exported.files.push_back({"megatron.args", stage_lines(pipeline, request, "# ") +
                                                 fmt::format(kMegatronArguments, devices, pipeline.layers,
                                                             pipeline.stages.size(), shell_word(layout))});
  return exported;
}

}  // namespace partita::detail
