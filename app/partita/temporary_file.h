// SPDX-License-Identifier: Apache-2.0
// A file that is written under a name of its own, beside the one that it then replaces: whoever looks sees the old file
// or the new one, whole, also after a power cut.
#pragma once

#include <string>

namespace partita::detail::app {

// One at a time. Where something fails, errno says why.
class TemporaryFile {
 public:
  // Names it after the process and at random, so that nobody else's file, or one that was left behind, is in the way.
  explicit TemporaryFile(const std::string& target);
  ~TemporaryFile();  // removes it, unless it has replaced the target
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  bool is_open() const { return file_ >= 0; }
  int descriptor() const { return file_; }
  // Brings it to the disk, closes it and gives it the target's name.
  bool replace_target();

 private:
  std::string target_;
  std::string name_;
  int file_ = -1;
};

// Removes the one there is, if any. Safe in a signal handler.
void remove_temporary_file();

}  // namespace partita::detail::app
