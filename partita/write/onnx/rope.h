// SPDX-License-Identifier: Apache-2.0
// A message that is to be written: new bytes, and ranges of the file that it is made from, which are copied only when it
// is written. So a message of gigabytes takes as much memory as it has parts, and its size, which stands before it in
// the message around it, is known at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "partita/read/onnx/wire.h"

namespace partita::detail::onnx {

class Rope {
 public:
  // What the ranges are ranges of is said when it is written.
  void copy(ByteRange range);
  void append(std::string_view bytes);
  void append(const Rope& other);

  // Fields of a message, with their tag. Texts are copied.
  void number(std::uint32_t field, std::int64_t value);
  void text(std::uint32_t field, std::string_view value);
  void range(std::uint32_t field, ByteRange payload);
  void message(std::uint32_t field, const Rope& value);

  std::size_t size() const { return size_; }

  // Calls `bytes` with new bytes and `range` with ranges, in order.
  template <class OnBytes, class OnRange>
  void visit(const OnBytes& bytes, const OnRange& range) const {
    for (const std::variant<std::string, ByteRange>& part : parts_) {
      if (const std::string* text = std::get_if<std::string>(&part)) {
        bytes(std::string_view(*text));
      } else {
        range(std::get<ByteRange>(part));
      }
    }
  }

  // All of it in memory: for tests, and for what is small.
  std::string flat(Bytes file) const;

 private:
  void varint(std::uint64_t value);
  std::string& tail();

  std::vector<std::variant<std::string, ByteRange>> parts_;
  std::size_t size_ = 0;
};

}  // namespace partita::detail::onnx
