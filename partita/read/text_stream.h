// SPDX-License-Identifier: Apache-2.0
// The text of an input as a stream for a parser, which remembers enough of it to say where an error is.
#pragma once

#include <cstddef>
#include <memory>
#include <streambuf>
#include <string>
#include <string_view>

#include "partita/read/bytes.h"

namespace partita::detail {

// A text, a number or a stretch of blanks longer than this is no part of any file of ours.
inline constexpr std::size_t kMaxTokenBytes = std::size_t{4} << 20;

class TextStream final : public std::streambuf {
 public:
  // `bytes` may be gzipped. Throws InputError where it cannot be JSON: empty, or binary.
  TextStream(std::unique_ptr<ByteSource> bytes, const std::string& source);

  const std::string& source() const { return source_; }

  // A token is complete: what comes next may be as long again.
  void token_ends() { token_bytes_ = 0; }

  // Both are for the byte that the parser read last, or one of the few before it; `offset` counts from 0.
  std::string line_and_column(std::size_t offset) const;  // "line 3, column 17"
  std::string word_at(std::size_t offset);                // "-Infinity"

  // Where what was read made no sense: throws InputError if the rest of a gzip stream shows that it is damaged.
  void look_for_damage();

 private:
  int_type underflow() override;
  bool fetch();  // the next piece; false at the end
  void refuse_what_cannot_be_json() const;
  std::string_view window() const { return {buffer_.data(), filled_}; }

  std::string source_;
  std::unique_ptr<ByteSource> bytes_;
  std::string buffer_;          // the end of the last piece, then this one
  std::size_t filled_ = 0;      // bytes of the buffer
  std::size_t offset_ = 0;      // of the buffer's first byte in the text
  std::size_t line_ = 1;        // of that byte
  std::size_t line_begin_ = 0;  // the offset of that line's first byte
  std::size_t token_bytes_ = 0;
};

}  // namespace partita::detail
