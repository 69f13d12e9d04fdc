// SPDX-License-Identifier: Apache-2.0
// Training from an inference graph: each operator that a trained weight stands before gets a backward node on its device, which
// reads the gradients of what it made and sends back those of what it read, over the same edges the other way round.
//
// Rules, by family (docs/costs.md has the table):
// - arithmetic: a product, a convolution or an attention is done again for the gradient of each thing it multiplied; anything
//   else takes as much as it did;
// - traffic: twice the forward pass's, which reads the gradient and what was kept beside it, and writes a gradient;
// - kept for each sample: an output that some backward node reads again. Products, convolutions, attention, norms, pooling and
//   elementwise functions read what they were given, but sums and views do not; softmax and activations read what they made.
#pragma once

#include "partita/cost/network_graph.h"

namespace partita::detail {

void add_backward_pass(const Network& network, Optimizer optimizer, NetworkGraph& made);

}  // namespace partita::detail
