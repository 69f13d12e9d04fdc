// SPDX-License-Identifier: Apache-2.0
// Products of matrices, and Einstein's sums.
#include <algorithm>

#include "partita/read/onnx/einsum.h"
#include "partita/read/onnx/inference.h"

namespace partita::detail::onnx {

namespace {

// Stacks of matrices; a vector is a row on the left and a column on the right, and its axis vanishes.
Shape product_shape(const Shape& a, const Shape& b) {
  if (!a || !b || a->empty() || b->empty()) return std::nullopt;
  const auto stack = [](const Numbers& shape) {
    return shape.size() > 2 ? Numbers(shape.begin(), shape.end() - 2) : Numbers();
  };
  Shape shape = broadcast(stack(*a), stack(*b));
  if (a->size() > 1) shape->push_back((*a)[a->size() - 2]);
  if (b->size() > 1) shape->push_back(b->back());
  return shape;
}

Shape transposed(Shape shape, bool stack, bool matrix) {
  if (!shape || shape->size() < 2) return shape;
  // transBatch moves the first axis before the last one, transA then swaps the last two.
  if (stack && shape->size() > 2) std::rotate(shape->begin(), shape->begin() + 1, shape->end() - 1);
  if (matrix) std::swap((*shape)[shape->size() - 1], (*shape)[shape->size() - 2]);
  return shape;
}

void matmul(Inference& node) { node.set(0, node.type(0), product_shape(node.shape(0), node.shape(1))); }
void integer_matmul(Inference& node) { node.set(0, DataType::Int32, product_shape(node.shape(0), node.shape(1))); }
void quantized_matmul(Inference& node) { node.set(0, node.type(7), product_shape(node.shape(0), node.shape(3))); }

void matmul_to_float(Inference& node) {
  node.set(0, node.has(2) ? node.type(2) : DataType::Float32, product_shape(node.shape(0), node.shape(1)));
}

void dynamic_matmul(Inference& node) { node.set(0, node.type(0), product_shape(node.shape(0), node.shape(1))); }

void fused_matmul(Inference& node) {
  const Shape a = transposed(node.shape(0), node.integer("transBatchA", 0) != 0, node.integer("transA", 0) != 0);
  const Shape b = transposed(node.shape(1), node.integer("transBatchB", 0) != 0, node.integer("transB", 0) != 0);
  node.set(0, node.type(0), product_shape(a, b));
}

void narrow_matmul(Inference& node) {
  Shape shape = node.shape(0);
  if (shape && !shape->empty()) shape->back() = std::max(node.integer("N", kUnknownExtent), kUnknownExtent);
  node.set(0, node.type(0), std::move(shape));
}

void gemm(Inference& node) {
  const std::int64_t rows = node.extent(0, node.integer("transA", 0) != 0 ? 1 : 0);
  const std::int64_t columns = node.extent(1, node.integer("transB", 0) != 0 ? 0 : 1);
  node.set(0, node.type(0), Numbers{rows, columns});
}

void einsum(Inference& node) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < node.inputs(); ++i) shapes.push_back(node.shape(i));
  const std::optional<EinsteinSum> sum = einstein_sum(node.text("equation", ""), shapes);
  node.set(0, node.type(0), sum ? sum->shape : std::nullopt);
}

void determinant(Inference& node) {
  Shape shape = node.shape(0);
  if (!shape || shape->size() < 2) return node.set(0, node.type(0), std::nullopt);
  shape->resize(shape->size() - 2);
  node.set(0, node.type(0), std::move(shape));
}

constexpr ShapeRow kProductRows[] = {
    {"MatMul", matmul},
    {"MatMulInteger", integer_matmul},
    {"QLinearMatMul", quantized_matmul},
    {"Gemm", gemm},
    {"Einsum", einsum},
    {"Det", determinant},
    {"com.microsoft:MatMulIntegerToFloat", matmul_to_float},
    {"com.microsoft:DynamicQuantizeMatMul", dynamic_matmul},
    {"com.microsoft:FusedMatMul", fused_matmul},
    {"com.microsoft:TransposeMatMul", fused_matmul},
    {"com.microsoft:FusedGemm", gemm},
    {"com.microsoft:MatMulNBits", narrow_matmul},
    {"com.microsoft:MatMulFpQ4", narrow_matmul},
    {"com.microsoft:MatMulBnb4", narrow_matmul},
};

}  // namespace

std::span<const ShapeRow> product_shapes() { return kProductRows; }

}  // namespace partita::detail::onnx
