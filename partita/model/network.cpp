// SPDX-License-Identifier: Apache-2.0
#include "partita/model/network.h"

namespace partita {

const char* to_string(OperatorFamily family) {
  switch (family) {
    case OperatorFamily::MatrixProduct: return "matrix product";
    case OperatorFamily::Convolution: return "convolution";
    case OperatorFamily::PointwiseConvolution: return "pointwise convolution";
    case OperatorFamily::OddConvolution: return "pointwise convolution of odd planes";
    case OperatorFamily::GroupedConvolution: return "grouped convolution";
    case OperatorFamily::Attention: return "attention";
    case OperatorFamily::Recurrent: return "recurrent";
    case OperatorFamily::Normalization: return "normalization";
    case OperatorFamily::BatchNormalization: return "batch normalization";
    case OperatorFamily::ChannelScaling: return "channel scaling";
    case OperatorFamily::Softmax: return "softmax";
    case OperatorFamily::Elementwise: return "elementwise";
    case OperatorFamily::Reduction: return "reduction";
    case OperatorFamily::Pooling: return "pooling";
    case OperatorFamily::Lookup: return "lookup";
    case OperatorFamily::Scatter: return "scatter";
    case OperatorFamily::Movement: return "movement";
    case OperatorFamily::Concatenation: return "concatenation";
    case OperatorFamily::View: return "view";
    case OperatorFamily::Control: return "control";
    case OperatorFamily::Source: return "source";
    case OperatorFamily::Other: return "other";
  }
  return "other";
}

bool is_convolution(OperatorFamily family) {
  return family == OperatorFamily::Convolution || family == OperatorFamily::PointwiseConvolution ||
         family == OperatorFamily::OddConvolution || family == OperatorFamily::GroupedConvolution;
}

double Network::parameters() const {
  double sum = 0;
  for (const Weight& weight : weights) sum += weight.parameters;
  return sum;
}

double Network::flops() const {
  double sum = 0;
  for (const Operator& op : operators) sum += op.flops.value_or(0);
  return sum;
}

}  // namespace partita
