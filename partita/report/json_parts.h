// SPDX-License-Identifier: Apache-2.0
// What several reports say in the same way (docs/formats.md). As everywhere in this room, `add_...` adds fields to the
// object that is being written, and `write_...` writes one value.
#pragma once

#include <string>

#include "partita/check/check.h"
#include "partita/util/json_writer.h"

namespace partita::detail {

// Adds the field that every file of ours starts with: what it is, in which version, and who wrote it.
void add_format(const char* format, int format_version, JsonWriter& json);

// Adds time_unit, where it is known.
void add_time_unit(const std::string& unit, JsonWriter& json);

// The times of one pass on a device, or of a piece of it.
void add_pass(const PassLoad& pass, JsonWriter& json);
void write_pass(const PassLoad& pass, JsonWriter& json);

}  // namespace partita::detail
