// SPDX-License-Identifier: Apache-2.0
// A split as engines for transformers see it: a row of units (what comes before the layers, the layers, what comes
// behind them), and stages that are runs of them.
//
// A unit is a layer (Node::layer), or an operator outside of all layers that holds weights: the embedding, the last
// norm, the head. What is outside and holds none (a mask, the choice of the last token, a softmax) belongs to no unit:
// an engine computes it where it is needed, whatever the plan says, and that is told in a note. Where no node says what
// it holds, every node outside is a unit. Inputs of the network are none. An operator with weights between layers is of
// the layer before it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partita/write/engines/engine.h"

namespace partita::detail {

struct PipelineUnit {
  enum class Place { Before, Layer, Behind };
  Place place = Place::Layer;
  std::int64_t layer = 0;     // from 0 on, for layers
  std::vector<NodeId> nodes;  // of the forward pass
  DeviceId device;            // of them all
};

struct PipelineStage {
  DeviceId device;
  std::size_t first = 0, end = 0;  // its units
  std::size_t layers = 0;          // how many of them are layers
};

struct LayerPipeline {
  std::vector<PipelineUnit> units;    // as data flows through them
  std::vector<PipelineStage> stages;  // runs of units; without EngineRules::in_a_row, a device may have several
  std::size_t layers = 0;
  std::vector<std::string> notes;

  const PipelineUnit& first_of(const PipelineStage& stage) const { return units[stage.first]; }
  const PipelineUnit& last_of(const PipelineStage& stage) const { return units[stage.end - 1]; }
};

// Throws InputError(Unsupported) where the split breaks the engine's rules, or the workload has no layers in a row.
LayerPipeline layer_pipeline(const Engine& engine, const ExportRequest& request);

// Only the units before and behind the layers, wherever they and the layers are.
std::vector<PipelineUnit> end_units(const Engine& engine, const ExportRequest& request);

// Do all operators with weights between layers say which layer they are of? Where they do not, some of those behind the
// layers may be parts of the last one.
bool layers_are_complete(const Graph& graph, const WeightNames& weights);

// "a100 0: before the layers, layers 0 to 19": a line on each stage, for comments. `prefix` begins each line.
std::string stage_lines(const LayerPipeline& pipeline, const ExportRequest& request, const std::string& prefix);

// What the nodes of the layers are: numbered from 0 on, each with its nodes. Throws InputError(Unsupported) where there
// are none, where one is missing, or where a later one feeds an earlier one.
struct LayerNodes {
  std::vector<std::vector<NodeId>> forward, backward;  // by layer
  std::int64_t first_number = 0;                       // what the workload calls layer 0
};
LayerNodes layer_nodes(const Engine& engine, const ExportRequest& request);

}  // namespace partita::detail
