// SPDX-License-Identifier: Apache-2.0
#include "app/partita/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <random>

namespace partita::detail::app {
namespace {

constexpr int kTries = 16;

// A signal handler can reach nothing but globals. The name stays where it is for as long as this points to it.
std::atomic<const char*> present{nullptr};

// Keeps signals away while a file exists and nobody knows of it.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &old_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t old_{};
};

std::string folder_of(const std::string& target) {
  const std::string folder = std::filesystem::path(target).parent_path().string();
  return folder.empty() ? "." : folder;
}

// Not every file system can do this, and then there is nothing more to be done.
bool bring_to_disk(int file) { return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS; }

}  // namespace

TemporaryFile::TemporaryFile(const std::string& target) : target_(target) {
  std::random_device random;
  const SignalsBlocked blocked;
  for (int i = 0; i < kTries && file_ < 0; ++i) {
    name_ = fmt::format("{}/.partita-{}-{:08x}.tmp", folder_of(target), getpid(), random());
    file_ = open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0 && errno != EEXIST) return;
  }
  if (file_ >= 0) present.store(name_.c_str());
}

TemporaryFile::~TemporaryFile() {
  const int reason = errno;
  remove_temporary_file();
  if (file_ >= 0) close(file_);
  errno = reason;
}

bool TemporaryFile::replace_target() {
  const bool on_disk = bring_to_disk(file_);
  const int reason = errno;
  const bool closed = close(file_) == 0;
  file_ = -1;
  if (!on_disk) errno = reason;
  if (!on_disk || !closed || std::rename(name_.c_str(), target_.c_str()) != 0) return false;
  present.store(nullptr);
  // The file is complete in any case; this makes its name last too.
  const int folder = open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return true;
  bring_to_disk(folder);
  close(folder);
  return true;
}

void remove_temporary_file() {
  if (const char* name = present.exchange(nullptr)) unlink(name);
}

}  // namespace partita::detail::app
