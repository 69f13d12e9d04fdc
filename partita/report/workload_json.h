// SPDX-License-Identifier: Apache-2.0
// Writes a workload as the paper's JSON (docs/formats.md); reading it back gives the same workload.
#pragma once

#include <string>

#include "partita/model/workload.h"

namespace partita {

// One node and one edge per line. Throws InputError(Unsupported) for a platform that the format cannot express: it
// knows one class of accelerators and one of hosts without memory limit.
std::string workload_json(const Workload& workload);

}  // namespace partita
