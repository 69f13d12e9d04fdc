// SPDX-License-Identifier: Apache-2.0
#include "app/shared/standard_streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "partita/util/error.h"

namespace partita::detail::app {

void occupy_standard_streams() {
  std::signal(SIGPIPE, SIG_IGN);  // a write to a pipe that nobody reads is then an error like others
  // The first two the wrong way round, so that using them fails.
  constexpr int kModes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const bool closed = fcntl(stream, F_GETFD) < 0 && errno == EBADF;
    if (closed) open("/dev/null", kModes[stream]);  // gets the lowest number that is free, which is this
  }
}

bool write_all(int file, const std::string& text) {
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t written = ::write(file, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void write_stdout(const std::string& text, const std::string& advice) {
  // Some disks tell when a file is closed that it could not be written.
  const int file = dup(STDOUT_FILENO);
  if (file >= 0 && write_all(file, text) && close(file) == 0) return;
  if (errno == EPIPE) throw ReaderGone();
  throw InputError(ErrorKind::Unwritable, "standard output",
                   fmt::format("cannot be written: {}; {}", std::strerror(errno), advice));
}

}  // namespace partita::detail::app
