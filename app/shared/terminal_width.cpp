// SPDX-License-Identifier: Apache-2.0
#include "app/shared/terminal_width.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace partita::app {
namespace {

constexpr std::size_t kUsualWidth = 80;  // also of a terminal that does not tell
constexpr std::size_t kLeastWidth = 60;

}  // namespace

bool is_terminal(int descriptor) { return isatty(descriptor) != 0; }

std::optional<std::size_t> terminal_width(int descriptor) {
  if (!is_terminal(descriptor)) return std::nullopt;
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualWidth;
}

std::size_t page_width(int descriptor) {
  return std::max(kLeastWidth, terminal_width(descriptor).value_or(kUsualWidth));
}

}  // namespace partita::app
