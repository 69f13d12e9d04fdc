// SPDX-License-Identifier: Apache-2.0
// From the flat model, with its types inferred, to the network that the other rooms know.
#pragma once

#include "partita/model/network.h"
#include "partita/read/onnx/flat_model.h"
#include "partita/read/onnx/symbols.h"

namespace partita::detail::onnx {

Network to_network(FlatModel& model, const Symbols& symbols);

}  // namespace partita::detail::onnx
