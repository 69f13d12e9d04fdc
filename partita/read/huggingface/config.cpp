// SPDX-License-Identifier: Apache-2.0
#include "partita/read/huggingface/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "partita/read/huggingface/transformer.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

using nlohmann::json;

std::int64_t checked_size(std::int64_t value, std::int64_t least, const Place& place, const char* what) {
  if (value >= least && value <= kLargestExtent) return value;
  place.fail(ErrorKind::BadNumber,
             fmt::format("found {}; expected {}, an integer from {} to {}", value, what, least, kLargestExtent));
}

}  // namespace

const json* Config::find(Names names, const char** found) const {
  for (const char* name : names) {
    if (const json* value = fields_->find(name)) {
      *found = name;
      return value;
    }
  }
  return nullptr;
}

std::optional<std::int64_t> Config::optional_size(Names names, const char* what) const {
  const char* name = nullptr;
  const json* value = find(names, &name);
  if (!value) return std::nullopt;
  const Place place = fields_->place().member(name);
  return checked_size(integer_at(*value, place, what), 1, place, what);
}

std::int64_t Config::size(Names names, const char* what) const {
  if (const std::optional<std::int64_t> value = optional_size(names, what)) return *value;
  fields_->place().member(*names.begin()).fail(ErrorKind::BadField, fmt::format("is missing; expected {}", what));
}

std::int64_t Config::size_or(Names names, std::int64_t fallback, const char* what) const {
  if (const std::optional<std::int64_t> value = optional_size(names, what)) return *value;
  filled_in_.push_back(fmt::format("{} = {}", *names.begin(), fallback));
  return fallback;
}

std::int64_t Config::count_or(const char* name, std::int64_t fallback, const char* what) const {
  const std::optional<std::int64_t> value = fields_->optional_integer(name, what);
  return value ? checked_size(*value, 0, fields_->place().member(name), what) : fallback;
}

bool Config::flag(Names names, bool fallback) const {
  for (const char* name : names) {
    if (fields_->find(name)) return fields_->flag(name, fallback);
  }
  if (outer_) {
    for (const char* name : names) {
      if (outer_->find(name)) return outer_->flag(name, fallback);
    }
  }
  return fallback;
}

void Config::note_fallbacks(std::vector<std::string>& notes, const std::string& family) const {
  if (filled_in_.empty()) return;
  notes.push_back(fmt::format("{}: does not say all, so what is usual for {} is taken: {}", fields_->place().where(),
                              family, fmt::join(filled_in_, ", ")));
}

std::string Config::architecture() const {
  for (const ObjectView* view : {outer_, fields_}) {
    const json* list = view ? view->find("architectures") : nullptr;
    if (!list) continue;
    if (!list->is_array()) fail_type(*list, view->place().member("architectures"), "a list of names");
    if (!list->empty() && list->front().is_string()) return list->front().get<std::string>();
  }
  return {};
}

DataType Config::type(std::vector<std::string>& notes) const {
  constexpr const char* kExpected = "the type of the weights, such as \"bfloat16\"";
  for (const ObjectView* view : {fields_, outer_}) {
    if (!view) continue;
    for (const char* key : {"dtype", "torch_dtype"}) {
      std::optional<std::string> word = view->text(key, kExpected);
      if (!word) continue;
      if (word->starts_with("torch.")) word->erase(0, 6);
      if (*word == "auto") continue;
      const std::optional<DataType> type = data_type(*word);
      if (type && bits_of(*type)) return *type;
      view->place().member(key).fail(ErrorKind::BadField,
                                     fmt::format("found \"{}\"; expected {}", one_line(*word, 60), kExpected));
    }
  }
  notes.push_back(fmt::format("{}: names no type of its weights (dtype or torch_dtype), so it is taken for bf16",
                              fields_->place().where()));
  return DataType::BFloat16;
}

std::int64_t Config::labels() const {
  if (const auto count = optional_size({"num_labels"}, "the number of classes")) return *count;
  if (const json* names = fields_->find("id2label")) {
    if (!names->is_object()) fail_type(*names, place().member("id2label"), "an object with a name for each class");
    if (!names->empty()) return static_cast<std::int64_t>(names->size());
  }
  return size_or({"num_labels"}, 2, "the number of classes");  // what the library takes where nobody says
}

std::vector<bool> Config::listed_windows(std::size_t layers) const {
  const json* list = fields_->find("layer_types");
  if (!list) return {};
  const Place place = fields_->place().member("layer_types");
  if (!list->is_array()) fail_type(*list, place, "a list of texts");
  if (list->size() != layers) {
    place.fail(ErrorKind::BadField,
               fmt::format("has {} entries; expected {}, one for each layer", list->size(), layers));
  }
  std::vector<bool> windowed;
  for (std::size_t i = 0; i < layers; ++i) {
    constexpr const char* kExpected = "\"full_attention\" or \"sliding_attention\"";
    const json& entry = (*list)[i];
    const Place here = place.element(i);
    if (!entry.is_string()) fail_type(entry, here, kExpected);
    const auto& word = entry.get_ref<const std::string&>();
    if (word != "full_attention" && word != "sliding_attention") {
      here.fail(ErrorKind::Unsupported,
                fmt::format("found \"{}\", which is not read; expected {}", one_line(word, 60), kExpected));
    }
    windowed.push_back(word == "sliding_attention");
  }
  return windowed;
}

}  // namespace partita::detail
