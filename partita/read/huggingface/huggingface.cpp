// SPDX-License-Identifier: Apache-2.0
// A file says its family in `model_type`, or by the name of its class in `architectures`. Models of text and images
// (Gemma 3) have the text's part in `text_config`; that part is read.
#include "partita/read/huggingface/huggingface.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "partita/read/bytes.h"
#include "partita/read/fields.h"
#include "partita/read/huggingface/families.h"
#include "partita/read/huggingface/transformer.h"
#include "partita/read/json_document.h"
#include "partita/read/json_words.h"
#include "partita/read/source_label.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

using nlohmann::json;

constexpr const char* kExpected = "a config.json of the Transformers library: an object with model_type";

// Is called by its folder where it has the name that all of them have.
std::string name_of(const std::string& source, const std::string& family) {
  const std::string label = label_of(source);
  if (label != "config") return label;
  const std::string folder = label_of(std::filesystem::path(source).parent_path().string());
  return folder.empty() || folder == "." || folder == ".." ? family : folder;
}

const Family& family_of(const ObjectView& file, std::string& said) {
  said = file.text("model_type", "the family, a text").value_or("");
  const Family* family = find_family(said);
  if (said.empty()) {
    const Config config(file, nullptr);
    said = config.architecture();
    if (said.empty()) {
      file.place().member("model_type").fail(ErrorKind::BadField, fmt::format("is missing; expected {}", kExpected));
    }
    family = find_family_of(said);
  }
  if (!family) {
    file.place()
        .member("model_type")
        .fail(ErrorKind::Unsupported,
              fmt::format("the family \"{}\" is not read; expected one of {}", one_line(said, 60), family_names()));
  }
  return *family;
}

void note_quantisation(const ObjectView& file, bool has_checkpoint, std::vector<std::string>& notes) {
  const json* quantised = file.find("quantization_config");
  if (!quantised || has_checkpoint) return;
  const auto method = quantised->is_object() ? quantised->find("quant_method") : quantised->end();
  const bool named = quantised->is_object() && method != quantised->end() && method->is_string();
  notes.push_back(
      fmt::format("{}: weights are quantised ({}), but sizes are those of the type that it names; read it with its "
                  "safetensors files for those that are stored",
                  file.place().where(), named ? one_line(method->get<std::string>(), 60) : "unknown"));
}

Network read_config(const json& document, const std::string& source, const TransformerOptions& options,
                    Checkpoint* checkpoint) {
  const Place root(source);
  const ObjectView file(document, root, kExpected);
  std::string said;
  const Family& family = family_of(file, said);
  const Place text_place = root.member("text_config");
  std::optional<ObjectView> text;
  if (const json* inside = file.find("text_config"))
    text.emplace(*inside, text_place, "the sizes of the part for text");
  const Config config = text ? Config(*text, &file) : Config(file, nullptr);
  FamilyShape read = family.read(config);
  if (text) {
    read.shape.notes.push_back(fmt::format("{}: only the part for text (text_config) is read", root.where()));
  }
  note_quantisation(file, checkpoint != nullptr, read.shape.notes);
  return build_transformer(read.shape, read.names, options, name_of(source, said), source, checkpoint);
}

}  // namespace

bool looks_like_huggingface(std::string_view beginning) {
  return json_has_word(beginning, "model_type") || json_has_word(beginning, "architectures");
}

Network read_huggingface(const std::string& path, const TransformerOptions& options, Checkpoint* checkpoint) {
  TextStream text(file_source(path), source_name(path));
  return read_config(read_json(text), text.source(), options, checkpoint);
}

Network parse_huggingface(std::string_view bytes, const std::string& source, const TransformerOptions& options,
                          Checkpoint* checkpoint) {
  TextStream text(memory_source(bytes), source);
  return read_config(read_json(text), source, options, checkpoint);
}

}  // namespace partita::detail
