// SPDX-License-Identifier: Apache-2.0
// Which family an operator belongs to.
#pragma once

#include "partita/model/network.h"
#include "partita/read/onnx/flat_model.h"

namespace partita::detail::onnx {

// Other for a kind or a domain that is not in the table. A product of two values that are both computed is Attention.
OperatorFamily family_of(const FlatModel& model, const FlatNode& node);

// Does the table know the domain at all?
bool is_known_domain(std::string_view domain);

}  // namespace partita::detail::onnx
