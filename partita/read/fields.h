// SPDX-License-Identifier: Apache-2.0
// Typed access to the fields of a JSON tree, with errors that name the field by its path.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partita/util/error.h"

namespace partita::detail {

// Text from a file, fit for a one-line message: made visible, and shortened when long.
std::string one_line(std::string_view text, std::size_t longest = 200);

// A place in a document, kept as a chain to its parents so that it costs nothing until an error needs its name. Each
// place must outlive the places made from it.
class Place {
 public:
  explicit Place(const std::string& source) : source_(&source) {}

  Place member(std::string_view key) const { return Place(*this, key, 0); }
  Place element(std::size_t index) const { return Place(*this, {}, index); }
  void set_node_id(std::int64_t id) { node_id_ = id; }  // people look for a node by id, not by position

  // "nodes[17].cpuLatency (node id 42)"; empty for the document itself.
  std::string path() const;
  std::string where() const;  // the same with the document's name before it
  [[noreturn]] void fail(ErrorKind kind, const std::string& problem) const;

 private:
  Place(const Place& parent, std::string_view key, std::size_t index)
      : source_(parent.source_), parent_(&parent), key_(key), index_(index) {}

  const std::string* source_;
  const Place* parent_ = nullptr;
  std::string_view key_;  // empty: an element of an array
  std::size_t index_ = 0;
  std::optional<std::int64_t> node_id_;
};

// The fields that objects of one kind have, such as "a node". Names in the order of their letters' codes.
struct FieldNames {
  const char* kind;
  std::vector<std::string> names;

  bool has(std::string_view name) const;
};

// One JSON object. A field that is null counts as absent. `expected` completes "expected ..." in messages.
class ObjectView {
 public:
  // Who misspells a field of `names` that must be there is told which one was found instead. They must outlive the
  // view.
  ObjectView(const nlohmann::json& value, const Place& place, const char* expected, const FieldNames* names = nullptr);

  const Place& place() const { return *place_; }
  const nlohmann::json& object() const { return *object_; }
  bool has_key(const char* key) const;  // even if null
  const nlohmann::json* find(const char* key) const;

  double amount(const char* key, const char* expected) const;  // finite and not negative
  double amount_or(const char* key, double fallback, const char* expected) const;
  std::optional<double> number(const char* key, const char* expected) const;  // finite, any sign
  std::int64_t integer(const char* key, const char* expected) const;
  std::optional<std::int64_t> optional_integer(const char* key, const char* expected) const;
  bool flag(const char* key, bool fallback) const;  // true, false, 0 or 1
  std::optional<std::string> text(const char* key, const char* expected) const;
  const nlohmann::json& array(const char* key, const char* expected) const;

 private:
  const nlohmann::json& required(const char* key, const char* expected) const;
  std::string misspelt(const char* key) const;  // words to add to a message; empty where nothing looks like the key

  const nlohmann::json* object_;
  const Place* place_;
  const FieldNames* names_;
};

// An integer that fits 64 bits; 3.0 counts as 3.
std::int64_t integer_at(const nlohmann::json& value, const Place& place, const char* expected);

// Throws where the object's `version` is none, or newer than the newest that is known of `format` ("platform").
void check_version(const ObjectView& object, const char* format, std::int64_t newest);

[[noreturn]] void fail_type(const nlohmann::json& value, const Place& place, const char* expected);

}  // namespace partita::detail
