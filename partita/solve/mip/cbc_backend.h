// SPDX-License-Identifier: Apache-2.0
// COIN-OR CBC, in this process.
//
// Called through CbcMain1, as CBC's own program does, for its preprocessing, cuts and heuristics: branchAndBound() on a
// bare CbcModel has none of them. The event handler sees the preprocessed model, whose columns are others, so a
// solution is only read at the end, when CBC has mapped it back; a stop asked for by the handler keeps it.
//
// CBC's tolerances are absolute: solutions must be better by 1e-5 (`increment`), rows hold to 1e-7. They are meant for
// objectives of about 1000, so whoever makes the model should choose the unit accordingly.
#pragma once

#include "partita/solve/mip/backend.h"

namespace partita {

class CbcBackend : public MipBackend {
 public:
  const char* name() const override { return "CBC"; }
  MipOutcome solve(const MipRequest& request, Budget& budget) override;
};

}  // namespace partita
