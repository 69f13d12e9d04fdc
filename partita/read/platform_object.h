// SPDX-License-Identifier: Apache-2.0
// A platform within another document: a workload, or a plan.
#pragma once

#include "partita/read/fields.h"
#include "partita/read/platform.h"
#include "partita/read/unknown_fields.h"

namespace partita::detail {

// As read_platform, without notes: fields that it should not have go to `unknown`.
PlatformSpec read_platform_object(const ObjectView& object, UnknownFields& unknown);

}  // namespace partita::detail
