// SPDX-License-Identifier: Apache-2.0
// Writes a workload as JSON (docs/formats.md): the paper's fields, and ours for what they cannot say. Reading
// it back gives the same workload, to the last bit.
#pragma once

#include <string>

#include "partita/model/workload.h"

namespace partita {

// One node and one edge per line. The paper's platform, one class of accelerators and one of hosts, is written in the
// paper's fields; any other as a platform object.
std::string workload_json(const Workload& workload);

// A platform object, as in a file of its own. What times factors stood for is in the nodes.
std::string platform_json(const Platform& platform);

}  // namespace partita
