// SPDX-License-Identifier: Apache-2.0
// The rule of memory: a device holds at most its limit, compared exactly, with no slack anywhere.
//
// That works only if the sum of some sizes is the same number in whatever order they are added, as `check`, the solvers
// and their bounds all add in orders of their own. So sizes are multiples of one power of two, of which all of them
// together are fewer than 2^53: every sum, and every difference of sums, is then exact in double precision. Whole bytes
// below 4 PiB in total are that as they stand.
#pragma once

#include "partita/model/workload.h"

namespace partita::detail {

// Whether they are that already.
bool memory_sums_are_exact(const Workload& workload);

// Cuts off what of a size or a limit is less than that power of two, or than 2^-200; of whole bytes below 4 PiB in
// total nothing is. Doing it twice changes nothing. Readers and GraphBuilder call it, and made_sound() for the rest.
void make_memory_sums_exact(Workload& workload);

}  // namespace partita::detail
