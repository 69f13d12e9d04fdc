// SPDX-License-Identifier: Apache-2.0
// Where more of the parameter stops paying.
#pragma once

#include <string>

#include "partita/model/sweep.h"

namespace partita::detail {

// Sets `enough` and `verdict` from the points. `splits`: what the bounds speak of, "staged split" (check/claims.h).
void judge(Sweep& sweep, const std::string& splits);

}  // namespace partita::detail
