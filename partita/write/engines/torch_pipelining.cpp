// SPDX-License-Identifier: Apache-2.0
// torch.distributed.pipelining cuts a traced model before the modules that split_spec names (SplitPoint.BEGINNING);
// stage i runs on rank i. A stage sends to the next one alone.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "partita/write/engines/device_names.h"
#include "partita/write/engines/modules.h"
#include "partita/write/engines/quoting.h"
#include "partita/write/engines/refusal.h"

namespace partita::detail {

Exported write_torch(const Engine& engine, const ExportRequest& request) {
  const LayerPipeline pipeline = layer_pipeline(engine, request);
  const auto modules = unit_modules(engine, request, pipeline);
  std::string devices;
  std::string text = stage_lines(pipeline, request, "# ");
  text +=
      "from torch.distributed.pipelining import SplitPoint\n\n# for pipeline(module, mb_args, split_spec=split_spec)\n"
      "split_spec = {\n";
  for (const PipelineStage& stage : pipeline.stages) {
    devices += (devices.empty() ? "" : ", ") + python_text(engine_name(request, stage.device, "cuda:", "cpu"));
    if (stage.first == 0) continue;
    text += fmt::format("    {}: SplitPoint.BEGINNING,\n", python_text(modules[stage.first].front()));
  }
  text += fmt::format("}}\n\n# build_stage(rank, devices[rank])\ndevices = [{}]\n", devices);
  return {{{"split_spec.py", std::move(text)}}, pipeline.notes};
}

}  // namespace partita::detail
