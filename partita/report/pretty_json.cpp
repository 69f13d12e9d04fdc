// SPDX-License-Identifier: Apache-2.0
#include "partita/report/pretty_json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace partita::detail {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kInlineMembers = 3;
constexpr double kExactIntegers = 9007199254740992;  // 2^53: up to here every whole double is an exact integer

std::string plain(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

bool fits_one_line(const Json& value, bool in_list) {
  if (value.empty()) return true;
  const bool flat = std::none_of(value.begin(), value.end(), [](const Json& item) { return item.is_structured(); });
  return flat && (value.is_array() || in_list || value.size() <= kInlineMembers);
}

void write(const Json& value, std::size_t indent, bool in_list, std::string& out) {
  if (!value.is_structured()) {
    out += plain(value);
    return;
  }
  const bool object = value.is_object();
  const bool inline_items = fits_one_line(value, in_list);
  const auto new_line = [&out](std::size_t spaces) { out.append(1, '\n').append(spaces, ' '); };
  out += object ? '{' : '[';
  bool first = true;
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (!first) out += inline_items ? ", " : ",";
    first = false;
    if (!inline_items) new_line(indent + 2);
    if (object) out += plain(Json(item.key())) + ": ";
    write(*item, indent + 2, !object, out);
  }
  if (!inline_items) new_line(indent);
  out += object ? '}' : ']';
}

}  // namespace

std::string pretty_json(const Json& value) {
  std::string out;
  write(value, 0, false, out);
  out += '\n';
  return out;
}

Json whole_if_exact(double value) {
  if (std::abs(value) <= kExactIntegers && std::trunc(value) == value) return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace partita::detail
