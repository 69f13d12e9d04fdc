// SPDX-License-Identifier: Apache-2.0
// From numbers to few bits and back.
#include "partita/read/onnx/inference.h"

namespace partita::detail::onnx {

namespace {

void quantize(Inference& node) {
  const std::int64_t code = node.integer("output_dtype", 0);
  const DataType type = node.has(2) ? node.type(2) : code != 0 ? element_type(code) : DataType::UInt8;
  node.set(0, type, node.shape(0));
}

void dequantize(Inference& node) {
  const std::int64_t code = node.integer("output_dtype", 0);
  node.set(0, code != 0 ? element_type(code) : node.has(1) ? node.type(1) : DataType::Float32, node.shape(0));
}

void quantize_by_range(Inference& node) {
  node.set(0, DataType::UInt8, node.shape(0));
  node.set(1, DataType::Float32, Numbers());
  node.set(2, DataType::UInt8, Numbers());
}

// A, scale, zero point, B, scale, zero point.
void quantized_sum(Inference& node) { node.set(0, node.type(0), broadcast(node.shape(0), node.shape(3))); }

void quantized_same(Inference& node) { node.set(0, node.type(0), node.shape(0)); }

// The table's rows are packed; the scales tell their width.
void gather_rows(Inference& node) {
  const Shape& indices = node.shape(1);
  Shape shape;
  if (indices && node.shape(0) && node.shape(0)->size() == 2 && node.integer("gather_axis", 0) == 0) {
    const std::int64_t bits = node.integer("bits", 4);
    const bool packed = node.type(0) == DataType::UInt8 && bits > 0 && bits < 8;
    shape = indices;
    shape->push_back(packed ? times(node.extent(0, 1), 8 / bits) : node.extent(0, 1));
  }
  node.set(0, node.type(2), std::move(shape));
}

constexpr ShapeRow kQuantizedRows[] = {
    {"QuantizeLinear", quantize},
    {"DequantizeLinear", dequantize},
    {"DynamicQuantizeLinear", quantize_by_range},
    {"com.microsoft:QuantizeLinear", quantize},
    {"com.microsoft:DequantizeLinear", dequantize},
    {"com.microsoft:QLinearAdd", quantized_sum},
    {"com.microsoft:QLinearMul", quantized_sum},
    {"com.microsoft:QLinearSigmoid", quantized_same},
    {"com.microsoft:QLinearLeakyRelu", quantized_same},
    {"com.microsoft:QLinearSoftmax", quantized_same},
    {"com.microsoft:GatherBlockQuantized", gather_rows},
};

}  // namespace

std::span<const ShapeRow> quantized_shapes() { return kQuantizedRows; }

}  // namespace partita::detail::onnx
