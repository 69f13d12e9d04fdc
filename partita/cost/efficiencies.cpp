// SPDX-License-Identifier: Apache-2.0
#include "partita/cost/efficiencies.h"

namespace partita {

Efficiencies calibrated_efficiencies() {
  struct Row {
    OperatorFamily family;
    Efficiency forward, backward;
  };
  constexpr Efficiency kAssumed{0.5, 0.5, 0, false};
  constexpr Efficiency kGrouped{0.1, 0.3, 0, false};
  constexpr Efficiency kAtOnce{1, 1, 0, false};
  static constexpr Row kRows[] = {
      {OperatorFamily::MatrixProduct, {0.78, 0.8, 1.5e-6, true}, {0.78, 0.8, 1.5e-6, true}},
      {OperatorFamily::Convolution, {0.21, 0.11, 6e-6, true, 6.4e-9, 0}, {1, 0.06, 16e-6, true, 16e-9, 0}},
      {OperatorFamily::PointwiseConvolution, {0.57, 0.83, 1.5e-6, true}, {0.33, 0.62, 8e-6, true, 31e-9, 0}},
      {OperatorFamily::OddConvolution, {0.16, 0.16, 0.5e-6, true, 11e-9, 0}, {0.07, 0.12, 1.5e-6, true, 26e-9, 0}},
      {OperatorFamily::GroupedConvolution, kGrouped, kGrouped},
      {OperatorFamily::Attention, {0.7, 0.82, 2e-6, true}, {0.7, 0.82, 2e-6, true}},
      {OperatorFamily::Recurrent, kAssumed, kAssumed},
      {OperatorFamily::Normalization, {1, 0.4, 1.5e-6, true}, {1, 0.28, 3e-6, true}},
      {OperatorFamily::BatchNormalization, {1, 0.19, 4e-6, true, 0.77e-9, 0.97e-9}, {1, 0.23, 0, true, 1.8e-9, 0}},
      {OperatorFamily::ChannelScaling, {1, 0.37, 3e-6, true, 0, 0.67e-9}, {1, 0.37, 3e-6, true, 0, 0.67e-9}},
      {OperatorFamily::Softmax, {1, 0.56, 4e-6, true}, {1, 0.44, 4e-6, true}},
      {OperatorFamily::Elementwise, {1, 0.69, 0, true}, {1, 0.88, 0, true}},
      {OperatorFamily::Reduction, {1, 0.44, 2e-6, true}, {1, 0.44, 2e-6, true}},
      {OperatorFamily::Pooling, {1, 0.24, 0, true, 0, 13e-12}, {1, 0.097, 48e-6, true, 0, 13e-12}},
      {OperatorFamily::Lookup, {1, 0.15, 1e-6, true}, {1, 0.15, 1e-6, true}},
      {OperatorFamily::Scatter, {1, 0.27, 32e-6, true, 0, 83e-12}, {1, 0.27, 32e-6, true, 0, 83e-12}},
      {OperatorFamily::Movement, {1, 0.36, 0.5e-6, true}, {1, 0.44, 1.5e-6, true}},
      {OperatorFamily::Concatenation, {1, 0.39, 0.5e-6, true}, {1, 0.39, 0.5e-6, true}},
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
