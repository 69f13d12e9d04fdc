// SPDX-License-Identifier: Apache-2.0
#include "app/partita/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <tuple>

#include "app/partita/temporary_file.h"
#include "app/partita/terminal.h"
#include "app/shared/standard_streams.h"

namespace partita::detail::app {
namespace {

namespace fs = std::filesystem;

// Which file a path leads to: whatever its name, and whether or not it exists already.
struct FileIdentity {
  bool exists = false;
  dev_t device = 0;
  ino_t number = 0;
  std::string name;  // of one that does not exist

  bool operator==(const FileIdentity&) const = default;
};

std::optional<FileIdentity> identity(const struct stat& status) {
  if (!S_ISREG(status.st_mode)) return std::nullopt;  // writing to a terminal twice destroys nothing
  return FileIdentity{true, status.st_dev, status.st_ino, ""};
}

std::optional<FileIdentity> identity(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 ? identity(status) : std::nullopt;
}

std::optional<FileIdentity> identity(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) return identity(status);
  std::error_code error;
  const fs::path folder = fs::canonical(fs::absolute(path).parent_path(), error);
  if (error) return std::nullopt;
  return FileIdentity{false, 0, 0, (folder / fs::path(path).filename()).string()};
}

struct NamedFile {
  FileIdentity file;
  std::string name;
};

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
  } else if (fs::path(path_).filename().empty()) {
    throw unwritable("it names no file");
  }
  if (!TemporaryFile(target_).is_open()) throw unwritable(std::strerror(errno));
}

void refuse_clashes(const std::vector<OutputOption>& outputs, const std::vector<std::string>& inputs) {
  std::vector<NamedFile> taken;
  for (const std::string& input : inputs) {
    if (input.empty()) continue;
    if (const auto file = input == "-" ? identity(STDIN_FILENO) : identity(input))
      taken.push_back({*file, input == "-" ? "standard input" : "an input"});
  }
  const char* on_stdout = nullptr;
  for (const OutputOption& output : outputs) {
    if (output.path.empty()) continue;
    if (output.path == "-" && on_stdout) {
      throw InputError(ErrorKind::Usage, output.option,
                       fmt::format("'-' is already the output of {}; only one can be standard output", on_stdout));
    }
    if (output.path == "-") on_stdout = output.option;
    const auto file = output.path == "-" ? identity(STDOUT_FILENO) : identity(output.path);
    if (!file) continue;
    const auto same = std::ranges::find(taken, *file, &NamedFile::file);
    if (same != taken.end()) {
      throw InputError(ErrorKind::Usage, output.option,
                       fmt::format("'{}' is the same file as {}; choose another", output.path, same->name));
    }
    taken.push_back({*file, fmt::format("the output of {}", output.option)});
  }
}

InputError Output::unwritable(const std::string& why) const {
  return InputError(ErrorKind::Unwritable, path_,
                    fmt::format("cannot be written: {}; choose another output with {}", why, option_));
}

void Output::write(const std::string& text) const {
  if (is_stdout()) return write_stdout(text, fmt::format("choose another output with {}", option_));
  if (in_place_) {
    const int file = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) throw unwritable(std::strerror(errno));
    const bool written = write_all(file, text);
    const int reason = errno;
    if (close(file) != 0) throw unwritable(std::strerror(errno));
    if (!written) throw unwritable(std::strerror(reason));
    return;
  }
  struct stat old {};
  const bool replaces = stat(target_.c_str(), &old) == 0;
  TemporaryFile file(target_);
  if (!file.is_open()) throw unwritable(std::strerror(errno));
  // A file that is replaced keeps its permissions; where that is refused, the new file's own serve as well.
  if (replaces) std::ignore = fchmod(file.descriptor(), old.st_mode & 07777);
  if (!write_all(file.descriptor(), text) || !file.replace_target()) throw unwritable(std::strerror(errno));
}

void print_report(const std::string& report, bool stdout_taken) {
  if (stdout_taken) {
    put_error(report);
  } else {
    Output("-").write(report);
  }
}

}  // namespace partita::detail::app
