// SPDX-License-Identifier: Apache-2.0
#include "partita/read/bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "partita/util/error.h"

namespace partita::detail {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;

std::string reason_of(int error_number) { return std::generic_category().message(error_number); }

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::string& path)
      : source_(source_name(path)), file_(path == "-" ? stdin : std::fopen(path.c_str(), "rb")) {
    if (file_) return;
    throw InputError(ErrorKind::Unreadable, source_,
                     fmt::format("cannot be opened: {}; expected a file that can be read, or - for standard input",
                                 reason_of(errno)));
  }

  std::size_t read(char* into, std::size_t room) override {
    const std::size_t got = std::fread(into, 1, room, file_.get());
    if (got < room && std::ferror(file_.get())) {
      throw InputError(ErrorKind::Unreadable, source_,
                       fmt::format("cannot be read: {}; expected a file, plain or gzipped", reason_of(errno)));
    }
    return got;
  }

 private:
  std::string source_;
  std::unique_ptr<std::FILE, CloseFile> file_;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : rest_(bytes) {}

  std::size_t read(char* into, std::size_t room) override {
    const std::size_t got = rest_.copy(into, room);
    rest_.remove_prefix(got);
    return got;
  }

 private:
  std::string_view rest_;
};

// Bytes that were read already, and those that come after them.
class RejoinedSource final : public ByteSource {
 public:
  RejoinedSource(std::string beginning, std::unique_ptr<ByteSource> rest)
      : beginning_(std::move(beginning)), rest_(std::move(rest)) {}

  std::size_t read(char* into, std::size_t room) override {
    const std::size_t got = beginning_.copy(into, room, given_);
    given_ += got;
    return got < room ? got + rest_->read(into + got, room - got) : got;
  }
  bool has_checksum() const override { return rest_->has_checksum(); }

 private:
  std::string beginning_;
  std::size_t given_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

}  // namespace

std::string source_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::unique_ptr<ByteSource> file_source(const std::string& path) { return std::make_unique<FileSource>(path); }

std::unique_ptr<ByteSource> memory_source(std::string_view bytes) { return std::make_unique<MemorySource>(bytes); }

std::string read_to_end(ByteSource& bytes, const std::string& source, std::size_t most_bytes) {
  std::string all;
  while (true) {
    const std::size_t old_size = all.size();
    const std::size_t room = std::max(kChunk, old_size);  // doubling, so that a file of n bytes costs O(n)
    all.resize(old_size + room);
    const std::size_t got = bytes.read(all.data() + old_size, room);
    all.resize(old_size + got);
    if (all.size() > most_bytes) {
      throw InputError(ErrorKind::Unreadable, source,
                       fmt::format("is larger than {} bytes, the most that is read", most_bytes));
    }
    if (got < room) return all;
  }
}

OpenFile open_file(const std::string& path) {
  constexpr std::size_t kBeginning = 65536;
  OpenFile file{.beginning = {}, .bytes = file_source(path)};
  std::error_code ignored;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return file;
  std::unique_ptr<ByteSource> bytes = unpacked(std::move(file.bytes), source_name(path));
  file.beginning.resize(kBeginning);
  file.beginning.resize(bytes->read(file.beginning.data(), kBeginning));
  file.bytes = std::make_unique<RejoinedSource>(file.beginning, std::move(bytes));
  return file;
}

std::string beginning_of(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) ? open_file(path).beginning : std::string();
}

std::string read_bytes(const std::string& path, std::size_t most_bytes) {
  FileSource file(path);
  return read_to_end(file, source_name(path), most_bytes);
}

}  // namespace partita::detail
