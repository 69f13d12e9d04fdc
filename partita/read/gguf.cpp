// SPDX-License-Identifier: Apache-2.0
// The header: "GGUF", version, number of tensors, number of keys, keys, tensors; all little-endian. A text is its
// length and its bytes. Then, at the next multiple of general.alignment, the weights, each at an offset from there.
// Nothing that the file says of a length is believed before the bytes are seen to be there, so memory is in proportion
// to the file.
#include "partita/read/gguf.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "partita/read/fields.h"
#include "partita/read/gguf_types.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are read as they stand in the file");

constexpr std::string_view kMagic = "GGUF";
constexpr std::uint32_t kOldestVersion = 2;
constexpr std::uint32_t kNewestVersion = 3;
constexpr std::uint64_t kMostEntries = 1'000'000;  // of keys, and of tensors
constexpr std::uint64_t kLongestList = 100'000;    // of integers that are kept
constexpr std::uint32_t kMostAxes = 4;
constexpr int kDeepestList = 8;
constexpr std::uint64_t kUsualAlignment = 32;

enum ValueType : std::uint32_t {
  kUInt8,
  kInt8,
  kUInt16,
  kInt16,
  kUInt32,
  kInt32,
  kFloat32,
  kBool,
  kString,
  kArray,
  kUInt64,
  kInt64,
  kFloat64,
  kValueTypes
};

constexpr std::uint64_t kValueBytes[kValueTypes] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};  // 0: it depends

// Takes one thing after the other, and knows what it was to be when there is no more.
class Cursor {
 public:
  Cursor(std::string_view bytes, const std::string& source) : bytes_(bytes), source_(source) {}

  std::uint64_t left() const { return bytes_.size() - at_; }
  std::uint64_t position() const { return at_; }

  [[noreturn]] void fail(ErrorKind kind, const std::string& what, const std::string& problem) const {
    throw InputError(kind, fmt::format("{}: {}", source_, one_line(what)), problem);
  }

  void skip(std::uint64_t count, const std::string& what) {
    if (count > left()) {
      fail(ErrorKind::BadField, what,
           fmt::format("takes {} bytes, but the file has only {} more; it is cut off, or its header is wrong", count,
                       left()));
    }
    at_ += count;
  }

  template <class T>
  T take(const std::string& what) {
    T value;
    const std::uint64_t from = at_;
    skip(sizeof(T), what);
    std::memcpy(&value, bytes_.data() + from, sizeof(T));
    return value;
  }

  std::string_view take_text(const std::string& what) {
    const auto length = take<std::uint64_t>(what);
    const std::uint64_t from = at_;
    skip(length, what);
    return bytes_.substr(from, length);
  }

  // A number of things that take at least so many bytes each.
  std::uint64_t take_count(const std::string& what, std::uint64_t least_bytes) {
    const auto count = take<std::uint64_t>(what);
    if (count > left() / least_bytes) {
      fail(ErrorKind::BadField, what,
           fmt::format("says {}, more than the {} bytes that are left can hold; the file is cut off, or its header is "
                       "wrong",
                       count, left()));
    }
    return count;
  }

 private:
  std::string_view bytes_;
  const std::string& source_;
  std::uint64_t at_ = 0;
};

std::int64_t take_integer(Cursor& cursor, std::uint32_t type, const std::string& what) {
  switch (type) {
    case kUInt8: return cursor.take<std::uint8_t>(what);
    case kInt8: return cursor.take<std::int8_t>(what);
    case kUInt16: return cursor.take<std::uint16_t>(what);
    case kInt16: return cursor.take<std::int16_t>(what);
    case kUInt32: return cursor.take<std::uint32_t>(what);
    case kInt32: return cursor.take<std::int32_t>(what);
    case kInt64: return cursor.take<std::int64_t>(what);
    default: break;
  }
  const auto value = cursor.take<std::uint64_t>(what);
  // Beyond what any size is: as large as it gets.
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(value, static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())));
}

bool is_integer(std::uint32_t type) { return type <= kInt32 || type == kUInt64 || type == kInt64; }

std::uint32_t take_type(Cursor& cursor, const std::string& what) {
  const auto type = cursor.take<std::uint32_t>(what);
  if (type >= kValueTypes) {
    cursor.fail(ErrorKind::BadField, what,
                fmt::format("has the type {}; expected one from 0 to {}", type, kValueTypes - 1));
  }
  return type;
}

GgufList take_list(Cursor& cursor, const std::string& what, int depth) {
  if (depth > kDeepestList)
    cursor.fail(ErrorKind::BadField, what, fmt::format("is nested deeper than {} lists", kDeepestList));
  const std::uint32_t type = take_type(cursor, what);
  const std::uint64_t each = kValueBytes[type];
  GgufList list;
  list.length = cursor.take_count(what, each > 0 ? each : sizeof(std::uint64_t));
  if (is_integer(type) && list.length <= kLongestList) {
    for (std::uint64_t i = 0; i < list.length; ++i) list.integers.push_back(take_integer(cursor, type, what));
  } else if (each > 0) {
    cursor.skip(list.length * each, what);
  } else {
    for (std::uint64_t i = 0; i < list.length; ++i) {
      if (type == kString) cursor.take_text(what);
      if (type == kArray) take_list(cursor, what, depth + 1);
    }
  }
  return list;
}

GgufValue take_value(Cursor& cursor, const std::string& what) {
  const std::uint32_t type = take_type(cursor, what);
  if (is_integer(type)) return take_integer(cursor, type, what);
  switch (type) {
    case kFloat32: return static_cast<double>(cursor.take<float>(what));
    case kFloat64: return cursor.take<double>(what);
    case kBool: return cursor.take<std::uint8_t>(what) != 0;
    case kString: return std::string(cursor.take_text(what));
    default: return take_list(cursor, what, 1);
  }
}

struct TensorPlace {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

StoredTensor take_tensor(Cursor& cursor, const std::string& which, TensorPlace& place) {
  StoredTensor tensor;
  tensor.name = std::string(cursor.take_text(which));
  const std::string what = tensor.name.empty() ? which : tensor.name;
  const auto axes = cursor.take<std::uint32_t>(what);
  if (axes > kMostAxes)
    cursor.fail(ErrorKind::BadField, what, fmt::format("has {} axes; expected at most {}", axes, kMostAxes));
  std::uint64_t elements = 1;
  std::uint64_t row = 1;
  for (std::uint32_t i = 0; i < axes; ++i) {
    const auto extent = cursor.take<std::uint64_t>(what);
    constexpr std::uint64_t kMostElements = std::uint64_t{1} << 60;
    if (extent > kMostElements || (extent > 0 && elements > kMostElements / extent)) {
      cursor.fail(ErrorKind::BadNumber, what,
                  fmt::format("has more than {} elements; expected sizes of a tensor", kMostElements));
    }
    elements *= extent;
    if (i == 0) row = extent;
    tensor.extents.insert(tensor.extents.begin(), static_cast<std::int64_t>(extent));  // the file has the fastest first
  }
  const auto type = cursor.take<std::uint32_t>(what);
  const GgufType* known = find_gguf_type(type);
  if (!known) cursor.fail(ErrorKind::Unsupported, what, fmt::format("has the type {}, which is not known", type));
  if (row % known->elements != 0) {
    cursor.fail(ErrorKind::BadField, what,
                fmt::format("has rows of {} elements; expected a multiple of {}, as its type {} has them in blocks",
                            row, known->elements, known->name));
  }
  tensor.type = known->type;
  place.offset = cursor.take<std::uint64_t>(what);
  place.bytes = elements / known->elements * known->bytes;
  tensor.bytes = static_cast<double>(place.bytes);
  return tensor;
}

}  // namespace

std::optional<std::int64_t> GgufHeader::integer(const std::string& key, const std::string& source) const {
  const auto entry = keys.find(key);
  if (entry == keys.end()) return std::nullopt;
  if (const auto* value = std::get_if<std::int64_t>(&entry->second)) return *value;
  throw InputError(ErrorKind::BadField, fmt::format("{}: {}", source, one_line(key)), "is no integer; expected one");
}

std::optional<std::string> GgufHeader::text(const std::string& key, const std::string& source) const {
  const auto entry = keys.find(key);
  if (entry == keys.end()) return std::nullopt;
  if (const auto* value = std::get_if<std::string>(&entry->second)) return *value;
  throw InputError(ErrorKind::BadField, fmt::format("{}: {}", source, one_line(key)), "is no text; expected one");
}

bool looks_like_gguf(std::string_view beginning) { return beginning.starts_with(kMagic); }

GgufHeader parse_gguf_header(std::string_view bytes, const std::string& source) {
  if (!looks_like_gguf(bytes)) {
    throw InputError(ErrorKind::BadField, source, "does not begin with GGUF; expected a GGUF file");
  }
  Cursor cursor(bytes, source);
  cursor.skip(kMagic.size(), "the beginning");
  const auto version = cursor.take<std::uint32_t>("the version");
  if (version < kOldestVersion || version > kNewestVersion) {
    const bool swapped = (version & 0xffffffu) == 0 && version != 0;
    cursor.fail(
        ErrorKind::Unsupported, "the version",
        fmt::format("is {}{}; expected {} or {}", version, swapped ? " (numbers stand with their high byte first)" : "",
                    kOldestVersion, kNewestVersion));
  }
  const std::uint64_t tensors = cursor.take_count("the number of tensors", 24);
  const std::uint64_t keys = cursor.take_count("the number of keys", 13);
  if (tensors > kMostEntries || keys > kMostEntries) {
    cursor.fail(ErrorKind::BadNumber, "the header",
                fmt::format("says that there are {} tensors and {} keys; expected at most {} of each", tensors, keys,
                            kMostEntries));
  }
  GgufHeader header;
  for (std::uint64_t i = 0; i < keys; ++i) {
    const std::string key(cursor.take_text(fmt::format("key {}", i)));
    if (!header.keys.emplace(key, take_value(cursor, key)).second) {
      cursor.fail(ErrorKind::BadField, key, "is given twice; keep one");
    }
  }
  std::vector<TensorPlace> places(tensors);
  for (std::uint64_t i = 0; i < tensors; ++i) {
    header.tensors.push_back(take_tensor(cursor, fmt::format("tensor {}", i), places[i]));
  }
  const std::int64_t alignment =
      header.integer("general.alignment", source).value_or(static_cast<std::int64_t>(kUsualAlignment));
  if (alignment < 1 || alignment > (1 << 30)) {
    cursor.fail(ErrorKind::BadNumber, "general.alignment",
                fmt::format("found {}; expected a small power of two", alignment));
  }
  const auto align = static_cast<std::uint64_t>(alignment);
  const std::uint64_t data_begin = (cursor.position() + align - 1) / align * align;
  header.has_data = bytes.size() > data_begin;
  const std::uint64_t data_bytes = header.has_data ? bytes.size() - data_begin : 0;
  for (std::uint64_t i = 0; i < tensors; ++i) {
    const auto [offset, size] = places[i];
    if (offset % align != 0) {
      cursor.fail(ErrorKind::BadField, header.tensors[i].name,
                  fmt::format("begins at byte {} of the data; expected a multiple of {}", offset, align));
    }
    if (header.has_data && (offset > data_bytes || size > data_bytes - offset)) {
      cursor.fail(
          ErrorKind::BadField, header.tensors[i].name,
          fmt::format("takes {} bytes from byte {} of the data on, but the file has only {} bytes of data; it is "
                      "cut off, or its header is wrong",
                      size, offset, data_bytes));
    }
  }
  return header;
}

}  // namespace partita::detail
