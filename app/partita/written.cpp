// SPDX-License-Identifier: Apache-2.0
#include "app/partita/written.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "app/partita/terminal.h"
#include "partita/util/visible_text.h"

namespace partita::detail::app {

std::string file_size_text(double bytes) {
  static constexpr std::array kUnits{"kB", "MB", "GB", "TB"};
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  std::size_t unit = 0;
  bytes /= 1000;
  // 999.95 would be printed as 1000.0, so it moves up.
  for (; bytes >= 999.95 && unit + 1 < kUnits.size(); ++unit) bytes /= 1000;
  return fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

void tell_written(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::error_code error;
    if (path.empty() || path == "-" || !std::filesystem::is_regular_file(path, error)) continue;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error) continue;
    put_error(fmt::format("wrote {} ({})\n", visible(path), file_size_text(static_cast<double>(size))));
  }
}

}  // namespace partita::detail::app
