// SPDX-License-Identifier: Apache-2.0
// Layers kept together: a coarser problem, whose splits put all nodes of one layer (Node::layer) on one device.
//
// A layer is kept together by a colour: its nodes, and the colour classes that they are in, become one class, as in the
// paper's code [the paper, section on operator and layer graphs]; joined_classes.h says why nothing is lost by that.
//
// Tied weights. Two kinds of colour class belong to no layer:
//   - one with nodes of several layers;
//   - one with several forward nodes that feeds its own layer, and another layer from which a path leads back to its
//     own. That is an embedding whose weights are also those of the last layer, filed under the last layer.
// Keeping such a class with a layer would make one of all layers between the places where it is used: BERT-12 of the
// paper would fit on one device only, and its Table 3 shows that its authors did not do so.
//
// Ends. Engines for transformers keep what comes before the layers (the embedding) and what comes behind them (the last
// norm, the head) on one device each, some of them with the first layer and with the last (LayerEnds). A class without a
// layer that no layer leads to is then of the first layer, or of one before it; one that leads to no layer is of the
// last, or of one behind it. The first is the one with the lowest number. A class between layers, which a file did not
// name, is of the latest layer that leads to it, as nothing else is left for it in such an engine. Classes with nodes both
// before and behind a layer (tied weights) are of none: they would make one of all.
//
// Otherwise nodes without a layer stay as they are. Layers times edges in the worst case, near-linear where no layers lie
// on a cycle. Tests: tests/reduce/layers_test.cpp, tests/property/layers_test.cpp, tests/write/engine_question_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "partita/model/layer_ends.h"
#include "partita/model/problem.h"
#include "partita/util/ids.h"

namespace partita::detail {

// The layer of each node, without those of tied weights; all nodes of a colour class have the same.
IdVector<NodeId, std::optional<std::int64_t>> find_layers(const Graph& graph);

struct LayeredProblem {
  Problem problem;   // with classes joined: lift_joined() is the way back
  std::string step;  // what was done, for people to read
};

LayeredProblem keep_layers_together(const Problem& problem, LayerEnds ends = LayerEnds::Apart);

}  // namespace partita::detail
