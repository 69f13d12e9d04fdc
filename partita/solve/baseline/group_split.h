// SPDX-License-Identifier: Apache-2.0
// Groups on devices as a split of the problem: what every baseline ends with.
#pragma once

#include "partita/model/problem.h"
#include "partita/model/split.h"
#include "partita/reduce/staged_instance.h"

namespace partita {

// `device_of`: accelerators from 0, then hosts, as the instance's platform counts them.
Split split_of_groups(const Problem& problem, const StagedInstance& instance,
                      const IdVector<GroupId, DeviceId>& device_of);

}  // namespace partita
