// SPDX-License-Identifier: Apache-2.0
// A node of a picture in one line, for who points at it.
#pragma once

#include <string>

#include "partita/model/problem.h"

namespace partita::detail {

// "17 (conv1): Conv, fp16[1,64,56,56], 0.0781 ms, calibrated": what is not known is left out; the time is that on the
// device, which must be one that can run it.
std::string node_remark(const Problem& problem, NodeId node, DeviceId device);

}  // namespace partita::detail
