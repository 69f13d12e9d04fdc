// SPDX-License-Identifier: Apache-2.0
// The family of an operator of PyTorch's ATen, by its name: "aten.convolution_backward.default".
#pragma once

#include <string_view>

#include "partita/model/network.h"

namespace partita::detail {

// Other for names that are none of ATen's.
OperatorFamily family_of_aten(std::string_view op);

// Does it make a view whose elements do not lie together, or not in order? Who reads it does the movement.
bool makes_strided_view(std::string_view op);

}  // namespace partita::detail
