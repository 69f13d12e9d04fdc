// SPDX-License-Identifier: Apache-2.0
// Platforms as objects of workloads and plans (docs/formats.md, "Platforms").
#pragma once

#include "partita/model/platform_spec.h"
#include "partita/util/json_writer.h"

namespace partita::detail {

// Of a physical platform, links are bandwidths and classes say what they can do.
void write_platform(const PlatformSpec& spec, JsonWriter& json);

}  // namespace partita::detail
