// SPDX-License-Identifier: Apache-2.0
// Texts of integer programs that every mixed-integer solver reads.
#pragma once

namespace partita {

enum class ModelFormat {
  Mps,  // free MPS
  Lp,   // CPLEX LP
};

}  // namespace partita
