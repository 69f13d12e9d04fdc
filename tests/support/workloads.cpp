// SPDX-License-Identifier: Apache-2.0
#include "tests/support/workloads.h"

#include <cstdlib>

namespace partita {

std::optional<std::filesystem::path> workloads_folder() {
  const char* named = std::getenv("PARTITA_WORKLOADS");
  const std::filesystem::path folder = named && *named
                                           ? std::filesystem::path(named)
                                           : std::filesystem::path(PARTITA_SOURCE_DIR) / ".." / "shared" / "workloads";
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) return std::nullopt;
  return folder.lexically_normal();
}

}  // namespace partita
