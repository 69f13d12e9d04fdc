// SPDX-License-Identifier: Apache-2.0
// What an operator does: multiplications and additions, and bytes where not all that it is given is touched.
//
// A multiply-add counts two. Elementwise operators count one for each element that they make, whatever the function: exp
// and tanh take more, but their time is that of their bytes. Softmax and normalizations count five for each element,
// batch normalization two, attention all pairs of tokens, also where a mask hides half of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partita/model/network.h"
#include "partita/read/onnx/inference.h"

namespace partita::detail::onnx {

// None where shapes are unknown, or the operator. Bodies of If count with the larger branch, those of Loop and Scan with
// every turn, or once where their number is not known: `open_loops` then gets the node's name.
std::optional<double> flops_of(FlatModel& model, FlatNode& node, OperatorFamily family,
                               std::vector<std::string>& open_loops);

// None: its inputs, weights and outputs, each once.
std::optional<double> moved_bytes_of(FlatModel& model, FlatNode& node, OperatorFamily family);

}  // namespace partita::detail::onnx
