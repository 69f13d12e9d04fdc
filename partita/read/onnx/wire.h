// SPDX-License-Identifier: Apache-2.0
// The wire format of protocol buffers, over bytes that are mapped and not copied: a message is a row of fields, a field
// a number, a wire type and a value. What is read remembers where it stands, so that it can be named in an error and
// copied as it is. Nothing here knows ONNX.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace partita::detail::onnx {

using Bytes = std::span<const std::byte>;

// Bytes of the file from `begin` up to, not including, `end`.
struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// A file and what errors call it. It must outlive everything that is read from it.
struct WireFile {
  Bytes bytes;
  std::string source;
};

enum class WireType : std::uint8_t { Varint = 0, Fixed64 = 1, Length = 2, Fixed32 = 5 };

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::Varint;
  std::uint64_t value = 0;  // of Varint, Fixed64, Fixed32
  ByteRange payload;        // of Length: behind the length
  ByteRange whole;          // with its tag
};

// Throws an InputError that names the byte: "model.onnx: byte 17: ...".
[[noreturn]] void fail_at(const WireFile& file, std::size_t byte, const std::string& problem);

// Messages in messages; deeper ones are refused, so that no file can exhaust the stack.
inline constexpr int kMaxDepth = 100;

// The fields of one message, one after the other. `message` must lie within the file.
class WireReader {
 public:
  WireReader(const WireFile& file, ByteRange message, const char* name, int depth = 0);

  // To the next field; false behind the last. Throws InputError for what runs past the end of the message.
  bool next();
  const WireField& field() const { return field_; }
  std::uint32_t number() const { return field_.number; }
  ByteRange range() const { return range_; }

  // The value of the field, which must have the fitting wire type: otherwise an InputError says so.
  std::int64_t integer() const;
  float real() const;
  std::string_view text() const;
  ByteRange bytes() const;
  WireReader message(const char* name) const;
  // Of a repeated number, which may be packed: adds to `into`.
  void integers(std::vector<std::int64_t>& into) const;
  void reals(std::vector<float>& into) const;

 private:
  void expect(WireType type, const char* what) const;

  const WireFile* file_;
  ByteRange range_;
  const char* name_;  // of the message, for errors
  int depth_;
  std::size_t at_;
  WireField field_;
};

// The varint at `at`, which moves behind it; it ends before `end`.
std::uint64_t read_varint(const WireFile& file, std::size_t& at, std::size_t end);

}  // namespace partita::detail::onnx
