// SPDX-License-Identifier: Apache-2.0
#include "partita/ask/model_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <initializer_list>
#include <utility>

#include "partita/cost/calibration_file.h"
#include "partita/cost/convert_type.h"
#include "partita/cost/cost.h"
#include "partita/read/bytes.h"
#include "partita/read/network.h"
#include "partita/read/profile.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

std::optional<std::pair<std::string, std::int64_t>> parse_dimension(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  std::int64_t size = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + equals + 1, end, size);
  if (error != std::errc() || rest != end || size < 1 || size > kMostOfADimension) return std::nullopt;
  return std::pair{text.substr(0, equals), size};
}

TransformerOptions transformer_options(const ModelOptions& options) {
  TransformerOptions result;
  if (options.batch) result.batch = *options.batch;
  result.sequence = options.sequence;
  result.context = options.context;
  if (options.phase == "decode") result.phase = TransformerPhase::Decode;
  if (options.phase == "training" || options.training) result.phase = TransformerPhase::Training;
  if (options.type) result.type = data_type(*options.type);
  return result;
}

// All of them, by the name that plans know and by the one that messages use, for what is done to each in turn.
template <class Options, class Visit>
void for_each_option(Options& options, Visit visit) {
  visit("dim", "ModelOptions::dimensions", options.dimensions);
  visit("batch", "ModelOptions::batch", options.batch);
  visit("sequence", "ModelOptions::sequence", options.sequence);
  visit("context", "ModelOptions::context", options.context);
  visit("phase", "ModelOptions::phase", options.phase);
  visit("dtype", "ModelOptions::type", options.type);
  visit("training", "ModelOptions::training", options.training);
  visit("optimizer", "ModelOptions::optimizer", options.optimizer);
  visit("shared-weights", "ModelOptions::shared_weights", options.shared_weights);
  visit("profile", "ModelOptions::profile", options.profile);
  visit("profile-on", "ModelOptions::profile_on", options.profile_on);
  visit("efficiencies", "ModelOptions::efficiencies", options.efficiencies);
}

bool is_given(bool flag) { return flag; }
bool is_given(const std::vector<std::string>& list) { return !list.empty(); }
template <class T>
bool is_given(const std::optional<T>& value) {
  return value.has_value();
}

std::string text_of(bool flag) { return flag ? "true" : "false"; }
std::string text_of(const std::vector<std::string>& list) { return fmt::format("{}", fmt::join(list, ",")); }
template <class T>
std::string text_of(const std::optional<T>& value) {
  return fmt::format("{}", *value);
}

// What text_of() wrote. Is `text` that?
bool set_from(const std::string& text, bool& flag) {
  flag = text == "true";
  return flag || text == "false";
}
bool set_from(const std::string& text, std::vector<std::string>& list) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    list.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return true;
}
bool set_from(const std::string& text, std::optional<std::string>& word) {
  word = text;
  return true;
}
bool set_from(const std::string& text, std::optional<int>& number) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  number = value;
  return error == std::errc() && rest == end && value >= 1;
}

bool trains(const ModelOptions& options) { return options.training || options.phase == "training"; }

// A command line has been checked already, but options may also be made by hand.
void check_word(const std::optional<std::string>& given, const char* field, std::initializer_list<const char*> words) {
  if (!given || std::ranges::any_of(words, [&](const char* word) { return *given == word; })) return;
  throw InputError(ErrorKind::Usage, field,
                   fmt::format("'{}' is not one of its values; expected {}", *given, fmt::join(words, " or ")));
}

void check_model_options(const ModelOptions& options) {
  check_word(options.phase, "ModelOptions::phase", {"prefill", "decode", "training"});
  check_word(options.optimizer, "ModelOptions::optimizer", {"sgd", "adam"});
  check_word(options.shared_weights, "ModelOptions::shared_weights", {"copied", "together"});
  for (const auto& [size, field] :
       {std::pair{options.batch, "ModelOptions::batch"}, std::pair{options.sequence, "ModelOptions::sequence"},
        std::pair{options.context, "ModelOptions::context"}}) {
    if (size && *size < 1)
      throw InputError(ErrorKind::Usage, field, fmt::format("found {}; expected a whole number from 1 on", *size));
  }
  if (options.type && !data_type(*options.type)) {
    throw InputError(ErrorKind::Usage, "ModelOptions::type",
                     fmt::format("'{}' is not the name of a type; expected one such as bf16", *options.type));
  }
  if (options.training && options.phase && options.phase != "training") {
    throw InputError(ErrorKind::Usage, "ModelOptions::phase",
                     fmt::format("'{}' does not go with ModelOptions::training", *options.phase));
  }
  if (options.optimizer && !trains(options))
    throw InputError(ErrorKind::Usage, "ModelOptions::optimizer", "only with ModelOptions::training");
  if (options.profile_on && !options.profile)
    throw InputError(ErrorKind::Usage, "ModelOptions::profile_on", "only with ModelOptions::profile");
}

}  // namespace

ReadNetworkOptions network_options(const ModelOptions& options) {
  ReadNetworkOptions result;
  for (const std::string& text : options.dimensions) {
    const auto dimension = parse_dimension(text);
    if (!dimension)
      throw InputError(ErrorKind::Usage, "ModelOptions::dimensions",
                       fmt::format("'{}' is not NAME=SIZE, such as batch=8", text));
    result.dimensions.insert(*dimension);
  }
  return result;
}

bool is_model(const std::string& path) {
  if (path == "-") return false;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return std::filesystem::exists(path + "/config.json", ignored);
  if (path.ends_with(".onnx") || path.ends_with(".gguf")) return true;  // whatever it holds: its reader will say
  return looks_like_model(beginning_of(path));
}

Network read_model_network(const std::string& path, const ModelOptions& options) {
  check_model_options(options);
  Network network = read_network(path, network_options(options), transformer_options(options));
  if (options.type) convert_floats(network, *data_type(*options.type));
  return network;
}

Workload read_model_workload(const std::string& path, const ModelOptions& options, const PlatformSpec& platform) {
  const Network network = read_model_network(path, options);
  CostOptions cost;
  cost.training = trains(options);
  if (options.optimizer == "sgd") cost.optimizer = Optimizer::Sgd;
  if (options.shared_weights == "together") cost.shared_weights = SharedWeights::Together;
  if (options.efficiencies) cost.efficiencies = read_efficiencies(*options.efficiencies);
  std::vector<std::string> notes;
  if (options.profile) {
    Profile profile = read_profile(*options.profile, network);
    cost.measured = std::move(profile.times);
    cost.measured_on = options.profile_on.value_or("");
    notes = std::move(profile.notes);
  }
  Workload workload = cost_workload(network, platform, cost);
  workload.notes.insert(workload.notes.end(), notes.begin(), notes.end());
  return workload;
}

void refuse_model_options(const ModelOptions& options) {
  for_each_option(options, [](const char*, const char* field, const auto& value) {
    if (!is_given(value)) return;
    throw InputError(ErrorKind::Usage, field, "only for model files; a workload has its costs already");
  });
}

std::vector<std::pair<std::string, std::string>> recorded(const ModelOptions& options) {
  std::vector<std::pair<std::string, std::string>> record;
  for_each_option(options, [&record](const char* name, const char*, const auto& value) {
    if (is_given(value)) record.emplace_back(name, text_of(value));
  });
  return record;
}

ModelOptions with_recorded(ModelOptions options, const ModelRecord& record) {
  for_each_option(options, [&record](const char* name, const char* field, auto& value) {
    if (is_given(value)) return;
    for (const auto& [recorded_name, text] : record.options) {
      if (recorded_name == name && !set_from(text, value)) {
        throw InputError(ErrorKind::BadField, fmt::format("model.options.{}", name),
                         fmt::format("'{}' is not a value of {}; give one that is", text, field));
      }
    }
  });
  return options;
}

}  // namespace partita::detail
