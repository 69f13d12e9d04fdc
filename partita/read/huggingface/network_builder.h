// SPDX-License-Identifier: Apache-2.0
// Makes a Network operator by operator, for readers that know a model's sizes and not its graph. What is counted: 2
// operations for each multiplication with its addition, biases left out; a few for each element of the rest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "partita/model/network.h"
#include "partita/read/checkpoint.h"
#include "partita/read/huggingface/transformer_shape.h"

namespace partita::detail {

using Extents = std::vector<std::int64_t>;

class NetworkBuilder {
 public:
  // `type`: of weights and of what passes between operators. `checkpoint`, which may be null: has the last word on the
  // sizes of weights.
  NetworkBuilder(std::string name, DataType type, Checkpoint* checkpoint) : type_(type), checkpoint_(checkpoint) {
    network_.name = std::move(name);
  }

  // What is added from here on is part of this layer.
  void set_layer(std::optional<std::int64_t> layer) { layer_ = layer; }

  TensorId input(const std::string& name, DataType type, Extents extents);
  WeightId add_weight(std::string name, Extents extents);

  // An operator without outputs and costs, to be filled in; valid until the next one is added.
  Operator& add(const std::string& name, const char* kind, OperatorFamily family, std::vector<TensorId> inputs);
  // What the operator makes, called as the operator with `suffix` behind its name.
  TensorId output(Operator& op, Extents extents, const std::string& suffix = {});

  // Rows of `x` times a matrix, which has as many rows as `x` has columns. `by_input`: it is stored [in, out].
  TensorId linear(const std::string& name, TensorId x, std::int64_t columns, bool bias, bool by_input = false);
  // The same with several matrices in one, and an output for each.
  std::vector<TensorId> fused_linear(const std::string& name, TensorId x, const std::vector<std::int64_t>& columns,
                                     const std::vector<std::string>& suffixes, bool bias, bool by_input = false);
  // Of the last axis, or of parts of it of this size.
  TensorId norm(const std::string& name, TensorId x, NormKind kind, std::optional<std::int64_t> size = {});
  // As large as the first of `inputs`.
  TensorId elementwise(const std::string& name, const char* kind, std::vector<TensorId> inputs,
                       double flops_of_an_element);

  const Extents& extents(TensorId tensor) const { return *network_.tensors[tensor].type.shape; }
  double elements(TensorId tensor) const { return *network_.tensors[tensor].type.elements(); }
  double bytes(TensorId tensor) const { return *network_.tensors[tensor].type.bytes(); }
  double weight_bytes(const Operator& op) const;
  double element_bytes() const;  // of one number that passes between operators
  const Weight& weight(WeightId id) const { return network_.weights[id]; }
  Operator& last_operator() { return network_.operators[OperatorId(network_.operators.size() - 1)]; }

  Network finish(std::vector<TensorId> outputs, std::vector<std::string> notes);

 private:
  Network network_;
  DataType type_;
  Checkpoint* checkpoint_;
  std::optional<std::int64_t> layer_;
};

}  // namespace partita::detail
