// SPDX-License-Identifier: Apache-2.0
// What can be put into one stage or another: the nodes of the file, as a plan sees them.
//
// A plan is about operators with functions inlined, and leaves out what is known as soon as the model is read: constants
// and most arithmetic of shapes. An item is a node of the file. A call of a function all of whose operators are planned
// onto one part stays one item; a call that the plan cuts is replaced by the nodes of its function, again and again.
// Items that the plan says nothing of are loose: they go to whoever reads them.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "partita/read/onnx/flat_model.h"
#include "partita/util/ids.h"

namespace partita::detail::onnx {

using PartId = Id<struct OnnxPartTag>;  // what a plan keeps together: a device, or a subgraph of one
using ItemId = Id<struct OnnxItemTag>;

struct Item {
  const NodeView* view = nullptr;  // none: an Identity, for a function that returns one of its inputs
  const Call* scope = nullptr;     // the call that was replaced and in whose function it stands; none: in the graph
  PartId part;                     // not valid: loose
  std::vector<ValueId> inputs, outputs;  // as the node has them; an id that is not valid: absent
  std::vector<ValueId> reads;            // inputs, and what bodies read of the outside, each once
  bool cheap = false;                    // a few numbers, which are sooner computed again than sent
  bool stored = false;                   // loose, and as large as the weight that it is made of: never sent
};

struct CutGraph {
  const FlatModel* model = nullptr;
  IdVector<ItemId, Item> items;         // in an order in which values are made before they are read
  IdVector<ValueId, ItemId> maker;      // not valid: an input, an initializer, or not seen from outside
  IdVector<ValueId, std::string> name;  // in the files that are written; empty for values that no item touches
  std::unordered_map<const Call*, std::string> prefix;  // of names in calls that were replaced
  std::unordered_set<std::string> taken;                // names that must not be given again; empty without such calls

  // A name like `wanted` that nothing else has.
  std::string fresh(const std::string& wanted);
};

// The operators of the model's network in order: those nodes of the flat graph that are not folded.
std::vector<const FlatNode*> operator_nodes(const FlatModel& model);

// `part_of` is by operator, as above. `model` must have its shapes inferred, and outlive the result.
CutGraph cut_graph(const FlatModel& model, const std::vector<PartId>& part_of);

const NameTable& names_in(const FlatModel& model, const Call* scope);

}  // namespace partita::detail::onnx
