// SPDX-License-Identifier: Apache-2.0
// DeepSpeed's PipelineModule gives stage i the layers parts[i] to parts[i + 1] of its list (runtime/pipe/module.py).
// None of its own methods takes boundaries, so a class sets them. A layer of its list is whatever the caller puts there:
// here, a unit.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "partita/write/engines/modules.h"
#include "partita/write/engines/quoting.h"

namespace partita::detail {

Exported write_deepspeed(const Engine& engine, const ExportRequest& request) {
  const LayerPipeline pipeline = layer_pipeline(engine, request);
  const auto modules = unit_modules(engine, request, pipeline);
  std::string names, parts = "0";
  for (const auto& of_unit : modules) names += fmt::format("    {},\n", python_text(of_unit.front()));
  for (const PipelineStage& stage : pipeline.stages) parts += fmt::format(", {}", stage.end);
  std::string text = stage_lines(pipeline, request, "# ");
  text += fmt::format(
      R"(from deepspeed.pipe import PipelineModule

# What the layers that PipelineModule is given stand for, in order.
LAYERS = [
{}]

# Stage i has layers PARTS[i] to PARTS[i + 1].
PARTS = [{}]


class PlannedPipelineModule(PipelineModule):
    def _partition_layers(self, method="uniform"):
        stages = self._topo.get_dim("pipe")
        if stages != len(PARTS) - 1 or len(self._layer_specs) != PARTS[-1]:
            raise ValueError(f"the plan has {{len(PARTS) - 1}} stages of {{PARTS[-1]}} layers, not {{stages}} of "
                             f"{{len(self._layer_specs)}}")
        self.parts = list(PARTS)
        stage = self._topo.get_coord(self.global_rank).pipe
        self._set_bounds(start=PARTS[stage], stop=PARTS[stage + 1])
)",
      names, parts);
  return {{{"planned_pipeline.py", std::move(text)}}, pipeline.notes};
}

}  // namespace partita::detail
