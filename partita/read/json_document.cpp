// SPDX-License-Identifier: Apache-2.0
// nlohmann::json::parse would do, but it builds the whole tree, forgets where a number overflows, keeps the last of two
// equal keys in silence and does not say to which field a syntax error belongs. So its parser drives a builder of our
// own, which knows the path of the value being read. The parser and the tree's destructor are iterative: depth is no
// danger.
#include "partita/read/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <istream>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>
#include <vector>

#include "partita/read/fields.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxDepth = 500;  // our formats need 5; the rest is for whatever people keep beside them

// What values take in a tree, with what the allocator adds: about what was measured, and not less.
constexpr std::size_t kElementBytes = 32;    // in a list, which grows by doubling
constexpr std::size_t kMemberBytes = 96;     // in an object, with its key
constexpr std::size_t kContainerBytes = 64;  // of a list or an object itself
constexpr std::size_t kTextBytes = 48;       // beside its letters
constexpr std::size_t kSeenKeyBytes = 48;    // of an object that is dropped

bool is_number_beyond_json(std::string_view word) {
  std::string lower(word.starts_with('-') || word.starts_with('+') ? word.substr(1) : word);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

// The parser's own words without the parts that we say better: "[json...] parse error at line 1, column 2: syntax error
// while parsing value - invalid literal; last read: '...'; expected ...".
std::string syntax_problem(const std::string& what) {
  std::string text = what;
  const std::size_t lead = text.find("syntax error");
  if (lead != std::string::npos) text.erase(0, lead);
  const std::size_t last_read = text.find("; last read:");
  if (last_read != std::string::npos) {
    const std::size_t expected = text.rfind("; expected ");
    const std::string tail = expected != std::string::npos && expected > last_read ? text.substr(expected) : "";
    text = text.substr(0, last_read) + tail;
  }
  return one_line(text);
}

class DocumentBuilder final : public nlohmann::json_sax<json> {
 public:
  DocumentBuilder(TextStream& text, DocumentListener* listener) : text_(text), listener_(listener) {}

  json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool binary(binary_t&) override { return false; }  // only in formats other than JSON
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool string(string_t& value) override {
    if (keeps_next(false)) charge(kTextBytes + value.size());
    return add(std::move(value));
  }

  bool key(string_t& name) override {
    text_.token_ends();
    Level& level = levels_.back();
    level.key = std::move(name);
    bool is_new = true;
    if (level.container) {
      charge(kMemberBytes + level.key.size());
      const auto [entry, added] = level.container->emplace(level.key, nullptr);
      level.slot = &*entry;
      is_new = added;
    } else {
      charge(kSeenKeyBytes);
      level.dropped_bytes += kSeenKeyBytes;
      is_new = level.dropped_keys.insert(std::hash<std::string>()(level.key)).second;
    }
    if (!is_new) throw InputError(ErrorKind::BadField, text_.source() + ": " + path(), "is given twice; keep one");
    if (levels_.size() == 1) keep_ = listener_ ? listener_->keep(level.key) : Keep::All;
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& error) override {
    const std::size_t offset = position > 0 ? position - 1 : 0;  // of the last byte read
    const std::string field = path();
    const std::string where =
        fmt::format("{}: {}{}{}", text_.source(), text_.line_and_column(offset), field.empty() ? "" : ", in ", field);
    constexpr int kNumberOverflow = 406;
    if (error.id == kNumberOverflow) {
      throw InputError(
          ErrorKind::BadNumber, where,
          fmt::format("{} is too large; expected a finite number (at most about 1.8e308)", one_line(token)));
    }
    if (const std::string word = text_.word_at(offset); is_number_beyond_json(word)) {
      throw InputError(ErrorKind::BadNumber, where,
                       fmt::format("found {}; expected a finite number (where a node cannot run on a device, leave its "
                                   "latency out and set supportedOnFpga or supportedOnCpu to false)",
                                   word));
    }
    throw InputError(ErrorKind::NotJson, where, "not JSON: " + syntax_problem(error.what()));
  }

 private:
  struct Level {
    bool is_list;
    json* container;        // null: what is in it is dropped
    Keep keep = Keep::All;  // of what is in it
    std::size_t count = 0;  // elements of a list that are complete
    std::string key = {};   // of the member being read
    json* slot = nullptr;   // where its value goes
    std::size_t dropped_bytes = 0;
    // Hashes of the keys of an object that is dropped. Two keys with the same hash, taken for one key, would take luck
    // that nobody has: 2^-24 for a million keys.
    std::unordered_set<std::size_t> dropped_keys = {};
  };

  // The path of the value being read.
  std::string path() const {
    std::string text;
    for (const Level& level : levels_) {
      if (level.is_list) {
        text += fmt::format("[{}]", level.count);
      } else if (!level.key.empty()) {
        text += (text.empty() ? "" : ".") + level.key;
      }
    }
    return one_line(text);
  }

  void charge(std::size_t bytes) {
    tree_bytes_ += bytes;
    if (tree_bytes_ <= kMaxTreeBytes) return;
    const std::string field = path();
    throw InputError(
        ErrorKind::Unreadable, text_.source() + (field.empty() ? "" : ": " + field),
        fmt::format("takes more than {} MiB of memory to read, the most for one part of a file", kMaxTreeBytes >> 20));
  }

  // Is the value kept that comes next?
  bool keeps_next(bool is_container) const {
    if (levels_.empty()) return true;
    const Level& level = levels_.back();
    if (!level.container || (is_container && level.keep == Keep::Scalars)) return false;
    return levels_.size() > 1 || level.is_list || keep_ != Keep::Nothing;
  }

  // Puts the value where it belongs.
  template <class T>
  json* place(T&& value) {
    if (levels_.empty()) return &(root_ = std::forward<T>(value));
    Level& level = levels_.back();
    if (!level.is_list) return &(*level.slot = std::forward<T>(value));
    charge(kElementBytes);
    if (level.keep == Keep::Elements) return &(element_ = std::forward<T>(value));
    level.container->push_back(std::forward<T>(value));
    return &level.container->back();
  }

  template <class T>
  bool add(T&& value) {
    text_.token_ends();
    if (keeps_next(false)) place(std::forward<T>(value));
    value_ends();
    return true;
  }

  // A container never moves while it is open: its parent adds nothing until it is closed.
  bool open(bool is_list) {
    text_.token_ends();
    if (levels_.size() == kMaxDepth) {
      throw InputError(ErrorKind::NotJson, text_.source(), fmt::format("is nested deeper than {} levels", kMaxDepth));
    }
    if (levels_.empty() && is_list && listener_) {
      throw InputError(ErrorKind::BadField, text_.source(),
                       fmt::format("found a list; expected {}", listener_->expected()));
    }
    const bool is_member = levels_.size() == 1 && !levels_.front().is_list;
    json* container = nullptr;
    if (keeps_next(true) && !(is_member && is_list && keep_ == Keep::Scalars)) {
      charge(kContainerBytes);
      container = place(is_list ? json::array() : json::object());
    }
    const bool by_rule = is_member && container && (keep_ != Keep::Elements || is_list);
    levels_.push_back({is_list, container, by_rule ? keep_ : Keep::All});
    if (levels_.back().keep == Keep::Elements) before_elements_ = tree_bytes_;
    return true;
  }

  bool close() {
    text_.token_ends();
    tree_bytes_ -= levels_.back().dropped_bytes;
    levels_.pop_back();
    value_ends();
    return true;
  }

  void value_ends() {
    if (levels_.empty()) return;
    Level& level = levels_.back();
    if (level.keep == Keep::Elements) {
      listener_->element(levels_.front().key, level.count, element_, root_);
      element_ = nullptr;
      tree_bytes_ = before_elements_;
    }
    ++level.count;
  }

  TextStream& text_;
  DocumentListener* listener_;  // null: all is kept
  json root_;
  json element_;           // of a list that is kept by elements
  Keep keep_ = Keep::All;  // of the outermost object's member that is being read
  std::vector<Level> levels_;
  std::size_t tree_bytes_ = 0;
  std::size_t before_elements_ = 0;
};

json parse(TextStream& text, DocumentListener* listener) {
  DocumentBuilder builder(text, listener);
  std::istream stream(&text);
  try {
    json::sax_parse(stream, &builder);
  } catch (const InputError&) {
    text.look_for_damage();  // which would be the cause of what was found
    throw;
  }
  return builder.take();
}

}  // namespace

Keep KeepAllBut::keep(const std::string& key) {
  return std::ranges::find(dropped_, key) == dropped_.end() ? Keep::All : Keep::Nothing;
}

json read_json(TextStream& text, DocumentListener& listener) { return parse(text, &listener); }

json read_json(TextStream& text) { return parse(text, nullptr); }

}  // namespace partita::detail
