// SPDX-License-Identifier: Apache-2.0
#include "partita/read/onnx/wire.h"

#include <fmt/format.h>

#include <bit>

#include "partita/util/error.h"

namespace partita::detail::onnx {

namespace {

std::uint64_t little_endian(const WireFile& file, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value |= static_cast<std::uint64_t>(file.bytes[at + i]) << (8 * i);
  return value;
}

}  // namespace

void fail_at(const WireFile& file, std::size_t byte, const std::string& problem) {
  throw InputError(ErrorKind::NotJson, fmt::format("{}: byte {}", file.source, byte), problem);
}

std::uint64_t read_varint(const WireFile& file, std::size_t& at, std::size_t end) {
  const std::size_t begin = at;
  std::uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (at == end) fail_at(file, begin, "a number runs past the end of its message: the file is cut off or damaged");
    const auto byte = static_cast<std::uint64_t>(file.bytes[at++]);
    if (shift == 63 && byte > 1) break;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  fail_at(file, begin, "a number has more than 64 bits: the file is damaged, or is not an ONNX model");
}

WireReader::WireReader(const WireFile& file, ByteRange message, const char* name, int depth)
    : file_(&file), range_(message), name_(name), depth_(depth), at_(message.begin) {
  if (depth > kMaxDepth) {
    fail_at(file, message.begin, fmt::format("messages are nested more than {} deep: expected a model", kMaxDepth));
  }
}

bool WireReader::next() {
  if (at_ == range_.end) return false;
  const std::size_t begin = at_;
  const std::uint64_t tag = read_varint(*file_, at_, range_.end);
  const std::uint64_t number = tag >> 3;
  if (number == 0 || number > 0x1fffffff) {
    fail_at(*file_, begin,
            fmt::format("found the field number {} in {}, expected 1 to 2^29 - 1: not an ONNX model, or damaged",
                        number, name_));
  }
  field_ = {};
  field_.number = static_cast<std::uint32_t>(number);
  const auto fixed = [&](std::size_t size) {
    if (range_.end - at_ < size) {
      fail_at(*file_, begin,
              fmt::format("field {} of {} runs past its end: the file is cut off or damaged", number, name_));
    }
    field_.value = little_endian(*file_, at_, size);
    at_ += size;
  };
  switch (tag & 7) {
    case 0: field_.value = read_varint(*file_, at_, range_.end); break;
    case 1: fixed(8); break;
    case 5: fixed(4); break;
    case 2: {
      const std::uint64_t length = read_varint(*file_, at_, range_.end);
      if (length > range_.end - at_) {
        fail_at(*file_, begin,
                fmt::format("field {} of {} has {} bytes, but only {} are left: the file is cut off or damaged", number,
                            name_, length, range_.end - at_));
      }
      field_.payload = {at_, at_ + static_cast<std::size_t>(length)};
      at_ = field_.payload.end;
      break;
    }
    default:
      fail_at(
          *file_, begin,
          fmt::format("field {} of {} has the wire type {}, which no ONNX model uses: not an ONNX model, or damaged",
                      number, name_, tag & 7));
  }
  field_.type = static_cast<WireType>(tag & 7);
  field_.whole = {begin, at_};
  return true;
}

void WireReader::expect(WireType type, const char* what) const {
  if (field_.type == type) return;
  fail_at(*file_, field_.whole.begin,
          fmt::format("field {} of {} has the wire type {}, expected {} (wire type {})", field_.number, name_,
                      static_cast<int>(field_.type), what, static_cast<int>(type)));
}

std::int64_t WireReader::integer() const {
  expect(WireType::Varint, "a number");
  return static_cast<std::int64_t>(field_.value);
}

float WireReader::real() const {
  expect(WireType::Fixed32, "a floating-point number");
  return std::bit_cast<float>(static_cast<std::uint32_t>(field_.value));
}

ByteRange WireReader::bytes() const {
  expect(WireType::Length, "bytes");
  return field_.payload;
}

std::string_view WireReader::text() const {
  const ByteRange range = bytes();
  return {reinterpret_cast<const char*>(file_->bytes.data()) + range.begin, range.size()};
}

WireReader WireReader::message(const char* name) const {
  expect(WireType::Length, "a message");
  return WireReader(*file_, field_.payload, name, depth_ + 1);
}

void WireReader::integers(std::vector<std::int64_t>& into) const {
  if (field_.type != WireType::Length) {
    into.push_back(integer());
    return;
  }
  for (std::size_t at = field_.payload.begin; at != field_.payload.end;) {
    into.push_back(static_cast<std::int64_t>(read_varint(*file_, at, field_.payload.end)));
  }
}

void WireReader::reals(std::vector<float>& into) const {
  if (field_.type != WireType::Length) {
    into.push_back(real());
    return;
  }
  if (field_.payload.size() % 4 != 0) {
    fail_at(*file_, field_.payload.begin,
            fmt::format("field {} of {} packs numbers of 4 bytes into {} bytes", field_.number, name_,
                        field_.payload.size()));
  }
  for (std::size_t at = field_.payload.begin; at != field_.payload.end; at += 4) {
    into.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(little_endian(*file_, at, 4))));
  }
}

}  // namespace partita::detail::onnx
