// SPDX-License-Identifier: Apache-2.0
#include "partita/model/result.h"

#include <algorithm>

namespace partita {

double Result::gap() const {
  if (!split) return 1;
  if (value <= 0) return 0;
  return std::max(0.0, (value - bound) / value);
}

const char* to_string(Status status) {
  switch (status) {
    case Status::Optimal: return "optimal";
    case Status::Feasible: return "feasible";
    case Status::Infeasible: return "infeasible";
    case Status::Unknown: return "unknown";
  }
  return "?";
}

}  // namespace partita
