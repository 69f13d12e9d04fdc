// SPDX-License-Identifier: Apache-2.0
// A file in memory without being read: what nobody looks at stays on the disk. For headers of large files.
#pragma once

#include <string>
#include <string_view>

namespace partita::detail {

class MappedFile {
 public:
  // Throws InputError(Unreadable). A file that shrinks while it is mapped ends the program where it is read.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace partita::detail
