// SPDX-License-Identifier: Apache-2.0
// Operators that make one element of each element of their inputs, which are stretched to a common shape.
#include "partita/read/onnx/inference.h"

namespace partita::detail::onnx {

namespace {

void same(Inference& node) { node.set(0, node.type(0), node.shape(0)); }

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

constexpr ShapeRow kRows[] = {
    {"Abs", same},
    {"Acos", same},
    {"Acosh", same},
    {"Asin", same},
    {"Asinh", same},
    {"Atan", same},
    {"Atanh", same},
    {"BitwiseNot", same},
    {"Ceil", same},
    {"Celu", same},
    {"Clip", same},
    {"Cos", same},
    {"Cosh", same},
    {"CumSum", same},
    {"CumProd", same},
    {"Elu", same},
    {"Erf", same},
    {"Exp", same},
    {"Floor", same},
    {"Gelu", same},
    {"HardSigmoid", same},
    {"HardSwish", same},
    {"Hardmax", same},
    {"Identity", same},
    {"LeakyRelu", same},
    {"Log", same},
    {"LogSoftmax", same},
    {"LpNormalization", same},
    {"LRN", same},
    {"Mish", same},
    {"Neg", same},
    {"Not", same},
    {"Reciprocal", same},
    {"Relu", same},
    {"ReverseSequence", same},
    {"Round", same},
    {"Selu", same},
    {"Shrink", same},
    {"Sigmoid", same},
    {"Sign", same},
    {"Sin", same},
    {"Sinh", same},
    {"Softmax", same},
    {"Softplus", same},
    {"Softsign", same},
    {"Sqrt", same},
    {"Swish", same},
    {"Tan", same},
    {"Tanh", same},
    {"ThresholdedRelu", same},
    {"Trilu", same},
    {"ScaledTanh", same},
    {"ParametricSoftplus", same},
    {"ImageScaler", same},
    {"PRelu", same},
    {"SwiGLU", same},
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
    {"com.microsoft:BiasGelu", same},
    {"com.microsoft:FastGelu", same},
    {"com.microsoft:Gelu", same},
    {"com.microsoft:QuickGelu", same},
    {"ai.onnx.ml:Binarizer", same},
    {"ai.onnx.ml:Scaler", [](Inference& node) { node.set(0, DataType::Float32, node.shape(0)); }},
    {"ai.onnx.ml:Normalizer", [](Inference& node) { node.set(0, DataType::Float32, node.shape(0)); }},
    {"ai.onnx.ml:Imputer", same},
    {"ai.onnx.preview.training:Adagrad", optimizer},
    {"ai.onnx.preview.training:Adam", optimizer},
    {"ai.onnx.preview.training:Momentum", optimizer},
};

}  // namespace

std::span<const ShapeRow> elementwise_shapes() { return kRows; }

}  // namespace partita::detail::onnx
