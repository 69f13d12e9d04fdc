// SPDX-License-Identifier: Apache-2.0
#include "partita/cost/convert_type.h"

#include <cmath>

namespace partita {

using namespace detail;

bool detail::is_plain_float(DataType type) {
  return type == DataType::Float64 || type == DataType::Float32 || type == DataType::TFloat32 ||
         type == DataType::Float16 || type == DataType::BFloat16;
}

namespace {

double convert(TensorType& tensor, double bytes, DataType type) {
  const double before = bits_of(tensor.type).value_or(32);
  tensor.type = type;
  return std::ceil(bytes * bits_of(type).value_or(32) / before);
}

}  // namespace

void convert_floats(Network& network, DataType type) {
  const bool floating = type != DataType::Int8 && type != DataType::Int4;
  double ratio = 1;  // of bytes that operators say they move, which are of activations and weights alike
  for (Tensor& tensor : network.tensors) {
    if (!floating || !is_plain_float(tensor.type.type)) continue;
    ratio = bits_of(type).value_or(32) / static_cast<double>(bits_of(tensor.type.type).value_or(32));
    tensor.type.type = type;
  }
  for (Weight& weight : network.weights) {
    if (is_plain_float(weight.type.type)) weight.bytes = convert(weight.type, weight.bytes, type);
  }
  for (Operator& op : network.operators) {
    if (!is_plain_float(op.arithmetic)) continue;
    op.arithmetic = type;
    if (op.moved_bytes) *op.moved_bytes *= ratio;
    op.state_bytes *= ratio;
  }
}

}  // namespace partita
