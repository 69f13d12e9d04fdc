// SPDX-License-Identifier: Apache-2.0
// Layers of a file in which few operators have a name that tells one.
//
// Exporters that fold constants and share equal weights leave the number of a layer in a few names only: the bias of one product in each
// layer of a BERT. But layers are alike. If the operators between the first that is known of one layer and the first of the next are of
// the same kinds for all layers, each of them is a whole layer, only cut in its middle. What follows the last known one as it follows the
// others is the end of its layer; what is left of the stretch between two is the beginning of the later one.
#pragma once

#include "partita/model/network.h"

namespace partita::detail::onnx {

// Sets Operator::layer where it is not set and layers, of which there are at least three, repeat as above; else does nothing.
void fill_by_repetition(Network& network);

}  // namespace partita::detail::onnx
