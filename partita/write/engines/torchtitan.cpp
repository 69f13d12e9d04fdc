// SPDX-License-Identifier: Apache-2.0
// torchtitan cuts a model by lists of the names of its modules (parallelism.module_fqns_per_model_part,
// torchtitan/config/configs.py), one list for each stage, which keeps what is listed and drops the rest. Its own
// models call their parts tok_embeddings, layers.N, norm and output, whatever the model is called elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "partita/write/engines/layer_pipeline.h"
#include "partita/write/engines/quoting.h"
#include "partita/write/engines/refusal.h"

namespace partita::detail {
namespace {

std::vector<std::string> titan_names(const Engine& engine, const LayerPipeline& pipeline) {
  const auto count = [&](PipelineUnit::Place place) {
    return std::ranges::count(pipeline.units, place, &PipelineUnit::place);
  };
  const auto before = count(PipelineUnit::Place::Before), behind = count(PipelineUnit::Place::Behind);
  if (before > 1 || behind > 2) {
    refuse_export(engine, fmt::format("there are {} operators with weights before the layers and {} behind them; "
                                      "torchtitan's models have tok_embeddings before, norm and output behind them",
                                      before, behind));
  }
  std::vector<std::string> names;
  std::ptrdiff_t behind_seen = 0;
  for (const PipelineUnit& unit : pipeline.units) {
    if (unit.place == PipelineUnit::Place::Before) {
      names.emplace_back("tok_embeddings");
    } else if (unit.place == PipelineUnit::Place::Layer) {
      names.push_back(fmt::format("layers.{}", unit.layer));
    } else {
      names.emplace_back(++behind_seen < behind ? "norm" : "output");
    }
  }
  return names;
}

}  // namespace

Exported write_torchtitan(const Engine& engine, const ExportRequest& request) {
  const LayerPipeline pipeline = layer_pipeline(engine, request);
  const std::vector<std::string> names = titan_names(engine, pipeline);
  std::string text = stage_lines(pipeline, request, "# ");
  text += fmt::format("# pipeline_parallel_degree = {}, with a schedule of one stage for each rank\n",
                      pipeline.stages.size());
  text += "module_fqns_per_model_part = [\n";
  for (const PipelineStage& stage : pipeline.stages) {
    std::string list;
    for (std::size_t i = stage.first; i < stage.end; ++i) list += (list.empty() ? "" : ", ") + python_text(names[i]);
    text += fmt::format("    [{}],\n", list);
  }
  text += "]\n";
  return {{{"torchtitan.toml", std::move(text)}}, pipeline.notes};
}

}  // namespace partita::detail
