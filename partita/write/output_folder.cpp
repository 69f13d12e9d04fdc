// SPDX-License-Identifier: Apache-2.0
#include "partita/write/output_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <system_error>

namespace partita::detail {
namespace {

namespace fs = std::filesystem;

fs::path name_beside(const fs::path& target) {
  std::random_device random;
  return target.parent_path() / fmt::format(".partita-{}-{:08x}.tmp", getpid(), random());
}

void bring_folder_to_disk(const fs::path& folder) {
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);  // where a file system cannot do this, there is nothing more to be done
  close(file);
}

}  // namespace

OutputFolder::OutputFolder(std::string path, bool force, const WhyNotOurs& why_not_ours) : given_(std::move(path)) {
  std::error_code error;
  target_ = fs::absolute(given_, error).lexically_normal();
  if (!target_.has_filename()) target_ = target_.parent_path();
  if (error || !target_.has_filename()) throw unwritable("it names no folder");
  const fs::file_status status = fs::status(target_, error);
  if (fs::exists(status)) {
    if (!fs::is_directory(status)) throw unwritable("there is a file of that name");
    target_ = fs::canonical(target_, error);
    if (error) throw unwritable(error.message());
    const bool is_empty = fs::is_empty(target_, error);
    if (error) throw unwritable(error.message());
    if (!is_empty) {
      const std::string why = why_not_ours(target_);
      if (!why.empty()) throw unwritable(fmt::format("the folder is not empty, and {}", why));
      if (!force) throw unwritable("it holds stages already, which OutputFolder::force replaces");
      replaces_ = true;
    }
  }
  temporary_ = make_beside();
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!kept_) fs::remove_all(temporary_, ignored);
}

fs::path OutputFolder::make_beside() const {
  constexpr int kTries = 16;
  for (int i = 0; i < kTries; ++i) {
    const fs::path made = name_beside(target_);
    if (mkdir(made.c_str(), 0777) == 0) return made;
    if (errno != EEXIST) break;
  }
  throw unwritable(std::strerror(errno));
}

InputError OutputFolder::unwritable(const std::string& why) const {
  return InputError(ErrorKind::Unwritable, given_,
                    fmt::format("cannot be written: {}; choose another with OutputFolder::path", why));
}

void OutputFolder::keep() {
  bring_folder_to_disk(temporary_);
  fs::path old;
  if (replaces_) {
    old = name_beside(target_);
    if (std::rename(target_.c_str(), old.c_str()) != 0) throw unwritable(std::strerror(errno));
  }
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
    const int reason = errno;
    if (replaces_ && std::rename(old.c_str(), target_.c_str()) != 0) {
      throw unwritable(fmt::format("{}; what it held is in {}", std::strerror(reason), old.string()));
    }
    throw unwritable(std::strerror(reason));
  }
  kept_ = true;
  bring_folder_to_disk(target_.parent_path());
  std::error_code ignored;
  if (replaces_) fs::remove_all(old, ignored);
}

}  // namespace partita::detail
