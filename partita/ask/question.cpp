// SPDX-License-Identifier: Apache-2.0
#include "partita/ask/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

#include "partita/model/validate.h"
#include "partita/read/bytes.h"
#include "partita/read/presets.h"
#include "partita/read/split.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

// A command line has been checked already, but a QuestionOptions may also be made by hand.
template <class Value>
Value known(std::optional<Value> value, const char* field, const std::string& text, const char* expected) {
  if (!value)
    throw InputError(ErrorKind::Usage, field,
                     fmt::format("'{}' is not one of its values; expected {}", text, expected));
  return *value;
}

std::optional<bool> parse_host_cores(const std::string& text) {
  if (text != "strict" && text != "unlimited") return std::nullopt;
  return text == "strict";
}

// Options that only latency has would be passed over in silence elsewhere.
void refuse_without_latency(bool given, const char* option, const QuestionOptions& question, Objective objective) {
  if (!given) return;
  throw InputError(
      ErrorKind::Usage, option,
      fmt::format("only for Question::objective = latency, not for Question::objective = {}",
                  question.objective.value_or(objective == Objective::MaxLoad ? "throughput" : to_string(objective))));
}

// Copies of stages and samples in flight are things of a pipeline.
void refuse_without_pipeline(bool given, const char* option, const Problem& problem) {
  if (!given) return;
  if (problem.objective == Objective::Latency)
    throw InputError(ErrorKind::Usage, option, "only for throughput, not for Question::objective = latency");
  if (problem.shape != Shape::Staged) {
    throw InputError(
        ErrorKind::Usage, option,
        fmt::format("only for Question::shape = staged, not for Question::shape = {}", to_string(problem.shape)));
  }
}

void check_pipeline(const Problem& problem) {
  refuse_without_pipeline(problem.replicas > 1, "Question::replicas", problem);
  refuse_without_pipeline(problem.memory_model != MemoryModel::Flat, "Question::memory_model", problem);
  const bool flat = problem.memory_model == MemoryModel::Flat;
  if (flat && problem.microbatches > 0) {
    throw InputError(ErrorKind::Usage, "Question::microbatches",
                     "only for Question::memory_model = 1f1b and gpipe; the flat model counts no samples in flight");
  }
  if (flat && problem.recompute) {
    throw InputError(ErrorKind::Usage, "Question::recompute",
                     "only for Question::memory_model = 1f1b and gpipe; the flat model counts no activations");
  }
  validate(static_cast<const Question&>(problem));
}

// All of `text` as a number of the type asked for.
template <class Number>
std::optional<Number> whole_text(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

}  // namespace

// The weights of a training graph change, so its copies have to exchange them: at which speed, only the user knows.
void require_bandwidth(const QuestionOptions& question, const Problem& problem) {
  if (problem.replicas == 1 || !problem.workload->graph.has_backward()) return;
  if (question.platform.sync_bandwidth || std::isfinite(problem.workload->platform.sync_bandwidth)) return;
  throw InputError(
      ErrorKind::Usage, "Question::replicas",
      "the copies of a stage exchange their weights in training; say how fast with PlatformOverrides::sync_bandwidth "
      "(bytes per unit of time; inf: for nothing) or with syncBandwidth in the platform");
}

std::optional<std::vector<ClusterLevel>> parse_clusters(std::string_view text) {
  std::vector<ClusterLevel> levels;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view level = text.substr(0, comma);
    const std::size_t colon = level.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const std::optional<int> count = whole_text<int>(level.substr(0, colon));
    const std::optional<double> factor = whole_text<double>(level.substr(colon + 1));
    if (!count || *count < 1 || !factor || !std::isfinite(*factor) || *factor < 0) return std::nullopt;
    levels.push_back({*count, *factor});
    if (comma == std::string_view::npos) return levels;
    text.remove_prefix(comma + 1);
  }
}

std::vector<ClusterLevel> known_clusters(const std::string& text) {
  if (auto levels = parse_clusters(text)) return *levels;
  throw InputError(ErrorKind::Usage, "PlatformOverrides::clusters",
                   fmt::format("'{}' is not {}", text, kClustersExpected));
}

namespace {

Workload read_costed_model(const QuestionOptions& question, const PlatformOverrides& overrides, PlatformSpec* devices) {
  if (!overrides.platform) {
    throw InputError(ErrorKind::Usage, question.workload,
                     "is a model, which has no costs of its own; say on which devices it is to run, as in "
                     "PlatformOverrides::platform = 4xa100 "
                     "(`partita platforms` lists what is known)");
  }
  PlatformSpec platform = *overrides.platform;
  override_devices(overrides, platform.platform);
  override_links(overrides, platform);
  Workload workload = read_model_workload(question.workload, question.model, platform);
  if (devices) *devices = std::move(platform);
  return workload;
}

Workload as_asked(const QuestionOptions& question, const PlatformOverrides& overrides,
                  PlatformSpec* devices = nullptr) {
  const ReadOptions reading = read_options(question);
  return question.text ? parse_workload(*question.text, question.workload, overrides, reading, devices)
                       : read_workload(question.workload, overrides, reading, devices);
}

}  // namespace

bool asks_of_model(const QuestionOptions& question) { return !question.text && is_model(question.workload); }

void refuse_physical(const std::string& platform, const std::string& workload) {
  throw InputError(
      ErrorKind::Usage, "PlatformOverrides::platform",
      fmt::format("'{}' says what devices can do, but {} has its times already, of devices of its own; expected "
                  "a model file, such as model.onnx, or a platform of classes with factors",
                  platform, workload));
}

Workload read_question_workload(const QuestionOptions& question, PlatformSpec* devices) {
  if (question.workload == "-" && question.platform_file == "-") {
    throw InputError(ErrorKind::Usage, "PlatformOverrides::platform",
                     "'-' is already the workload; only one of the two can be standard input");
  }
  const PlatformOverrides overrides = platform_overrides(question);
  if (asks_of_model(question)) return read_costed_model(question, overrides, devices);
  refuse_model_options(question.model);
  if (overrides.platform && is_physical(*overrides.platform)) {
    as_asked(question, {});  // what is no workload either is said first
    refuse_physical(question.platform_file, source_name(question.workload));
  }
  return as_asked(question, overrides, devices);
}

ReadOptions read_options(const QuestionOptions& question) {
  return {.strict = question.strict, .memory = question.memory};
}

namespace {

// A file where there is one, or what looks like the name of one; else a composition.
PlatformSpec named_platform(const QuestionOptions& question) {
  const std::string& name = question.platform_file;
  std::error_code ignored;
  const bool is_file = name == "-" || name.ends_with(".json") || name.ends_with(".gz") ||
                       name.find('/') != std::string::npos || std::filesystem::exists(name, ignored);
  return is_file ? read_platform(name, read_options(question)) : compose_platform(name);
}

}  // namespace

PlatformOverrides platform_overrides(const QuestionOptions& question) {
  PlatformOverrides overrides = question.platform;
  if (!question.platform_file.empty()) overrides.platform = named_platform(question);
  if (!question.clusters.empty()) overrides.clusters = known_clusters(question.clusters);
  return overrides;
}

Problem asked_of(const QuestionOptions& question, const Problem& otherwise) {
  const auto word = [](const std::optional<std::string>& given, auto parse, const char* field, const char* expected,
                       auto fallback) { return given ? known(parse(*given), field, *given, expected) : fallback; };
  Problem problem;
  problem.objective = word(question.objective, parse_objective, "Question::objective",
                           "throughput, max-load, gpipe or latency", otherwise.objective);
  problem.shape = word(question.shape, parse_shape, "Question::shape", "staged, contiguous or free", otherwise.shape);
  problem.transfers = word(question.transfers, parse_transfer_mode, "Question::transfers", "sum, overlap or duplex",
                           otherwise.transfers);
  problem.backward_shape = question.backward_shape || otherwise.backward_shape;
  if (problem.objective != Objective::Latency) {
    refuse_without_latency(question.subgraphs.has_value(), "Question::subgraphs", question, problem.objective);
    refuse_without_latency(question.host_cores.has_value(), "QuestionOptions::host_cores", question, problem.objective);
  } else {
    problem.subgraphs = question.subgraphs.value_or(otherwise.subgraphs);
    problem.strict_host_cores = word(question.host_cores, parse_host_cores, "QuestionOptions::host_cores",
                                     "unlimited or strict", otherwise.strict_host_cores);
  }
  const bool pipeline = problem.objective != Objective::Latency && problem.shape == Shape::Staged;
  const Problem plain;
  const Problem& rest = pipeline ? otherwise : plain;
  problem.replicas = question.replicas.value_or(rest.replicas);
  problem.memory_model = word(question.memory_model, parse_memory_model, "Question::memory_model",
                              "flat, 1f1b or gpipe", rest.memory_model);
  const bool flat = problem.memory_model == MemoryModel::Flat;
  problem.microbatches = question.microbatches.value_or(flat ? 0 : rest.microbatches);
  problem.recompute = question.recompute || (!flat && rest.recompute);
  check_pipeline(problem);
  return problem;
}

AskedProblem read_asked_problem(const QuestionOptions& question) {
  AskedProblem asked{asked_of(question, {}), {}};
  asked.problem.workload = read_question_workload(question, &asked.devices);
  require_bandwidth(question, asked.problem);
  return asked;
}

Problem read_problem(const QuestionOptions& question) { return read_asked_problem(question).problem; }

}  // namespace partita::detail
