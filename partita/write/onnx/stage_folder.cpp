// SPDX-License-Identifier: Apache-2.0
#include "partita/write/onnx/stage_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "partita/util/error.h"

namespace partita::detail::onnx {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBuffer = std::size_t{1} << 20;

class OpenFile {
 public:
  OpenFile(const fs::path& path, int flags) : path_(path), file_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~OpenFile() {
    if (file_ >= 0) close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int descriptor() const { return file_; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  int file_;
};

class Source : public OpenFile {
 public:
  explicit Source(const fs::path& path) : OpenFile(path, O_RDONLY) {
    if (descriptor() < 0) fail(std::strerror(errno));
  }

  std::string_view read(std::uint64_t offset, std::size_t most) {
    buffer_.resize(kBuffer);
    ssize_t got = 0;
    do {
      got = pread(descriptor(), buffer_.data(), std::min(most, kBuffer), static_cast<off_t>(offset));
    } while (got < 0 && errno == EINTR);
    if (got < 0) fail(std::strerror(errno));
    if (got == 0) fail("it ends early");
    return {buffer_.data(), static_cast<std::size_t>(got)};
  }

 private:
  [[noreturn]] void fail(const char* why) const {
    throw InputError(ErrorKind::Unreadable, path().string(),
                     fmt::format("cannot be read: {}; expected the model's bytes", why));
  }

  std::string buffer_;
};

class Target : public OpenFile {
 public:
  Target(const fs::path& path, const Budget* budget) : OpenFile(path, O_WRONLY | O_CREAT | O_EXCL), budget_(budget) {
    if (descriptor() < 0) fail(std::strerror(errno));
    stop_if_cancelled();
  }

  void write(std::string_view bytes) {
    checksum_ = crc32_z(checksum_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    while (!bytes.empty()) {
      const ssize_t done = ::write(descriptor(), bytes.data(), bytes.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) fail(std::strerror(errno));
      bytes.remove_prefix(static_cast<std::size_t>(done));
    }
  }

  void copy(Source& from, std::uint64_t offset, std::uint64_t length) {
    while (length > 0) {
      stop_if_cancelled();
      const std::string_view bytes =
          from.read(offset, static_cast<std::size_t>(std::min<std::uint64_t>(length, kBuffer)));
      write(bytes);
      offset += bytes.size();
      length -= bytes.size();
    }
  }

  void go_to(std::uint64_t place) {
    if (lseek(descriptor(), static_cast<off_t>(place), SEEK_SET) < 0) fail(std::strerror(errno));
  }

  // CRC-32 of all that was written.
  std::uint32_t checksum() const { return static_cast<std::uint32_t>(checksum_); }

  void finish() {
    // Not every file system can do this, and then there is nothing more to be done.
    const bool on_disk = fsync(descriptor()) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
    if (!on_disk) fail(std::strerror(errno));
  }

 private:
  void stop_if_cancelled() const {
    if (budget_ != nullptr && budget_->cancelled()) fail("interrupted");
  }

  [[noreturn]] void fail(const char* why) const {
    throw InputError(ErrorKind::Unwritable, path().filename().string(),
                     fmt::format("cannot be written: {}; choose another output folder", why));
  }

  const Budget* budget_;
  uLong checksum_ = crc32_z(0, nullptr, 0);
};

}  // namespace

fs::path StageFolder::begin(const std::string& name) {
  const fs::path path = folder_ / name;
  std::error_code ignored;  // opening the file will say
  fs::create_directories(path.parent_path(), ignored);
  files_.push_back(name);
  return path;
}

std::uint32_t StageFolder::write(const std::string& name, const Rope& rope) {
  Source model(model_);
  Target target(begin(name), budget_);
  // Many parts are small: names, tags and single nodes.
  std::string waiting;
  const auto flush = [&] {
    target.write(waiting);
    waiting.clear();
  };
  rope.visit(
      [&](std::string_view bytes) {
        waiting += bytes;
        if (waiting.size() >= kBuffer) flush();
      },
      [&](ByteRange range) {
        if (range.size() < kBuffer / 16 && waiting.size() < kBuffer) {
          for (std::size_t at = range.begin; at < range.end;) {
            const std::string_view bytes = model.read(at, range.end - at);
            waiting += bytes;
            at += bytes.size();
          }
          return;
        }
        flush();
        target.copy(model, range.begin, range.size());
      });
  flush();
  target.finish();
  return target.checksum();
}

void StageFolder::write(const std::string& name, std::string_view text) {
  Target target(begin(name), budget_);
  target.write(text);
  target.finish();
}

void StageFolder::copy(const std::string& name, const std::vector<CopiedBytes>& parts) {
  Target target(begin(name), budget_);
  for (const CopiedBytes& part : parts) {
    Source from(part.from);
    target.go_to(part.place);
    target.copy(from, part.offset, part.length);
  }
  target.finish();
}

void StageFolder::share(const fs::path& from, const std::string& name) { share_file(from, begin(name)); }

}  // namespace partita::detail::onnx
