// SPDX-License-Identifier: Apache-2.0
#include "partita/read/huggingface/network_builder.h"

#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace partita::detail {
namespace {

// A square or a difference, a sum, a product with the root and one with the weight; a LayerNorm also has a mean and a
// bias.
constexpr double kRmsNormFlops = 4;
constexpr double kLayerNormFlops = 7;

}  // namespace

TensorId NetworkBuilder::input(const std::string& name, DataType type, Extents extents) {
  const TensorId id = network_.tensors.push_back({name, {type, std::move(extents)}});
  network_.inputs.push_back(id);
  return id;
}

WeightId NetworkBuilder::add_weight(std::string name, Extents extents) {
  Weight weight{std::move(name), {type_, std::move(extents)}, 0, 0};
  weight.bytes = *weight.type.bytes();
  weight.parameters = *weight.type.elements();
  if (checkpoint_) checkpoint_->describe(weight);
  return network_.weights.push_back(std::move(weight));
}

Operator& NetworkBuilder::add(const std::string& name, const char* kind, OperatorFamily family,
                              std::vector<TensorId> inputs) {
  Operator op;
  op.name = name;
  op.kind = kind;
  op.family = family;
  op.inputs = std::move(inputs);
  op.arithmetic = type_;
  op.layer = layer_;
  return network_.operators[network_.operators.push_back(std::move(op))];
}

TensorId NetworkBuilder::output(Operator& op, Extents extents, const std::string& suffix) {
  const TensorId id = network_.tensors.push_back({op.name + suffix, {type_, std::move(extents)}});
  op.outputs.push_back(id);
  return id;
}

TensorId NetworkBuilder::linear(const std::string& name, TensorId x, std::int64_t columns, bool bias, bool by_input) {
  return fused_linear(name, x, {columns}, {""}, bias, by_input).front();
}

std::vector<TensorId> NetworkBuilder::fused_linear(const std::string& name, TensorId x,
                                                   const std::vector<std::int64_t>& columns,
                                                   const std::vector<std::string>& suffixes, bool bias, bool by_input) {
  Extents extents = this->extents(x);
  const std::int64_t rows_of_weight = extents.back();
  const std::int64_t all_columns = std::accumulate(columns.begin(), columns.end(), std::int64_t{0});
  Operator& op = add(name, "Linear", OperatorFamily::MatrixProduct, {x});
  op.weights.push_back(add_weight(
      name + ".weight", by_input ? Extents{rows_of_weight, all_columns} : Extents{all_columns, rows_of_weight}));
  if (bias) op.weights.push_back(add_weight(name + ".bias", {all_columns}));
  op.flops = 2 * elements(x) * static_cast<double>(all_columns);
  std::vector<TensorId> made;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    extents.back() = columns[i];
    made.push_back(output(op, extents, suffixes[i]));
  }
  return made;
}

TensorId NetworkBuilder::norm(const std::string& name, TensorId x, NormKind kind, std::optional<std::int64_t> size) {
  const bool rms = kind == NormKind::Rms;
  const std::int64_t channels = size.value_or(extents(x).back());
  Operator& op = add(name, rms ? "RMSNorm" : "LayerNorm", OperatorFamily::Normalization, {x});
  op.weights.push_back(add_weight(name + ".weight", {channels}));
  if (!rms) op.weights.push_back(add_weight(name + ".bias", {channels}));
  op.flops = elements(x) * (rms ? kRmsNormFlops : kLayerNormFlops);
  return output(op, extents(x));
}

TensorId NetworkBuilder::elementwise(const std::string& name, const char* kind, std::vector<TensorId> inputs,
                                     double flops_of_an_element) {
  const TensorId first = inputs.front();
  Operator& op = add(name, kind, OperatorFamily::Elementwise, std::move(inputs));
  op.flops = elements(first) * flops_of_an_element;
  return output(op, extents(first));
}

double NetworkBuilder::weight_bytes(const Operator& op) const {
  double sum = 0;
  for (WeightId weight : op.weights) sum += network_.weights[weight].bytes;
  return sum;
}

double NetworkBuilder::element_bytes() const { return *bits_of(type_) / 8.0; }

Network NetworkBuilder::finish(std::vector<TensorId> outputs, std::vector<std::string> notes) {
  network_.outputs = std::move(outputs);
  network_.notes = std::move(notes);
  if (checkpoint_) {
    for (std::string& line : checkpoint_->notes()) network_.notes.push_back(std::move(line));
  }
  return std::move(network_);
}

}  // namespace partita::detail
