// SPDX-License-Identifier: Apache-2.0
#include "partita/read/text_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

#include "partita/util/error.h"

namespace partita::detail {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;
constexpr std::size_t kKept = 256;  // of the piece before: the parser looks back by a token at most
constexpr std::size_t kMostDamageLookedFor = std::size_t{16} << 20;

}  // namespace

TextStream::TextStream(std::unique_ptr<ByteSource> bytes, const std::string& source)
    : source_(source), bytes_(unpacked(std::move(bytes), source)), buffer_(kKept + kPiece, '\0') {
  fetch();
  refuse_what_cannot_be_json();
}

bool TextStream::fetch() {
  const std::size_t kept = std::min(kKept, filled_);
  const std::size_t dropped = filled_ - kept;
  for (std::size_t i = 0; i < dropped; ++i) {
    if (buffer_[i] != '\n') continue;
    ++line_;
    line_begin_ = offset_ + i + 1;
  }
  std::memmove(buffer_.data(), buffer_.data() + dropped, kept);
  offset_ += dropped;
  const std::size_t got = bytes_->read(buffer_.data() + kept, kPiece);
  filled_ = kept + got;
  setg(buffer_.data(), buffer_.data() + kept, buffer_.data() + filled_);
  return got > 0;
}

TextStream::int_type TextStream::underflow() {
  if (gptr() == egptr()) {
    if (token_bytes_ > kMaxTokenBytes) {
      throw InputError(ErrorKind::NotJson, fmt::format("{}: {}", source_, line_and_column(offset_ + filled_)),
                       fmt::format("a text, a number or blank space goes on for more than {} bytes", kMaxTokenBytes));
    }
    if (!fetch()) return traits_type::eof();
    token_bytes_ += static_cast<std::size_t>(egptr() - gptr());
  }
  return traits_type::to_int_type(*gptr());
}

std::string TextStream::line_and_column(std::size_t offset) const {
  const std::string_view before = window().substr(0, std::min(offset - std::min(offset, offset_), filled_));
  const auto line = line_ + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t newline = before.rfind('\n');
  const std::size_t begin = newline == std::string_view::npos ? line_begin_ : offset_ + newline + 1;
  return fmt::format("line {}, column {}", line, offset_ + before.size() - begin + 1);
}

std::string TextStream::word_at(std::size_t offset) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '+'; };
  if (offset + kKept / 2 > offset_ + filled_) fetch();  // the word may go on
  const std::string_view text = window();
  std::size_t begin = std::min(offset - std::min(offset, offset_), text.size());
  while (begin > 0 && in_word(text[begin - 1])) --begin;
  std::size_t end = begin;
  while (end < text.size() && in_word(text[end])) ++end;
  return std::string(text.substr(begin, end - begin));
}

void TextStream::look_for_damage() {
  if (!bytes_->has_checksum()) return;
  for (std::size_t looked_at = 0; looked_at < kMostDamageLookedFor && fetch(); looked_at += kPiece) continue;
}

void TextStream::refuse_what_cannot_be_json() const {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  std::string_view text = window();
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    throw InputError(ErrorKind::NotJson, source_,
                     filled_ < kPiece ? "is empty; expected JSON, plain or gzipped"
                                      : "begins with nothing but blank space; expected JSON, plain or gzipped");
  }
  const auto byte = static_cast<unsigned char>(text[first]);
  if (byte < 0x20 || byte >= 0x7f) {
    throw InputError(
        ErrorKind::NotJson, source_,
        fmt::format("is not JSON: it begins with byte 0x{:02x}; expected JSON text (UTF-8), plain or gzipped", byte));
  }
}

}  // namespace partita::detail
