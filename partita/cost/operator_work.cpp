// SPDX-License-Identifier: Apache-2.0
#include "partita/cost/operator_work.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>

namespace partita::detail {

namespace {

constexpr int kAlignedBits = 128;  // what a multiplier of few bits loads at once

double elements_of(const Network& network, const std::vector<TensorId>& tensors, std::size_t i) {
  return i < tensors.size() ? network.tensors[tensors[i]].type.elements().value_or(0) : 0;
}

// The extents of the first tensor that an operator reads: samples, channels and planes.
std::optional<std::vector<std::int64_t>> planes_read(const Network& network, const Operator& op) {
  if (op.inputs.empty()) return std::nullopt;
  const auto& shape = network.tensors[op.inputs.front()].type.shape;
  if (!shape || shape->size() < 2 || (*shape)[0] <= 0 || (*shape)[1] <= 0) return std::nullopt;
  return shape;
}

bool computes_in_few_bits(const Operator& op) {
  const std::optional<int> bits = bits_of(op.arithmetic);
  return bits && *bits <= 16;
}

// Are there weights whose rows are no whole multiples of the 16 bytes that a multiplier of few bits loads at once?
bool is_misaligned(const Network& network, const Operator& op) {
  if (op.family != OperatorFamily::MatrixProduct || !computes_in_few_bits(op)) return false;
  const int bits = *bits_of(op.arithmetic);
  return std::ranges::any_of(op.weights, [&](WeightId w) {
    const auto& shape = network.weights[w].type.shape;
    return shape && shape->size() == 2 && std::ranges::any_of(*shape, [&](std::int64_t extent) {
             return extent > kAlignedBits && extent * bits % kAlignedBits != 0;
           });
  });
}

bool has_odd_planes(const Network& network, const Operator& op) {
  const auto shape = planes_read(network, op);
  if (!shape || !computes_in_few_bits(op)) return false;
  const double bits =
      std::accumulate(shape->begin() + 2, shape->end(), static_cast<double>(*bits_of(op.arithmetic)),
                      [](double product, std::int64_t extent) { return product * static_cast<double>(extent); });
  return std::fmod(bits, kAlignedBits) != 0;
}

// A chain goes through all planes of a channel, or through one of them.
double chain_of_norm(const Network& network, const Operator& op) {
  const auto shape = planes_read(network, op);
  if (!shape) return 0;
  const double channels = static_cast<double>((*shape)[1]);
  if (op.kind == "BatchNormalization") return elements_of(network, op.inputs, 0) / channels;
  if (op.kind == "InstanceNormalization")
    return elements_of(network, op.inputs, 0) / channels / static_cast<double>((*shape)[0]);
  return 0;  // groups of channels, whose number is not kept
}

void add_shape(const Network& network, const Operator& op, Work& work) {
  const double made = elements_of(network, op.outputs, 0);
  if (is_convolution(work.family) && work.flops && made > 0) work.chain = *work.flops / (2 * made);
  if (work.family == OperatorFamily::PointwiseConvolution && has_odd_planes(network, op))
    work.family = OperatorFamily::OddConvolution;
  if (work.family == OperatorFamily::BatchNormalization) work.chain = chain_of_norm(network, op);
  if (work.family == OperatorFamily::BatchNormalization || work.family == OperatorFamily::ChannelScaling) {
    if (const auto shape = planes_read(network, op))
      work.items = static_cast<double>((*shape)[0]) * static_cast<double>((*shape)[1]);
  }
  if (work.family == OperatorFamily::Pooling) work.items = made;
  if (work.family == OperatorFamily::Scatter && !op.inputs.empty())
    work.items =
        elements_of(network, op.inputs, op.inputs.size() - 1);  // what is to be written, the last that it is given
  if (work.family == OperatorFamily::Concatenation)
    work.pieces = static_cast<double>(std::max<std::size_t>(1, op.inputs.size()));
}

}  // namespace

double weight_bytes(const Network& network, const Operator& op) {
  double sum = 0;
  for (WeightId w : op.weights) sum += network.weights[w].bytes;
  return sum;
}

std::optional<double> bytes_of(const Network& network, const std::vector<TensorId>& tensors) {
  double sum = 0;
  for (TensorId t : tensors) {
    const std::optional<double> bytes = network.tensors[t].type.bytes();
    if (!bytes) return std::nullopt;
    sum += *bytes;
  }
  return sum;
}

Work work_of(const Network& network, const Operator& op) {
  Work work{.family = op.family,
            .backward = false,
            .arithmetic = op.arithmetic,
            .flops = op.flops,
            .bytes = op.moved_bytes,
            .misaligned = is_misaligned(network, op)};
  add_shape(network, op, work);
  if (work.bytes) return work;
  const std::optional<double> in = bytes_of(network, op.inputs), out = bytes_of(network, op.outputs);
  if (in && out) work.bytes = *in + *out + weight_bytes(network, op);
  return work;
}

Work work_in_training(const Network& network, const Operator& op, Work work) {
  if (op.kind != "BatchNormalization") return work;
  // It is read for mean and variance, and again to apply them.
  if (work.bytes)
    for (TensorId t : op.inputs) *work.bytes += network.tensors[t].type.bytes().value_or(0);
  work.family = OperatorFamily::BatchNormalization;
  work.chain = chain_of_norm(network, op);
  return work;
}

Work work_of_gradient(const Network& network, const Operator& op, Work work) {
  work.backward = true;
  if (work.bytes) work.bytes = 2 * *work.bytes;
  // What was read anywhere is written anywhere, and the other way round; the table has both as forward operators.
  if (work.family == OperatorFamily::Lookup || work.family == OperatorFamily::Scatter) {
    const bool was_read = work.family == OperatorFamily::Lookup;
    work.family = was_read ? OperatorFamily::Scatter : OperatorFamily::Lookup;
    work.items = was_read ? elements_of(network, op.outputs, 0) : 0;
    work.backward = false;
  }
  if (work.family == OperatorFamily::Pooling) work.items = elements_of(network, op.inputs, 0);
  return work;
}

}  // namespace partita::detail
