// SPDX-License-Identifier: Apache-2.0
// Operators that make one element of each element of their inputs, which are stretched to a common shape.
#include "partita/read/onnx/inference.h"

namespace partita::detail::onnx {

namespace {

Shape common_shape(const Inference& node) {
  Shape shape = node.shape(0);
  for (std::size_t i = 1; i < node.inputs(); ++i) shape = broadcast(shape, node.shape(i));
  return shape;
}

// Until opset 7 the second operand fitted the first along `axis`, and the first decided the shape.
Shape operands_shape(const Inference& node) {
  return node.opset() > 0 && node.opset() < 7 ? node.shape(0) : common_shape(node);
}

void stretched(Inference& node) {
  const bool first_is_unknown = node.type(0) == DataType::Unknown;
  node.set(0, node.type(first_is_unknown ? 1 : 0), operands_shape(node));
}

void compared(Inference& node) { node.set(0, DataType::Bool, operands_shape(node)); }
void tested(Inference& node) { node.set(0, DataType::Bool, node.shape(0)); }

void where(Inference& node) {
  const bool second_is_unknown = node.type(1) == DataType::Unknown;
  node.set(0, node.type(second_is_unknown ? 2 : 1), common_shape(node));
}

void cast(Inference& node) { node.set(0, element_type(node.integer("to", 0)), node.shape(0)); }
void cast_like(Inference& node) { node.set(0, node.type(1), node.shape(0)); }

void dropout(Inference& node) {
  node.set(0, node.type(0), node.shape(0));
  node.set(1, node.opset() >= 10 || node.opset() == 0 ? DataType::Bool : node.type(0), node.shape(0));
}

// The type is an attribute, or that of the input.
void like(Inference& node) {
  const std::int64_t code = node.integer("dtype", 0);
  node.set(0, code == 0 ? node.type(0) : element_type(code), node.shape(0));
}

// Optimizers are given a rate, a count, then n tensors, their n gradients and n states, of Adam twice n; all but the
// gradients come back.
void optimizer(Inference& node) {
  const std::size_t rows = node.node().kind() == "Adam" ? 4 : 3;
  const std::size_t tensors = node.inputs() < 2 ? 0 : (node.inputs() - 2) / rows;
  for (std::size_t i = 0; tensors > 0 && i < node.outputs(); ++i) {
    node.set(i, node.type(2 + i % tensors), node.shape(2 + i % tensors));
  }
}

constexpr ShapeRow kElementwiseRows[] = {
    {"Abs", same_shape},
    {"Acos", same_shape},
    {"Acosh", same_shape},
    {"Asin", same_shape},
    {"Asinh", same_shape},
    {"Atan", same_shape},
    {"Atanh", same_shape},
    {"BitwiseNot", same_shape},
    {"Ceil", same_shape},
    {"Celu", same_shape},
    {"Clip", same_shape},
    {"Cos", same_shape},
    {"Cosh", same_shape},
    {"CumSum", same_shape},
    {"CumProd", same_shape},
    {"Elu", same_shape},
    {"Erf", same_shape},
    {"Exp", same_shape},
    {"Floor", same_shape},
    {"Gelu", same_shape},
    {"HardSigmoid", same_shape},
    {"HardSwish", same_shape},
    {"Hardmax", same_shape},
    {"Identity", same_shape},
    {"LeakyRelu", same_shape},
    {"Log", same_shape},
    {"LogSoftmax", same_shape},
    {"LpNormalization", same_shape},
    {"LRN", same_shape},
    {"Mish", same_shape},
    {"Neg", same_shape},
    {"Not", same_shape},
    {"Reciprocal", same_shape},
    {"Relu", same_shape},
    {"ReverseSequence", same_shape},
    {"Round", same_shape},
    {"Selu", same_shape},
    {"Shrink", same_shape},
    {"Sigmoid", same_shape},
    {"Sign", same_shape},
    {"Sin", same_shape},
    {"Sinh", same_shape},
    {"Softmax", same_shape},
    {"Softplus", same_shape},
    {"Softsign", same_shape},
    {"Sqrt", same_shape},
    {"Swish", same_shape},
    {"Tan", same_shape},
    {"Tanh", same_shape},
    {"ThresholdedRelu", same_shape},
    {"Trilu", same_shape},
    {"ScaledTanh", same_shape},
    {"ParametricSoftplus", same_shape},
    {"ImageScaler", same_shape},
    {"PRelu", same_shape},
    {"SwiGLU", same_shape},
    {"IsInf", tested},
    {"IsNaN", tested},
    {"Add", stretched},
    {"BitShift", stretched},
    {"BitwiseAnd", stretched},
    {"BitwiseOr", stretched},
    {"BitwiseXor", stretched},
    {"Div", stretched},
    {"Max", stretched},
    {"Mean", stretched},
    {"Min", stretched},
    {"Mod", stretched},
    {"Mul", stretched},
    {"Pow", stretched},
    {"Sub", stretched},
    {"Sum", stretched},
    {"And", compared},
    {"Equal", compared},
    {"Greater", compared},
    {"GreaterOrEqual", compared},
    {"Less", compared},
    {"LessOrEqual", compared},
    {"Or", compared},
    {"Xor", compared},
    {"Where", where},
    {"Cast", cast},
    {"CastLike", cast_like},
    {"BitCast", cast},
    {"Dropout", dropout},
    {"Bernoulli", like},
    {"RandomNormalLike", like},
    {"RandomUniformLike", like},
    {"com.microsoft:BiasGelu", same_shape},
    {"com.microsoft:FastGelu", same_shape},
    {"com.microsoft:Gelu", same_shape},
    {"com.microsoft:QuickGelu", same_shape},
    {"ai.onnx.ml:Binarizer", same_shape},
    {"ai.onnx.ml:Scaler", [](Inference& node) { node.set(0, DataType::Float32, node.shape(0)); }},
    {"ai.onnx.ml:Normalizer", [](Inference& node) { node.set(0, DataType::Float32, node.shape(0)); }},
    {"ai.onnx.ml:Imputer", same_shape},
    {"ai.onnx.preview.training:Adagrad", optimizer},
    {"ai.onnx.preview.training:Adam", optimizer},
    {"ai.onnx.preview.training:Momentum", optimizer},
};

}  // namespace

std::span<const ShapeRow> elementwise_shapes() { return kElementwiseRows; }

}  // namespace partita::detail::onnx
