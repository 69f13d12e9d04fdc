// SPDX-License-Identifier: Apache-2.0
#include "partita/read/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "partita/util/nearest_name.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

using nlohmann::json;

std::string describe(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return fmt::format("a list of {}", value.size());
  constexpr std::size_t kLongest = 60;
  return one_line(value.dump(-1, ' ', false, json::error_handler_t::replace), kLongest);
}

}  // namespace

std::string one_line(std::string_view text, std::size_t longest) { return visible(text, longest); }

std::string Place::path() const {
  std::vector<const Place*> chain;
  for (const Place* place = this; place->parent_; place = place->parent_) chain.push_back(place);
  std::reverse(chain.begin(), chain.end());
  std::string text;
  std::optional<std::int64_t> node_id;
  for (const Place* place : chain) {
    if (place->key_.empty()) {
      text += fmt::format("[{}]", place->index_);
    } else {
      if (!text.empty()) text += '.';
      text += one_line(place->key_);
    }
    if (place->node_id_) node_id = place->node_id_;
  }
  return node_id ? fmt::format("{} (node id {})", text, *node_id) : text;
}

std::string Place::where() const {
  const std::string inside = path();
  return inside.empty() ? *source_ : *source_ + ": " + inside;
}

void Place::fail(ErrorKind kind, const std::string& problem) const { throw InputError(kind, where(), problem); }

bool FieldNames::has(std::string_view name) const {
  return std::ranges::binary_search(names, name, {}, [](const std::string& one) { return std::string_view(one); });
}

void fail_type(const json& value, const Place& place, const char* expected) {
  place.fail(ErrorKind::BadField, fmt::format("found {}; expected {}", describe(value), expected));
}

std::int64_t integer_at(const json& value, const Place& place, const char* expected) {
  const auto too_large = [&] {
    place.fail(ErrorKind::BadNumber,
               fmt::format("{} does not fit a 64-bit integer; expected {}", describe(value), expected));
  };
  if (value.is_number_unsigned()) {
    if (value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) too_large();
    return value.get<std::int64_t>();
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_number_float()) fail_type(value, place, expected);
  const double number = value.get<double>();
  if (number != std::floor(number)) fail_type(value, place, expected);
  constexpr double kExactUpTo = 9007199254740992.0;  // 2^53: beyond it the written digits may be lost already
  if (std::abs(number) > kExactUpTo) too_large();
  return static_cast<std::int64_t>(number);
}

ObjectView::ObjectView(const json& value, const Place& place, const char* expected, const FieldNames* names)
    : object_(&value), place_(&place), names_(names) {
  if (!value.is_object()) fail_type(value, place, expected);
}

bool ObjectView::has_key(const char* key) const { return object_->contains(key); }

const json* ObjectView::find(const char* key) const {
  const auto entry = object_->find(key);
  return entry == object_->end() || entry->is_null() ? nullptr : &*entry;
}

std::string ObjectView::misspelt(const char* key) const {
  if (!names_) return "";
  std::vector<std::string> unknown;
  for (const auto& [name, value] : object_->items()) {
    if (!names_->has(name)) unknown.push_back(name);
  }
  const std::optional<std::string> found = nearest_name(key, unknown);
  return found ? fmt::format("; is \"{}\" meant to be it?", one_line(*found, 60)) : "";
}

const json& ObjectView::required(const char* key, const char* expected) const {
  const json* value = find(key);
  if (!value) {
    place_->member(key).fail(ErrorKind::BadField, fmt::format("is {}; expected {}{}", has_key(key) ? "null" : "missing",
                                                              expected, misspelt(key)));
  }
  return *value;
}

std::optional<double> ObjectView::number(const char* key, const char* expected) const {
  const json* value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_number()) fail_type(*value, place_->member(key), expected);
  return value->get<double>();  // the parser lets no infinite number through
}

double ObjectView::amount(const char* key, const char* expected) const {
  required(key, expected);
  return amount_or(key, 0, expected);
}

double ObjectView::amount_or(const char* key, double fallback, const char* expected) const {
  const double value = number(key, expected).value_or(fallback);
  if (value < 0) {
    place_->member(key).fail(ErrorKind::BadNumber, fmt::format("{} is negative; expected {}", value, expected));
  }
  return value + 0.0;  // -0 becomes 0
}

std::int64_t ObjectView::integer(const char* key, const char* expected) const {
  return integer_at(required(key, expected), place_->member(key), expected);
}

std::optional<std::int64_t> ObjectView::optional_integer(const char* key, const char* expected) const {
  const json* value = find(key);
  if (!value) return std::nullopt;
  return integer_at(*value, place_->member(key), expected);
}

bool ObjectView::flag(const char* key, bool fallback) const {
  const json* value = find(key);
  if (!value) return fallback;
  if (value->is_boolean()) return value->get<bool>();
  if (value->is_number() && (*value == 0 || *value == 1)) return *value == 1;
  fail_type(*value, place_->member(key), "true or false (or 1 or 0)");
}

std::optional<std::string> ObjectView::text(const char* key, const char* expected) const {
  const json* value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_string()) fail_type(*value, place_->member(key), expected);
  return value->get<std::string>();
}

const json& ObjectView::array(const char* key, const char* expected) const {
  const json& value = required(key, expected);
  if (!value.is_array()) fail_type(value, place_->member(key), expected);
  return value;
}

void check_version(const ObjectView& object, const char* format, std::int64_t newest) {
  const std::string one_of = newest == 1 ? "1" : fmt::format("from 1 to {}", newest);
  const std::int64_t version =
      object.integer("version", fmt::format("the version of the {} format, the integer {}", format, one_of).c_str());
  const Place place = object.place().member("version");
  if (version > newest) {
    place.fail(ErrorKind::BadField,
               fmt::format("the {} has version {}, newer than this program, which reads up to {}; use a newer partita",
                           format, version, newest));
  }
  if (version < 1) place.fail(ErrorKind::BadField, fmt::format("found {}; expected {}", version, one_of));
}

}  // namespace partita::detail
