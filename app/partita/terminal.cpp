// SPDX-License-Identifier: Apache-2.0
#include "app/partita/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace partita::app {
namespace {

constexpr std::size_t kUsualWidth = 80;  // of a terminal that does not tell

}  // namespace

bool is_terminal(int descriptor) { return isatty(descriptor) != 0; }

std::optional<std::size_t> terminal_width(int descriptor) {
  if (!is_terminal(descriptor)) return std::nullopt;
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualWidth;
}

void put_error(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

void put_live_line(const std::string& text) {
  const std::size_t width = terminal_width(STDERR_FILENO).value_or(kUsualWidth);
  put_error("\r\033[K" + text.substr(0, width - 1));
}

}  // namespace partita::app
