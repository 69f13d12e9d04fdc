// SPDX-License-Identifier: Apache-2.0
// What the operators of a network do, for the roofline: arithmetic, traffic, and the shapes that keep a device from being filled.
#pragma once

#include <optional>
#include <vector>

#include "partita/cost/estimate.h"
#include "partita/model/network.h"

namespace partita::detail {

double weight_bytes(const Network& network, const Operator& op);

// Of all of them; none if one is not known.
std::optional<double> bytes_of(const Network& network, const std::vector<TensorId>& tensors);

// In inference. A pointwise convolution whose planes are no whole multiples of what a multiplier loads at once is an OddConvolution.
Work work_of(const Network& network, const Operator& op);

// Of the same operator on its way forward in training: a batch norm computes the statistics that it has stored in inference.
Work work_in_training(const Network& network, const Operator& op, Work work);

// Of its gradient, but for the arithmetic of products, which depends on what is trained. `work` is what it does in training.
Work work_of_gradient(const Network& network, const Operator& op, Work work);

}  // namespace partita::detail
