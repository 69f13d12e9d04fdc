// SPDX-License-Identifier: Apache-2.0
// The fields of a config.json, under the names that the families and the years gave them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "partita/read/fields.h"
#include "partita/read/huggingface/transformer_shape.h"

namespace partita::detail {

// A field may have several names, of which the first that is there counts; null counts as not there. Sizes are from 1
// to kLargestExtent.
class Config {
 public:
  using Names = std::initializer_list<const char*>;

  // `outer`: the file's own object, where `fields` are of an object inside it ("text_config"); may be null.
  Config(const ObjectView& fields, const ObjectView* outer) : fields_(&fields), outer_(outer) {}

  const ObjectView& fields() const { return *fields_; }
  const Place& place() const { return fields_->place(); }

  std::int64_t size(Names names, const char* what) const;
  std::int64_t size_or(Names names, std::int64_t fallback, const char* what) const;
  std::optional<std::int64_t> optional_size(Names names, const char* what) const;
  std::int64_t count_or(const char* name, std::int64_t fallback, const char* what) const;  // 0 is one
  bool flag(Names names, bool fallback) const;

  // Says which of the fields that size_or filled in are worth knowing.
  void note_fallbacks(std::vector<std::string>& notes, const std::string& family) const;

  // "LlamaForCausalLM", or an empty text.
  std::string architecture() const;
  // `dtype` or `torch_dtype`, with or without "torch." before it; bf16 where there is neither.
  DataType type(std::vector<std::string>& notes) const;
  // How many labels a classifier has.
  std::int64_t labels() const;
  // Whether each layer's attention is windowed, where the file has a list; else by `rule`.
  template <class Rule>
  void set_windows(std::vector<LayerShape>& layers, std::int64_t window, Rule rule) const {
    const std::vector<bool> listed = listed_windows(layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const bool windowed = listed.empty() ? rule(static_cast<std::int64_t>(i)) : static_cast<bool>(listed[i]);
      if (windowed) layers[i].window = window;
    }
  }

 private:
  const nlohmann::json* find(Names names, const char** found) const;
  std::vector<bool> listed_windows(std::size_t layers) const;

  const ObjectView* fields_;
  const ObjectView* outer_;
  mutable std::vector<std::string> filled_in_;
};

}  // namespace partita::detail
