// SPDX-License-Identifier: Apache-2.0
// What shrink did, in the words of a certificate: groups by a node of theirs.
#pragma once

#include <cstdint>

#include "partita/model/certificate.h"
#include "partita/reduce/shrink_nets.h"

namespace partita::detail {

// `name` has the original id of some node of each group; costs are told in units of the limit / 2^40.
Certificate::Step removal_step(const ShrinkLog::Removal& removal, const IdVector<GroupId, std::int64_t>& name,
                               double limit);

}  // namespace partita::detail
