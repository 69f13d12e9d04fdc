// SPDX-License-Identifier: Apache-2.0
// Where the published and measured workloads are that the project does not ship. Tests that need them skip without.
#pragma once

#include <filesystem>
#include <optional>

namespace partita::detail {

// The folder that PARTITA_WORKLOADS names, else ../shared/workloads beside the checkout, if it is there.
std::optional<std::filesystem::path> workloads_folder();

// The folder of the sources: examples/, docs/.
std::filesystem::path source_folder();

// What a test says when it skips for want of that folder.
inline constexpr const char* kNoWorkloads =
    "the published workloads are not here: set PARTITA_WORKLOADS to the folder that holds them to run this test";

}  // namespace partita::detail
