// SPDX-License-Identifier: Apache-2.0
// A text to a JSON tree, or to as much of a tree at a time as a reader wants, with errors that say where.
//
// A tree takes up to 35 bytes for a byte of text, so none is built of a long list: its elements are built one at a
// time and handed over. What nobody asked for is checked and dropped. Trees are limited too (kMaxTreeBytes), so what
// reading takes beyond the reader's own result is less than 100 MB, whatever the input.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "partita/read/text_stream.h"

namespace partita::detail {

inline constexpr std::size_t kMaxTreeBytes = std::size_t{64} << 20;

// What to keep of a member of the outermost object.
enum class Keep {
  All,
  Scalars,   // of an object: its members that are neither objects nor lists
  Elements,  // of a list: nothing, its elements are handed over one by one; of anything else: all
  Nothing,   // its key, with null
};

// Who is told of a document while it is read.
class DocumentListener {
 public:
  virtual ~DocumentListener() = default;

  // Completes "expected ..." where the document is a list: one that goes on and on is refused where it begins.
  virtual const char* expected() const = 0;
  virtual Keep keep(const std::string& key) = 0;
  // An element of a list that is kept by elements. `document` holds what was kept of the members before.
  virtual void element(const std::string& key, std::size_t index, const nlohmann::json& value,
                       const nlohmann::json& document) = 0;
};

// What is kept of the document. Throws InputError: NotJson with line and column for a syntax error, BadNumber for NaN,
// Infinity and numbers beyond a double, BadField for a key given twice, Unreadable for trees larger than the limit; and
// whatever the listener throws.
nlohmann::json read_json(TextStream& text, DocumentListener& listener);

// For documents that are small but for some members that nobody reads.
class KeepAllBut final : public DocumentListener {
 public:
  KeepAllBut(const char* expected, std::vector<std::string> dropped)
      : expected_(expected), dropped_(std::move(dropped)) {}

  const char* expected() const override { return expected_; }
  Keep keep(const std::string& key) override;
  void element(const std::string&, std::size_t, const nlohmann::json&, const nlohmann::json&) override {}

 private:
  const char* expected_;
  std::vector<std::string> dropped_;
};

// All of a document of any kind.
nlohmann::json read_json(TextStream& text);

}  // namespace partita::detail
