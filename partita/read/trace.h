// SPDX-License-Identifier: Apache-2.0
// Reads the trace of a run in the format that `partita simulate --trace` writes (docs/formats.md).
#pragma once

#include <string>
#include <string_view>

#include "partita/model/run_trace.h"
#include "partita/read/read_options.h"

namespace partita {

// `path` may be "-" for standard input. Throws InputError for what is no such trace: one slice of a lane overlaps
// another, a time is negative, nothing runs. Whether it is that of a plan is for `measured_run` (schedule) to say.
RunTrace read_trace(const std::string& path, const ReadOptions& options = {});
RunTrace parse_trace(std::string_view bytes, const std::string& source, const ReadOptions& options = {});

}  // namespace partita
