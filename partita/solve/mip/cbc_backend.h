// SPDX-License-Identifier: Apache-2.0
// COIN-OR CBC, in a process of its own (process_backend.h).
//
// Called through CbcMain1, as CBC's own program does, for its preprocessing, cuts and heuristics: branchAndBound() on a
// bare CbcModel has none of them. The event handler sees the preprocessed model, which lacks columns. A solution met
// there is completed by a linear program, with the columns that are known fixed, and reported at once, so that nothing
// is lost wherever the process is ended.
//
// CBC's tolerances are absolute: solutions must be better by 1e-5 (`increment`), rows hold to 1e-7. They are meant for
// objectives of about 1000, so whoever makes the model should choose the unit accordingly. Beyond a ratio of
// coefficients of about 1e10 it claims what is false.
#pragma once

#include "partita/solve/mip/process_backend.h"

namespace partita::detail {

class CbcBackend : public ProcessBackend {
 public:
  CbcBackend();
};

}  // namespace partita::detail
