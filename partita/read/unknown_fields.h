// SPDX-License-Identifier: Apache-2.0
// Fields that no reader knows. One that is misspelt would be passed over in silence, and the answer would be that of
// another question.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "partita/read/fields.h"

namespace partita::detail {

// Every object may have a field `meta`, which is for whatever people like to keep.
class UnknownFields {
 public:
  // `strict`: the first one is an InputError(BadField).
  explicit UnknownFields(bool strict) : strict_(strict) {}

  // Looks at all fields of an object. `names` must outlive this.
  void look_at(const nlohmann::json& object, const Place& place, const FieldNames& names);
  // Looks at one that is there, as a field of the object at `place`.
  void look_at_field(std::string_view field, const Place& place, const FieldNames& names);

  // A line for each kind of object and each name: where it was first, how often there was one, what may be meant.
  std::vector<std::string> notes() const;

 private:
  struct Seen {
    std::string where;
    std::size_t count = 0;
  };

  bool strict_;
  std::map<std::pair<const FieldNames*, std::string>, Seen> seen_;
  std::vector<std::pair<const FieldNames*, std::string>> order_;  // in which they came
  std::size_t others_ = 0;                                        // beyond the most that are told apart
};

}  // namespace partita::detail
