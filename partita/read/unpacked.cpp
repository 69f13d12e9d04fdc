// SPDX-License-Identifier: Apache-2.0
// Gzip is recognised by its first two bytes. A bomb is seen by what it has unpacked to so far, so it costs no more than
// the limits of bytes.h, whatever it holds.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "partita/read/bytes.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

constexpr std::size_t kPackedChunk = std::size_t{1} << 16;

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

class UnpackedSource final : public ByteSource {
 public:
  UnpackedSource(std::unique_ptr<ByteSource> packed, std::string source, std::size_t most_bytes)
      : packed_(std::move(packed)), source_(std::move(source)), most_bytes_(most_bytes), buffer_(kPackedChunk) {
    refill();
    gzip_ = begins_with_gzip();
  }

  std::size_t read(char* into, std::size_t room) override {
    const std::size_t got = gzip_ ? inflate_into(into, room) : copy_into(into, room);
    unpacked_ += got;
    if (unpacked_ > most_bytes_) {
      fail(fmt::format("{} more than {} bytes, the most that is read", gzip_ ? "unpacks to" : "has", most_bytes_));
    }
    if (gzip_ && unpacked_ > kExpansionIsHarmlessUpTo && unpacked_ / kMaxExpansion > taken()) {
      fail(fmt::format("unpacks to more than {} times its size; this is no graph, and is not read on", kMaxExpansion));
    }
    return got;
  }

  bool has_checksum() const override { return gzip_ || packed_->has_checksum(); }

 private:
  [[noreturn]] void fail(const std::string& problem) const { throw InputError(ErrorKind::NotJson, source_, problem); }

  // Packed bytes that have been used.
  std::size_t taken() const { return fetched_ - left(); }
  std::size_t left() const { return end_ - begin_; }
  const char* first() const { return buffer_.data() + begin_; }
  bool begins_with_gzip() const { return left() >= 2 && first()[0] == '\x1f' && first()[1] == '\x8b'; }

  // More packed bytes behind those that are left. False: there are none.
  bool refill() {
    std::memmove(buffer_.data(), first(), left());
    end_ = left();
    begin_ = 0;
    const std::size_t got = packed_->read(buffer_.data() + end_, buffer_.size() - end_);
    end_ += got;
    fetched_ += got;
    return got > 0;
  }

  std::size_t copy_into(char* into, std::size_t room) {
    const std::size_t got = std::min(room, left());
    std::memcpy(into, first(), got);
    begin_ += got;
    return got + packed_->read(into + got, room - got);
  }

  std::size_t inflate_into(char* into, std::size_t room) {
    inflater_->next_out = reinterpret_cast<Bytef*>(into);
    inflater_->avail_out = static_cast<uInt>(room);
    while (inflater_->avail_out > 0 && !finished_) {
      const bool more = left() > 0 || refill();
      const std::size_t before = inflater_->avail_out;
      inflater_->next_in = reinterpret_cast<Bytef*>(buffer_.data() + begin_);
      inflater_->avail_in = static_cast<uInt>(left());
      const int status = inflater_.step();
      begin_ = end_ - inflater_->avail_in;
      if (status == Z_STREAM_END) {
        end_of_member();
      } else if (status == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        fail(fmt::format("the gzip stream is damaged near byte {} ({}); fetch or compress the file again", taken(),
                         inflater_->msg ? inflater_->msg : "no details"));
      } else if (!more && inflater_->avail_out == before) {
        fail(fmt::format(
            "the gzip stream ends early, after {} bytes ({} unpacked); the file is truncated, fetch it again", taken(),
            unpacked_ + room - inflater_->avail_out));
      }
    }
    return room - inflater_->avail_out;
  }

  // Another member, or nothing but zeros: tape-style padding is harmless.
  void end_of_member() {
    if (left() < 2) refill();
    if (begins_with_gzip()) {
      inflater_.next_member();
      return;
    }
    do {
      for (; left() > 0; ++begin_) {
        if (*first() == '\0') continue;
        fail(fmt::format("what follows the gzip stream, from byte {} on, is not gzip; compress the file again",
                         taken() + 1));
      }
    } while (fetched_ <= most_bytes_ && refill());
    finished_ = true;
  }

  std::unique_ptr<ByteSource> packed_;
  std::string source_;
  std::size_t most_bytes_;
  std::vector<char> buffer_;  // packed bytes
  std::size_t begin_ = 0;     // of those that are left
  std::size_t end_ = 0;
  std::size_t fetched_ = 0;
  std::size_t unpacked_ = 0;
  bool gzip_ = false;
  bool finished_ = false;
  Inflater inflater_;
};

}  // namespace

std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> packed, const std::string& source,
                                     std::size_t most_bytes) {
  return std::make_unique<UnpackedSource>(std::move(packed), source, most_bytes);
}

}  // namespace partita::detail
