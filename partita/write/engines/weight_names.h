// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "partita/model/network.h"
#include "partita/model/workload.h"
#include "partita/write/engines/engine.h"

namespace partita::detail {

// What the model's file calls the weights of each node of the workload that was made of it.
WeightNames weight_names(const Network& network, const Workload& workload);

}  // namespace partita::detail
