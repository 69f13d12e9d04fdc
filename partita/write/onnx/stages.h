// SPDX-License-Identifier: Apache-2.0
// What each stage file holds, reads and makes. The rules and why they are safe are at the head of the .cpp.
#pragma once

#include <cstddef>
#include <vector>

#include "partita/write/onnx/cut_graph.h"

namespace partita::detail::onnx {

using StageId = Id<struct OnnxStageTag>;

struct StageInput {
  ValueId value;
  StageId from;  // not valid: the model's own input
};

struct Stage {
  PartId part;
  std::vector<ItemId> items;       // in order
  std::size_t copies = 0;          // of those, items that stand in another stage too, or for it
  std::vector<ValueId> weights;    // initializers that it has a copy of, in the order of the file
  std::vector<ValueId> known;      // values that are written as initializers, because they are made later
  std::vector<StageInput> inputs;  // by value
  std::vector<ValueId> outputs;    // by value
};

struct StageRow {
  IdVector<StageId, Stage> stages;     // in an order in which they can run one after the other
  IdVector<ValueId, StageId> made_in;  // of values that cross a cut or are the model's outputs; not valid for others
  IdVector<ItemId, StageId> home;      // of planned items their stage, of others where they are computed first
  std::size_t unused = 0;              // items that no output depends on: left out
};

struct StageRules {
  std::vector<PartId> order;  // of a pipeline; empty: there is none
  bool chain = false;         // a stage reads from the one before it alone; what others need is passed on
};

// Throws InputError where no output depends on what was planned, and where too many values that were computed in advance depend on too many items.
StageRow make_stages(const CutGraph& graph, const StageRules& rules);

// The values that are initializers in the file.
bool is_initializer(const CutGraph& graph, ValueId value);

}  // namespace partita::detail::onnx
