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
      {OperatorFamily::MatrixProduct, {0.80, 0.80, 2e-6, true}, {0.80, 0.80, 2e-6, true}},
      {OperatorFamily::Convolution, {0.16, 0.15, 0, true}, {0.80, 0.08, 0, true}},
      {OperatorFamily::Attention, {0.80, 0.77, 0, true}, {0.80, 0.77, 0, true}},
      {OperatorFamily::Recurrent, kAssumed, kAssumed},
      {OperatorFamily::Normalization, {1, 0.17, 0, true}, {1, 0.11, 0, true}},
      {OperatorFamily::BatchNormalization, {1, 0.17, 0, true}, {1, 0.11, 0, true}},
      {OperatorFamily::Softmax, {1, 0.50, 0, true}, {1, 0.43, 0, true}},
      {OperatorFamily::Elementwise, {1, 0.66, 0, true}, {1, 0.85, 0, true}},
      {OperatorFamily::Reduction, {1, 0.33, 0, true}, {1, 0.33, 0, true}},
      {OperatorFamily::Pooling, {1, 0.14, 0, true}, {1, 0.08, 0, true}},
      {OperatorFamily::Lookup, {1, 0.10, 0, true}, {1, 0.10, 0, true}},
      {OperatorFamily::Scatter, {1, 0.06, 0, true}, {1, 0.06, 0, true}},
      {OperatorFamily::Movement, {1, 0.55, 0, true}, {1, 0.55, 0, true}},
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
