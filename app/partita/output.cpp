// SPDX-License-Identifier: Apache-2.0
#include "app/partita/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <tuple>

#include "app/partita/terminal.h"

namespace partita::app {
namespace {

namespace fs = std::filesystem;

std::string beside(const std::string& target) { return fmt::format("{}.{}.tmp", target, getpid()); }

int create(const std::string& temporary) {
  return open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

// Closes the descriptor in any case; false, with errno set, when a byte may not have arrived.
bool write_and_close(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int reason = errno;
      close(file);
      errno = reason;
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return close(file) == 0;
}

}  // namespace

Output::Output(std::string path, std::string option)
    : path_(std::move(path)), option_(std::move(option)), target_(path_) {
  if (is_stdout()) return;
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (fs::is_directory(status)) throw unwritable("it is a directory");
  if (fs::exists(status)) {
    if (access(path_.c_str(), W_OK) != 0) throw unwritable(std::strerror(errno));
    in_place_ = !fs::is_regular_file(status);
    if (in_place_) return;
    target_ = fs::canonical(path_, error).string();
    if (error) throw unwritable(error.message());
  }
  const std::string temporary = beside(target_);
  const int file = create(temporary);
  if (file < 0) throw unwritable(std::strerror(errno));
  close(file);
  unlink(temporary.c_str());
}

void refuse_two_on_stdout(const std::vector<OutputOption>& outputs) {
  const char* first = nullptr;
  for (const OutputOption& output : outputs) {
    if (output.path != "-") continue;
    if (first) {
      throw InputError(ErrorKind::Usage, output.option,
                       fmt::format("'-' is already the output of {}; only one can be standard output", first));
    }
    first = output.option;
  }
}

InputError Output::unwritable(const std::string& why) const {
  return InputError(ErrorKind::Unwritable, is_stdout() ? "standard output" : path_,
                    fmt::format("cannot be written: {}; choose another output with {}", why, option_));
}

void Output::write(const std::string& text) const {
  if (is_stdout() || in_place_) {
    const int file = is_stdout() ? dup(STDOUT_FILENO) : open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0 || !write_and_close(file, text)) {
      throw unwritable(std::strerror(errno));
    }
    return;
  }
  struct stat old {};
  const bool replaces = stat(target_.c_str(), &old) == 0;
  const std::string temporary = beside(target_);
  const int file = create(temporary);
  if (file < 0) throw unwritable(std::strerror(errno));
  // A file that is replaced keeps its permissions; where that is refused, the new file's own serve as well.
  if (replaces) std::ignore = fchmod(file, old.st_mode & 07777);
  if (!write_and_close(file, text) || std::rename(temporary.c_str(), target_.c_str()) != 0) {
    const int reason = errno;
    unlink(temporary.c_str());
    throw unwritable(std::strerror(reason));
  }
}

void print_report(const std::string& report, bool stdout_taken) {
  if (stdout_taken) {
    put_error(report);
  } else {
    Output("-").write(report);
  }
}

}  // namespace partita::app
