// SPDX-License-Identifier: Apache-2.0
// Which layer an operator belongs to, from names.
//
// Frameworks number the layers of a network in the names of modules: "/model/layers.3/mlp/Gemm", "h.0.ln_1.weight",
// "encoder.layer.11.output". A name is cut into words at '.' and '/'; the first word that is a number, and the words
// before it, the container, say which layer it is, if the container has at least two numbers in the file: one number
// alone tells nothing apart. "encoder_layer_3", "blocks_3", "h_3" and Keras's "layer_._3" count as such containers too. Names come from the exporter's scopes, from
// nodes, or from the weights that one operator alone reads; the kind of names that says most about a file is used, so
// that its spellings of one container do not count as several.
//
// Layers of one container have its numbers. Where there are several containers, an encoder and a decoder or the stages of
// a ResNet, those that come later are counted on from those before. Operators without a number get that of their
// surroundings, where what comes before and what comes behind agree, or by the repetition of layers (repeated_layers.h).
#pragma once

#include "partita/model/network.h"

namespace partita::detail::onnx {

// Sets Operator::layer. `scopes` has the exporter's words for each operator, empty where there are none.
void find_layers(Network& network, const std::vector<std::string>& scopes);

}  // namespace partita::detail::onnx
