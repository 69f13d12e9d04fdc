// SPDX-License-Identifier: Apache-2.0
#include "partita/read/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "partita/util/error.h"

namespace partita::detail {
namespace {

[[noreturn]] void fail(const std::string& path, int error_number) {
  throw InputError(ErrorKind::Unreadable, path,
                   fmt::format("cannot be opened: {}; expected a file that can be read",
                               std::generic_category().message(error_number)));
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail(path, errno);
  struct stat about {};
  void* mapped = nullptr;
  int error_number = fstat(file, &about) == 0 ? 0 : errno;
  if (error_number == 0 && !S_ISREG(about.st_mode)) error_number = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
  if (error_number == 0 && about.st_size > 0) {
    size_ = static_cast<std::size_t>(about.st_size);
    mapped = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped == MAP_FAILED) error_number = errno;
  }
  close(file);
  if (error_number != 0) fail(path, error_number);
  data_ = static_cast<const char*>(mapped);
}

MappedFile::~MappedFile() {
  if (data_) munmap(const_cast<char*>(data_), size_);
}

}  // namespace partita::detail
