// SPDX-License-Identifier: Apache-2.0
#include "partita/cost/efficiencies.h"

namespace partita {

Efficiencies calibrated_efficiencies() {
  struct Row {
    OperatorFamily family;
    Efficiency forward, backward;
  };
  constexpr Efficiency kAssumed{0.5, 0.5, 0, false};
  constexpr Efficiency kAtOnce{1, 1, 0, false};
  static constexpr Row kRows[] = {
      {OperatorFamily::MatrixProduct, {0.78, 0.8, 1.5e-6, true}, {0.78, 0.8, 1.5e-6, true}},
      {OperatorFamily::Convolution, {0.17, 0.23, 8e-6, true}, {0.4, 0.098, 16e-6, true}},
      {OperatorFamily::PointwiseConvolution, {0.6, 0.6, 0, false}, {0.6, 0.6, 0, false}},
      {OperatorFamily::OddConvolution, {0.4, 0.4, 0, false}, {0.4, 0.4, 0, false}},
      {OperatorFamily::GroupedConvolution, {0.1, 0.3, 0, false}, {0.1, 0.3, 0, false}},
      {OperatorFamily::ChannelScaling, {1, 0.4, 0, false}, {1, 0.4, 0, false}},
      {OperatorFamily::Concatenation, {1, 0.6, 0, false}, {1, 0.6, 0, false}},
      {OperatorFamily::Attention, {0.7, 0.82, 2e-6, true}, {0.7, 0.82, 2e-6, true}},
      {OperatorFamily::Recurrent, kAssumed, kAssumed},
      {OperatorFamily::Normalization, {1, 0.4, 1.5e-6, true}, {1, 0.28, 3e-6, true}},
      {OperatorFamily::BatchNormalization, {1, 0.15, 4e-6, true}, {1, 0.098, 0, true}},
      {OperatorFamily::Softmax, {1, 0.56, 4e-6, true}, {1, 0.44, 4e-6, true}},
      {OperatorFamily::Elementwise, {1, 0.68, 0, true}, {1, 0.88, 0, true}},
      {OperatorFamily::Reduction, {1, 0.44, 2e-6, true}, {1, 0.44, 2e-6, true}},
      {OperatorFamily::Pooling, {1, 0.15, 8e-6, true}, {1, 0.095, 48e-6, true}},
      {OperatorFamily::Lookup, {1, 0.16, 1e-6, true}, {1, 0.16, 1e-6, true}},
      {OperatorFamily::Scatter, {1, 0.078, 48e-6, true}, {1, 0.078, 48e-6, true}},
      {OperatorFamily::Movement, {1, 0.56, 0, true}, {1, 0.44, 1.5e-6, true}},
      {OperatorFamily::View, kAtOnce, kAtOnce},
      {OperatorFamily::Control, kAssumed, kAssumed},
      {OperatorFamily::Source, kAtOnce, kAtOnce},
      {OperatorFamily::Other, kAssumed, kAssumed},
  };
  Efficiencies table;
  for (const Row& row : kRows) {
    table.of(row.family, false) = row.forward;
    table.of(row.family, true) = row.backward;
  }
  return table;
}

}  // namespace partita
