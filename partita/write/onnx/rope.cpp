// SPDX-License-Identifier: Apache-2.0
#include "partita/write/onnx/rope.h"

namespace partita::detail::onnx {

std::string& Rope::tail() {
  if (parts_.empty() || !std::holds_alternative<std::string>(parts_.back())) parts_.emplace_back(std::string());
  return std::get<std::string>(parts_.back());
}

void Rope::copy(ByteRange range) {
  if (range.size() == 0) return;
  size_ += range.size();
  ByteRange* last = parts_.empty() ? nullptr : std::get_if<ByteRange>(&parts_.back());
  if (last != nullptr && last->end == range.begin) {
    last->end = range.end;
  } else {
    parts_.emplace_back(range);
  }
}

void Rope::append(std::string_view bytes) {
  tail() += bytes;
  size_ += bytes.size();
}

void Rope::append(const Rope& other) {
  other.visit([this](std::string_view bytes) { append(bytes); }, [this](ByteRange range) { copy(range); });
}

void Rope::varint(std::uint64_t value) {
  std::string& text = tail();
  const std::size_t before = text.size();
  for (; value >= 0x80; value >>= 7) text += static_cast<char>(value | 0x80);
  text += static_cast<char>(value);
  size_ += text.size() - before;
}

void Rope::number(std::uint32_t field, std::int64_t value) {
  varint(std::uint64_t{field} << 3 | static_cast<std::uint64_t>(WireType::Varint));
  varint(static_cast<std::uint64_t>(value));
}

void Rope::text(std::uint32_t field, std::string_view value) {
  varint(std::uint64_t{field} << 3 | static_cast<std::uint64_t>(WireType::Length));
  varint(value.size());
  append(value);
}

void Rope::range(std::uint32_t field, ByteRange payload) {
  varint(std::uint64_t{field} << 3 | static_cast<std::uint64_t>(WireType::Length));
  varint(payload.size());
  copy(payload);
}

void Rope::message(std::uint32_t field, const Rope& value) {
  varint(std::uint64_t{field} << 3 | static_cast<std::uint64_t>(WireType::Length));
  varint(value.size());
  append(value);
}

std::string Rope::flat(Bytes file) const {
  std::string result;
  result.reserve(size_);
  visit(
      [&](std::string_view bytes) { result += bytes; },
      [&](ByteRange range) { result.append(reinterpret_cast<const char*>(file.data()) + range.begin, range.size()); });
  return result;
}

}  // namespace partita::detail::onnx
