// SPDX-License-Identifier: Apache-2.0
// Reads a workload file, recognised by content: the paper's JSON, plain or gzipped (docs/formats.md).
#pragma once

#include <string>
#include <string_view>

#include "partita/model/workload.h"
#include "partita/read/platform_overrides.h"
#include "partita/read/read_options.h"

namespace partita {

// `path` may be "-" for standard input. Throws InputError; the workload returned keeps every invariant of Graph.
// `devices`: where to put the platform with what the nodes' times were made of.
Workload read_workload(const std::string& path, const PlatformOverrides& overrides = {},
                       const ReadOptions& options = {}, PlatformSpec* devices = nullptr);

// The same from bytes in memory; `source` is the name used in error messages.
Workload parse_workload(std::string_view bytes, const std::string& source, const PlatformOverrides& overrides = {},
                        const ReadOptions& options = {}, PlatformSpec* devices = nullptr);

}  // namespace partita
