// SPDX-License-Identifier: Apache-2.0
#include "app/shared/terminal_width.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace partita::detail::app {
namespace {

constexpr std::size_t kUsualWidth = 80;  // also of a terminal that does not tell
constexpr std::size_t kLeastWidth = 60;

// What the user says where no terminal tells, as many programs take it.
std::size_t width_by_environment() {
  const char* text = std::getenv("COLUMNS");
  std::size_t width = 0;
  if (!text || std::from_chars(text, text + std::strlen(text), width).ec != std::errc()) return kUsualWidth;
  return width;
}

}  // namespace

bool is_terminal(int descriptor) { return isatty(descriptor) != 0; }

std::optional<std::size_t> terminal_width(int descriptor) {
  if (!is_terminal(descriptor)) return std::nullopt;
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualWidth;
}

std::size_t page_width(int descriptor) {
  const std::optional<std::size_t> terminal = terminal_width(descriptor);
  return std::max(kLeastWidth, terminal ? *terminal : width_by_environment());
}

}  // namespace partita::detail::app
