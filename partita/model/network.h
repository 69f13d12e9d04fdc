// SPDX-License-Identifier: Apache-2.0
// A neural network as a model file describes it, before anybody says what its operators cost: operators, the tensors
// that pass between them, and the weights they hold. Readers of model files make it; `cost` turns it and a platform into
// a Workload.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "partita/model/tensor.h"
#include "partita/util/ids.h"

namespace partita {

using TensorId = Id<struct TensorTag>;      // one value that an operator makes or the network is given
using WeightId = Id<struct WeightTag>;      // one constant that is stored with the network
using OperatorId = Id<struct OperatorTag>;  // one operator of a network

// What limits the speed of an operator, and what its measured speeds have in common.
enum class OperatorFamily {
  MatrixProduct,         // MatMul, Gemm, projections, experts
  Convolution,           // with a kernel of several elements
  PointwiseConvolution,  // with a kernel of one element, all channels meeting: a product of matrices
  OddConvolution,        // pointwise, on planes that a multiplier cannot load as they lie
  GroupedConvolution,    // whose channels do not all meet: depthwise
  Attention,           // products of activations with each other, with their softmax where one operator does all of it
  Recurrent,           // LSTM, GRU
  Normalization,       // layer, RMS: over rows that lie together
  BatchNormalization,  // batch, instance, group: over planes that lie apart
  ChannelScaling,      // batch normalization with stored statistics: planes are scaled and shifted
  Softmax,
  Elementwise,
  Reduction,
  Pooling,
  Lookup,         // embedding, Gather: what lies anywhere is read
  Scatter,        // ScatterND, gradients of lookups: what lies anywhere is written
  Movement,       // Transpose, Slice, Pad: bytes are copied
  Concatenation,  // several tensors are copied into one, each on its own
  View,           // Reshape, Squeeze, Identity: nothing is copied
  Control,        // If, Loop, Scan and calls whose body is not seen
  Source,         // an input of the network
  Other,          // an operator that nobody here knows
};
inline constexpr std::size_t kOperatorFamilies = static_cast<std::size_t>(OperatorFamily::Other) + 1;

const char* to_string(OperatorFamily family);

// Of any kernel and any groups?
bool is_convolution(OperatorFamily family);

struct Tensor {
  std::string name;
  TensorType type;
};

struct Weight {
  std::string name;
  TensorType type;
  double bytes = 0;       // as stored; for quantised weights this is not type.bytes()
  double parameters = 0;  // 0 for constants that nobody trains: shapes, masks, tables of positions
};

struct Operator {
  std::string name;    // not empty, unique in its network
  std::string kind;    // "Conv", "MatMul": as the file says
  std::string domain;  // empty for the standard's own operators
  OperatorFamily family = OperatorFamily::Other;
  std::vector<TensorId> inputs;   // what it reads that is not a weight, each once
  std::vector<TensorId> outputs;  // what it makes
  std::vector<WeightId> weights;
  // Multiplications and additions, for one sample as the file or the options size it. None: not known.
  std::optional<double> flops;
  // Bytes that it reads from and writes to its device's memory. None: its inputs, weights and outputs, each once.
  std::optional<double> moved_bytes;
  double state_bytes = 0;                   // what it keeps from sample to sample: a KV cache
  DataType arithmetic = DataType::Unknown;  // in which it computes
  std::optional<std::int64_t> layer;
  std::optional<std::int64_t> together;  // operators with one number share a device: a sequence and who reads it
};

// Invariants: operators stand in an order in which every tensor is made before it is read; a tensor is made by one operator, or is one of
// `inputs`; names of operators are unique.
struct Network {
  std::string name;
  IdVector<TensorId, Tensor> tensors;
  IdVector<WeightId, Weight> weights;
  IdVector<OperatorId, Operator> operators;
  std::vector<TensorId> inputs;         // given with every sample
  std::vector<TensorId> outputs;        // what the network is run for
  std::vector<std::string> notes = {};  // what the reader found odd or does not know, a line each

  double parameters() const;  // each weight once
  double flops() const;       // the sum of what is known
};

}  // namespace partita
