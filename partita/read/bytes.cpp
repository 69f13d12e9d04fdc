// SPDX-License-Identifier: Apache-2.0
#include "partita/read/bytes.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <new>
#include <system_error>

#include "partita/util/error.h"

namespace partita {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

std::string reason_of(int error_number) { return std::generic_category().message(error_number); }

// An inflate state that is always released.
class Inflater {
 public:
  Inflater() {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream* operator->() { return &stream_; }
  int step() { return inflate(&stream_, Z_NO_FLUSH); }
  void next_member() { inflateReset(&stream_); }

 private:
  z_stream stream_{};
};

}  // namespace

std::string source_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string read_bytes(const std::string& path) {
  const std::string source = source_name(path);
  const std::unique_ptr<std::FILE, CloseFile> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (!file) {
    throw InputError(ErrorKind::Unreadable, source,
                     fmt::format("cannot be opened: {}; expected a file that can be read, or - for standard input",
                                 reason_of(errno)));
  }
  std::string bytes;
  while (true) {
    const std::size_t old_size = bytes.size();
    const std::size_t room = std::max(kChunk, old_size);  // doubling, so that a file of n bytes costs O(n)
    bytes.resize(old_size + room);
    const std::size_t got = std::fread(bytes.data() + old_size, 1, room, file.get());
    const int read_error = std::ferror(file.get()) ? errno : 0;
    bytes.resize(old_size + got);
    if (read_error != 0) {
      throw InputError(ErrorKind::Unreadable, source,
                       fmt::format("cannot be read: {}; expected a file, plain or gzipped", reason_of(read_error)));
    }
    if (bytes.size() > kMaxInputBytes) {
      throw InputError(ErrorKind::Unreadable, source,
                       fmt::format("is larger than {} bytes, the most that is read", kMaxInputBytes));
    }
    if (got < room) return bytes;
  }
}

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

std::string gunzip(std::string_view bytes, const std::string& source, std::size_t limit) {
  const auto fail = [&source](const std::string& problem) { throw InputError(ErrorKind::NotJson, source, problem); };
  Inflater inflater;
  // zlib's interface predates const; it never writes to the input.
  inflater->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  inflater->avail_in = static_cast<uInt>(std::min(bytes.size(), kMaxInputBytes));
  std::string plain;
  std::size_t filled = 0;
  while (true) {
    if (filled == plain.size()) plain.resize(filled + std::max(kChunk, filled));
    const std::size_t room = std::min(plain.size() - filled, kMaxInputBytes);
    inflater->next_out = reinterpret_cast<Bytef*>(plain.data() + filled);
    inflater->avail_out = static_cast<uInt>(room);
    const int status = inflater.step();
    filled += room - inflater->avail_out;
    if (filled > limit) fail(fmt::format("unpacks to more than {} bytes, the most that is read", limit));
    if (status == Z_STREAM_END) {
      const std::string_view rest = bytes.substr(bytes.size() - inflater->avail_in);
      if (is_gzip(rest)) {
        inflater.next_member();
      } else if (rest.find_first_not_of('\0') == std::string_view::npos) {  // tape-style padding is harmless
        plain.resize(filled);
        return plain;
      } else {
        fail(fmt::format("{} bytes that are not gzip follow the gzip stream; compress the file again", rest.size()));
      }
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status == Z_BUF_ERROR || (status == Z_OK && inflater->avail_in == 0 && inflater->avail_out > 0)) {
      fail(
          fmt::format("the gzip stream ends early, after {} bytes ({} unpacked); the file is truncated, fetch it again",
                      bytes.size(), filled));
    } else if (status != Z_OK) {
      fail(fmt::format("the gzip stream is damaged near byte {} ({}); fetch or compress the file again",
                       bytes.size() - inflater->avail_in, inflater->msg ? inflater->msg : "no details"));
    }
  }
}

}  // namespace partita
