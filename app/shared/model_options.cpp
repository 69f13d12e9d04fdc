// SPDX-License-Identifier: Apache-2.0
#include "app/shared/model_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include "app/shared/help_formatter.h"
#include "app/shared/options.h"
#include "partita/cost/calibration_file.h"
#include "partita/cost/convert_type.h"
#include "partita/cost/cost.h"
#include "partita/read/bytes.h"
#include "partita/read/network.h"
#include "partita/read/profile.h"
#include "partita/util/error.h"

namespace partita::detail::app {
namespace {

constexpr std::int64_t kMostOfADimension = 1'000'000'000;

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

// All of them by name, for what is done to each in turn.
template <class Options, class Visit>
void for_each_option(Options& options, Visit visit) {
  visit("dim", options.dimensions);
  visit("batch", options.batch);
  visit("sequence", options.sequence);
  visit("context", options.context);
  visit("phase", options.phase);
  visit("dtype", options.type);
  visit("training", options.training);
  visit("optimizer", options.optimizer);
  visit("shared-weights", options.shared_weights);
  visit("profile", options.profile);
  visit("profile-on", options.profile_on);
  visit("efficiencies", options.efficiencies);
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

void check_model_options(const ModelOptions& options) {
  if (options.type && !data_type(*options.type)) {
    throw InputError(ErrorKind::Usage, "--dtype",
                     fmt::format("'{}' is not the name of a type; expected one such as bf16", *options.type));
  }
  if (options.training && options.phase && options.phase != "training") {
    throw InputError(ErrorKind::Usage, "--phase", fmt::format("'{}' does not go with --training", *options.phase));
  }
  if (options.optimizer && !trains(options)) throw InputError(ErrorKind::Usage, "--optimizer", "only with --training");
  if (options.profile_on && !options.profile) throw InputError(ErrorKind::Usage, "--profile-on", "only with --profile");
}

}  // namespace

void add_model_options(Command& command, ModelOptions& options) {
  command.group(kModelGroup);
  command.add_option("--dim", options.dimensions, "ONNX: the size of a dimension that the file names: batch=8,seq=512")
      .delimiter(',')
      .option_text("NAME=SIZE,...");
  whole(command.add_option("--batch", options.batch, "Transformers: sequences or images in one sample (default 1)"),
        "N", 1, kMostOfADimension);
  whole(command.add_option("--sequence", options.sequence,
                           "Transformers: tokens of a sequence (default 2048, or all positions there are)"),
        "N", 1, kMostOfADimension);
  whole(command.add_option("--context", options.context,
                           "Transformers: tokens of each sequence that the KV cache has room for (default --sequence)"),
        "N", 1, kMostOfADimension);
  choices(command.add_option("--phase", options.phase,
                             "Transformers: prefill, a prompt at once (default); decode, one token after the other;\n"
                             "training, as --training"),
          {"prefill", "decode", "training"});
  arithmetic_type(
      command.add_option("--dtype", options.type, "The type of weights and activations, instead of the file's"));
  command.add_flag("--training", options.training, "Add a backward pass, and what training keeps in memory");
  choices(
      command.add_option("--optimizer", options.optimizer, "Training: what it keeps for each weight (default adam)"),
      {"sgd", "adam"});
  choices(command.add_option(
              "--shared-weights", options.shared_weights,
              "Weights that several operators use: copied, each has its own (default); together, on one device"),
          {"copied", "together"});
  path(command.add_option("--profile", options.profile,
                          "Measured times of operators, instead of estimates: a profile of ONNX Runtime or trtexec,\n"
                          "or CSV with a name and a time (ms) on each line"));
  command
      .add_option("--profile-on", options.profile_on,
                  "The device on which they were measured (default: the first of --platform)")
      .option_text("DEVICE");
  path(command.add_option("--efficiencies", options.efficiencies,
                          "How much of a device's peak operators reach, as `partita calibrate` writes it"));
}

ReadNetworkOptions network_options(const ModelOptions& options) {
  ReadNetworkOptions result;
  for (const std::string& text : options.dimensions) {
    const auto dimension = parse_dimension(text);
    if (!dimension)
      throw InputError(ErrorKind::Usage, "--dim", fmt::format("'{}' is not NAME=SIZE, such as batch=8", text));
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
  for_each_option(options, [](const char* name, const auto& value) {
    if (!is_given(value)) return;
    throw InputError(ErrorKind::Usage, fmt::format("--{}", name),
                     "only for model files; a workload has its costs already");
  });
}

std::vector<std::pair<std::string, std::string>> recorded(const ModelOptions& options) {
  std::vector<std::pair<std::string, std::string>> record;
  for_each_option(options, [&record](const char* name, const auto& value) {
    if (is_given(value)) record.emplace_back(name, text_of(value));
  });
  return record;
}

ModelOptions with_recorded(ModelOptions options, const ModelRecord& record) {
  for_each_option(options, [&record](const char* name, auto& value) {
    if (is_given(value)) return;
    for (const auto& [recorded_name, text] : record.options) {
      if (recorded_name == name && !set_from(text, value)) {
        throw InputError(ErrorKind::BadField, fmt::format("model.options.{}", name),
                         fmt::format("'{}' is not a value of --{}; give the option", text, name));
      }
    }
  });
  return options;
}

}  // namespace partita::detail::app
