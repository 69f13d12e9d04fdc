// SPDX-License-Identifier: Apache-2.0
// Reads a workload file, recognised by content: the paper's JSON, plain or gzipped (docs/formats.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "partita/model/workload.h"

namespace partita {

// What to use instead of the file's own platform. A field that is overridden need not be in the file.
struct PlatformOverrides {
  std::optional<int> accelerators;  // for maxFPGAs
  std::optional<double> memory;     // bytes per accelerator, for maxSizePerFPGA; kUnlimited is allowed
  std::optional<int> hosts;         // for maxCPUs
};

// More devices of one kind than this are taken for a mistake.
inline constexpr int kMaxDevicesOfAKind = 1'000'000;

// `path` may be "-" for standard input. Throws InputError; the workload returned keeps every invariant of Graph.
Workload read_workload(const std::string& path, const PlatformOverrides& overrides = {});

// The same from bytes in memory; `source` is the name used in error messages.
Workload parse_workload(std::string_view bytes, const std::string& source, const PlatformOverrides& overrides = {});

}  // namespace partita
