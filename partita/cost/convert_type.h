// SPDX-License-Identifier: Apache-2.0
// A network as if its floating-point numbers were of another type: what would it cost in fp16?
#pragma once

#include "partita/model/network.h"

namespace partita {

// Floating-point activations and weights, and the arithmetic of operators that computed with such, become of this type. For int8 and int4
// that holds of weights alone, as activations stay what they were. Quantised weights stay as they are.
void convert_floats(Network& network, DataType type);

namespace detail {

// Floating-point of 16 bits and more: numbers as they are, not codes that scales belong to.
bool is_plain_float(DataType type);

}  // namespace detail

}  // namespace partita
