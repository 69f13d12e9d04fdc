// SPDX-License-Identifier: Apache-2.0
#include "partita/read/unknown_fields.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "partita/util/nearest_name.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

constexpr std::size_t kMostNames = 20;  // told apart: a file may be made of nothing else

std::string suggestion(const FieldNames& names, const std::string& field) {
  const std::optional<std::string> meant = nearest_name(field, names.names);
  return meant ? "; did you mean " + *meant + "?" : "";
}

}  // namespace

void UnknownFields::look_at(const nlohmann::json& object, const Place& place, const FieldNames& names) {
  // Both are in the order of their letters.
  auto known = names.names.begin();
  for (auto field = object.begin(); field != object.end(); ++field) {
    while (known != names.names.end() && *known < field.key()) ++known;
    if (known == names.names.end() || *known != field.key()) look_at_field(field.key(), place, names);
  }
}

void UnknownFields::look_at_field(std::string_view field, const Place& place, const FieldNames& names) {
  if (field == "meta" || names.has(field)) return;
  const std::string name(field);
  if (strict_) {
    place.member(field).fail(ErrorKind::BadField,
                             fmt::format("is not a field of {}{}", names.kind, suggestion(names, name)));
  }
  const std::pair key(&names, name);
  auto entry = seen_.find(key);
  if (entry == seen_.end()) {
    if (seen_.size() == kMostNames) {
      ++others_;
      return;
    }
    entry = seen_.emplace(key, Seen{visible(place.member(field).where())}).first;
    order_.push_back(key);
  }
  ++entry->second.count;
}

std::vector<std::string> UnknownFields::notes() const {
  std::vector<std::string> lines;
  for (const auto& key : order_) {
    const Seen& seen = seen_.at(key);
    const std::string times = seen.count > 1 ? fmt::format(" ({} times)", seen.count) : "";
    lines.push_back(fmt::format("{}: is not a field of {}, so it is passed over{}{}", seen.where, key.first->kind,
                                times, suggestion(*key.first, key.second)));
  }
  if (others_ > 0) lines.push_back(fmt::format("{} more fields that are not known are passed over", others_));
  return lines;
}

}  // namespace partita::detail
