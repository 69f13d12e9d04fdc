// SPDX-License-Identifier: Apache-2.0
// HiGHS, in a process of its own (process_backend.h), where this build has it.
//
// Called through its C interface, which changed least from version to version (1.7 or later). One thread, so that the
// same question has the same answer. HiGHS tells of each better solution in the columns of the model, and of its bound
// whenever it looks at its limits. Iterations of linear programs are the work that counts; those of the small searches
// inside its heuristics come in one piece.
//
// Its tolerances are absolute, and as for CBC made for objectives of about 1000: rows and whole numbers hold to
// 1e-7, reduced costs to a tenth of it, and solutions must be better by it.
#pragma once

#include "partita/model/settings/mip.h"
#include "partita/solve/mip/process_backend.h"

namespace partita::detail {

bool highs_is_here();

class HighsBackend : public ProcessBackend {
 public:
  // Of the settings, those about the solver itself. Precondition: highs_is_here().
  explicit HighsBackend(const MipSettings& settings = {});
};

}  // namespace partita::detail
