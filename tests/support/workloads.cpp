// SPDX-License-Identifier: Apache-2.0
#include "tests/support/workloads.h"

#include <cstdlib>

namespace partita::detail {

std::filesystem::path source_folder() { return PARTITA_SOURCE_DIR; }

std::optional<std::filesystem::path> workloads_folder() {
  const char* named = std::getenv("PARTITA_WORKLOADS");
  const std::filesystem::path folder =
      named && *named ? std::filesystem::path(named) : source_folder() / ".." / "shared" / "workloads";
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) return std::nullopt;
  return folder.lexically_normal();
}

}  // namespace partita::detail
