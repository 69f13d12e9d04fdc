// SPDX-License-Identifier: Apache-2.0
#include "partita/read/plan_facts.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "partita/read/json_document.h"
#include "partita/read/text_stream.h"

namespace partita::detail {
namespace {

using nlohmann::json;

class FactsReader final : public DocumentListener {
 public:
  const char* expected() const override { return "a plan written by partita"; }

  Keep keep(const std::string& key) override {
    if (key == "cuts") return Keep::Elements;
    const bool is_read = key == "status" || key == "bound" || key == "time_unit" || key == "node_names";
    return is_read ? Keep::All : Keep::Nothing;
  }

  void element(const std::string&, std::size_t index, const json& value, const json&) override {
    facts.cut_tensors = index + 1;
    if (value.is_object() && value.contains("bytes") && value["bytes"].is_number())
      facts.cut_bytes += value["bytes"].get<double>();
  }

  PlanFacts facts;
};

std::string text_in(const json& document, const char* key) {
  const auto found = document.find(key);
  return found != document.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

PlanFacts parse_plan_facts(std::string_view bytes, const std::string& source) {
  TextStream text(memory_source(bytes), source);
  FactsReader reader;
  const json document = read_json(text, reader);
  PlanFacts facts = std::move(reader.facts);
  if (!document.is_object()) return facts;
  if (document.contains("cuts") && !facts.cut_tensors) facts.cut_tensors = 0;
  facts.status = text_in(document, "status");
  facts.time_unit = text_in(document, "time_unit");
  if (const auto bound = document.find("bound"); bound != document.end() && bound->is_number())
    facts.bound = bound->get<double>();
  const auto names = document.find("node_names");
  if (names == document.end() || !names->is_object()) return facts;
  for (const auto& [key, name] : names->items()) {
    std::int64_t id = 0;
    const auto [rest, error] = std::from_chars(key.data(), key.data() + key.size(), id);
    if (error == std::errc() && rest == key.data() + key.size() && name.is_string())
      facts.names.emplace(id, name.get<std::string>());
  }
  return facts;
}

}  // namespace partita::detail
