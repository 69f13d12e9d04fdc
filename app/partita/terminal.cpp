// SPDX-License-Identifier: Apache-2.0
#include "app/partita/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "app/shared/terminal_width.h"
#include "partita/util/text_width.h"

namespace partita::detail::app {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Whether the terminal shows UTF-8, as the first of these that is set says.
bool has_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale = environment(name);
    if (locale.empty()) continue;
    std::ranges::transform(locale, locale.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace

bool can_rewrite_lines(int descriptor) {
  const std::string kind = environment("TERM");
  return is_terminal(descriptor) && !kind.empty() && kind != "dumb";
}

void put_error(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

void put_live_line(const std::string& text) {
  const std::size_t room = terminal_width(STDERR_FILENO).value_or(page_width(STDERR_FILENO)) - 1;
  put_error("\r\033[K" + shortened(text, room, has_utf8() ? "…" : "..."));
}

}  // namespace partita::detail::app
