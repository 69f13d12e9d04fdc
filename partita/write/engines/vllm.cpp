// SPDX-License-Identifier: Apache-2.0
// vLLM reads VLLM_PP_LAYER_PARTITION (vllm/distributed/utils.py, get_pp_indices): as many counts as pipeline stages,
// whose sum is the number of hidden layers. The embedding is on the first stage and the head on the last. Stage i runs
// on the i-th visible device of a machine where tensor parallelism is 1, which it then is on every stage.
#include <fmt/format.h>

#include <string>

#include "partita/write/engines/device_names.h"
#include "partita/write/engines/layer_pipeline.h"
#include "partita/write/engines/quoting.h"

namespace partita::detail {
namespace {

constexpr const char* kVllmScript = R"(export CUDA_DEVICE_ORDER=PCI_BUS_ID
export CUDA_VISIBLE_DEVICES={}
export VLLM_PP_LAYER_PARTITION={}
vllm serve "$MODEL" --pipeline-parallel-size {} --tensor-parallel-size 1
)";

}  // namespace

Exported write_vllm(const Engine& engine, const ExportRequest& request) {
  const LayerPipeline pipeline = layer_pipeline(engine, request);
  std::string counts, visible_devices;
  for (const PipelineStage& stage : pipeline.stages) {
    counts += fmt::format("{}{}", counts.empty() ? "" : ",", stage.layers);
    visible_devices += (visible_devices.empty() ? "" : ",") + engine_name(request, stage.device, "", "");
  }
  Exported exported{.files = {}, .notes = pipeline.notes};
  std::string text = stage_lines(pipeline, request, "# ");
  if (request.problem.workload->platform.clusters) {
    exported.notes.push_back(
        "the devices are in several groups; where these are machines, start the stages on them in "
        "this order instead of setting CUDA_VISIBLE_DEVICES");
  }
  text += fmt::format(kVllmScript, shell_word(visible_devices), counts, pipeline.stages.size());
  exported.files.push_back({"vllm.sh", std::move(text)});
  return exported;
}

}  // namespace partita::detail
