// SPDX-License-Identifier: Apache-2.0
// Links in a platform's file whose costs are given as factors, and links that several devices are behind.
#pragma once

#include "partita/model/platform_spec.h"
#include "partita/read/fields.h"
#include "partita/read/unknown_fields.h"

namespace partita::detail {

// {"factor": 2, "latency": 0.1}, both in terms of the workload. Throws InputError.
Link read_link(const ObjectView& fields);

// The field "sharedLinks" of a platform whose classes and clusters are read. In a physical platform a link has a bandwidth
// and a latency, or is a known one's name (`link`); else a factor and a latency. Throws InputError.
void read_shared_links(const ObjectView& platform, UnknownFields& unknown, PlatformSpec& spec);

}  // namespace partita::detail
