// SPDX-License-Identifier: Apache-2.0
// Reads the inputs of Piper's planner, without tensor parallelism.
#pragma once

#include <string>
#include <string_view>

#include "partita/model/workload.h"
#include "partita/read/platform_overrides.h"
#include "partita/read/read_options.h"

namespace partita::detail {

bool looks_like_piper(std::string_view beginning);

// `path` may be "-". The file's devices are one class of accelerators; `overrides` replaces them. Throws InputError.
Workload read_piper(const std::string& path, const PlatformOverrides& overrides = {}, const ReadOptions& options = {});
Workload parse_piper(std::string_view bytes, const std::string& source, const PlatformOverrides& overrides = {},
                     const ReadOptions& options = {});

}  // namespace partita::detail
