// SPDX-License-Identifier: Apache-2.0
// Small networks, an operator a line.
#pragma once

#include <string>
#include <vector>

#include "partita/model/network.h"

namespace partita::detail {

class HandMadeNetwork {
 public:
  HandMadeNetwork() { network_.name = "hand-made"; }

  TensorId tensor(const std::string& name, std::vector<std::int64_t> shape, DataType type = DataType::Float16) {
    return network_.tensors.push_back({name, {type, std::move(shape)}});
  }
  TensorId unknown_tensor(const std::string& name) { return network_.tensors.push_back({name, {}}); }
  TensorId input(const std::string& name, std::vector<std::int64_t> shape, DataType type = DataType::Float16) {
    network_.inputs.push_back(tensor(name, std::move(shape), type));
    return network_.inputs.back();
  }
  WeightId weight(const std::string& name, std::vector<std::int64_t> shape, DataType type = DataType::Float16) {
    Weight made{name, {type, std::move(shape)}};
    made.bytes = *made.type.bytes();
    made.parameters = *made.type.elements();
    return network_.weights.push_back(made);
  }
  OperatorId add(const std::string& name, const std::string& kind, OperatorFamily family, std::vector<TensorId> inputs,
                 std::vector<TensorId> outputs, std::vector<WeightId> weights = {}, double flops = 0) {
    Operator op;
    op.name = name;
    op.kind = kind;
    op.family = family;
    op.inputs = std::move(inputs);
    op.outputs = std::move(outputs);
    op.weights = std::move(weights);
    op.flops = flops;
    op.arithmetic = DataType::Float16;
    return network_.operators.push_back(std::move(op));
  }

  Network& network() { return network_; }

 private:
  Network network_;
};

// x -> matmul -> add -> relu -> head, with 1000 x 64 weights and tensors of 32 rows.
inline Network chain_of_four() {
  HandMadeNetwork made;
  const TensorId x = made.input("x", {32, 64}), a = made.tensor("a", {32, 64}), b = made.tensor("b", {32, 64}),
                 c = made.tensor("c", {32, 64}), y = made.tensor("y", {32, 128});
  made.add("matmul", "MatMul", OperatorFamily::MatrixProduct, {x}, {a}, {made.weight("w", {64, 64})},
           2.0 * 32 * 64 * 64);
  made.add("add", "Add", OperatorFamily::Elementwise, {a}, {b}, {made.weight("bias", {64})}, 32 * 64);
  made.add("relu", "Relu", OperatorFamily::Elementwise, {b}, {c}, {}, 32 * 64);
  made.add("head", "MatMul", OperatorFamily::MatrixProduct, {c}, {y}, {made.weight("v", {64, 128})},
           2.0 * 32 * 64 * 128);
  made.network().outputs.push_back(y);
  return made.network();
}

}  // namespace partita::detail
