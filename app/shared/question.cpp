// SPDX-License-Identifier: Apache-2.0
#include "app/shared/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

#include "app/shared/help_formatter.h"
#include "app/shared/memory_limit.h"
#include "app/shared/options.h"
#include "partita/model/validate.h"
#include "partita/read/bytes.h"
#include "partita/read/presets.h"
#include "partita/read/split.h"
#include "partita/util/error.h"

namespace partita::detail::app {
namespace {

// CLI11 has checked the word already, but a QuestionOptions may also be made by hand.
template <class Value>
Value known(std::optional<Value> value, const char* option, const std::string& text) {
  if (!value) throw InputError(ErrorKind::Usage, option, "'" + text + "' is not one of its values; see --help");
  return *value;
}

// Options that only latency has would be passed over in silence elsewhere.
void refuse_without_latency(bool given, const char* option, const QuestionOptions& question, Objective objective) {
  if (!given) return;
  throw InputError(
      ErrorKind::Usage, option,
      fmt::format("only for --objective latency, not for --objective {}",
                  question.objective.value_or(objective == Objective::MaxLoad ? "throughput" : to_string(objective))));
}

// Copies of stages and samples in flight are things of a pipeline.
void refuse_without_pipeline(bool given, const char* option, const Problem& problem) {
  if (!given) return;
  if (problem.objective == Objective::Latency)
    throw InputError(ErrorKind::Usage, option, "only for throughput, not for --objective latency");
  if (problem.shape != Shape::Staged) {
    throw InputError(ErrorKind::Usage, option,
                     fmt::format("only for --shape staged, not for --shape {}", to_string(problem.shape)));
  }
}

void check_pipeline(const Problem& problem) {
  refuse_without_pipeline(problem.replicas > 1, "--replicate", problem);
  refuse_without_pipeline(problem.memory_model != MemoryModel::Flat, "--memory-model", problem);
  const bool flat = problem.memory_model == MemoryModel::Flat;
  if (flat && problem.microbatches > 0) {
    throw InputError(ErrorKind::Usage, "--microbatches",
                     "only for --memory-model 1f1b and gpipe; the flat model counts no samples in flight");
  }
  if (flat && problem.recompute) {
    throw InputError(ErrorKind::Usage, "--recompute",
                     "only for --memory-model 1f1b and gpipe; the flat model counts no activations");
  }
  validate(static_cast<const Question&>(problem));
}

constexpr const char* kClustersExpected = "COUNT:FACTOR, or several of them from the outside in, such as 2:0.5,4:0.1";

Option clusters(Option option) {
  return option.checked("N:FACTOR,...", [](std::string& given) {
    return parse_clusters(given) ? std::string() : fmt::format("'{}' is not {}", given, kClustersExpected);
  });
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

void add_pipeline_options(Command& command, QuestionOptions& question) {
  whole(command.add_option("--replicate", question.replicas,
                           "Staged: how many devices may run copies of one stage, each taking every so many samples\n"
                           "(default 1)"),
        "R", 1, kMaxDevicesOfAKind);
  bandwidth(command.add_option(
      "--sync-bandwidth", question.platform.sync_bandwidth,
      "Bytes per unit of time at which copies exchange their weights (inf: for nothing), instead of\n"
      "the platform's"));
  choices(command.add_option(
              "--memory-model", question.memory_model,
              "What counts as memory (default flat): flat, the sizes; 1f1b, weights, optimizer state and the\n"
              "activations of all samples in flight at the stage; gpipe, the same with all microbatches"),
          {"flat", "1f1b", "gpipe"});
  whole(command.add_option("--microbatches", question.microbatches,
                           "Samples in flight at most (1f1b), or always (gpipe, which needs it)"),
        "M", 1, kMostMicrobatches);
  command.add_flag("--recompute", question.recompute,
                   "1f1b and gpipe: a stage may drop activations and compute them again");
}

void add_platform_options(Command& command, QuestionOptions& question) {
  command.group(kDevicesGroup);
  path(command.add_option("--platform", question.platform_file,
                          "Devices, instead of the workload's: a file (docs/formats.md), or known ones, as in\n"
                          "4xa100-nvlink; `partita platforms` lists them"));
  whole(command.add_option("--accelerators", question.platform.accelerators,
                           "Accelerators, instead of the file's number"),
        "K", 0, kMaxDevicesOfAKind);
  bytes(command.add_option(
      "--memory", question.platform.memory,
      "Memory limit of each accelerator, instead of the file's: 1.6e10, 16G, 16GiB, 16GB (G is GiB)"));
  whole(command.add_option("--hosts", question.platform.hosts, "Hosts, instead of the file's number"), "L", 0,
        kMaxDevicesOfAKind);
  clusters(
      command.add_option("--clusters", question.clusters,
                         "Put the accelerators into N equal clusters, inside which transfers cost FACTOR times as\n"
                         "much; more of them, from the outside in, are clusters inside: 2:0.5,4:0.1"));
  command.add_flag("--strict", question.strict,
                   "A field of the workload or platform that is not known is an error, not a warning");
}

}  // namespace

// The weights of a training graph change, so its copies have to exchange them: at which speed, only the user knows.
void require_bandwidth(const QuestionOptions& question, const Problem& problem) {
  if (problem.replicas == 1 || !problem.workload->graph.has_backward()) return;
  if (question.platform.sync_bandwidth || std::isfinite(problem.workload->platform.sync_bandwidth)) return;
  throw InputError(ErrorKind::Usage, "--replicate",
                   "the copies of a stage exchange their weights in training; say how fast with --sync-bandwidth "
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

void add_question_options(Command& command, QuestionOptions& question) {
  command.group(kQuestionGroup);
  choices(command.add_option(
              "--objective", question.objective,
              "What the split costs (default throughput): throughput or max-load, the largest load of a\n"
              "device; gpipe, the largest forward plus the largest backward load; latency, one sample's time"),
          {"throughput", "max-load", "gpipe", "latency"});
  choices(command.add_option(
              "--shape", question.shape,
              "What the split may look like (default staged): staged, a pipeline; contiguous, no path leaves\n"
              "a device and comes back; free, any assignment. Latency has a shape of its own"),
          {"staged", "contiguous", "free"});
  choices(command.add_option(
              "--transfers", question.transfers,
              "How an accelerator's transfers and compute add up (default sum): sum; overlap, the larger of\n"
              "compute and in + out; duplex, the largest of compute, in and out"),
          {"sum", "overlap", "duplex"});
  command.add_flag("--backward-shape", question.backward_shape,
                   "Training: ask the mirrored shape of all backward edges too");
  whole(command.add_option(
            "--subgraphs", question.subgraphs,
            "Latency: how many subgraphs an accelerator may run one after the other, each uninterrupted, in\n"
            "each pass (default 1)"),
        "Q", 1, kMostSubgraphs);
  choices(command.add_option(
              "--host-cores", question.host_cores,
              "Latency: how many host nodes may run at once (default unlimited): unlimited, any number, and\n"
              "the report says how many do; strict, as many as there are hosts, while the others wait"),
          {"unlimited", "strict"});
  add_pipeline_options(command, question);
  add_platform_options(command, question);
  add_model_options(command, question.model);
}

namespace {

Workload read_costed_model(const QuestionOptions& question, const PlatformOverrides& overrides, PlatformSpec* devices) {
  if (!overrides.platform) {
    throw InputError(
        ErrorKind::Usage, question.workload,
        "is a model, which has no costs of its own; say on which devices it is to run, as in --platform 4xa100 "
        "(`partita platforms` lists what is known)");
  }
  PlatformSpec platform = *overrides.platform;
  override_devices(overrides, platform.platform);
  override_links(overrides, platform);
  Workload workload = read_model_workload(question.workload, question.model, platform);
  if (devices) *devices = std::move(platform);
  return workload;
}

}  // namespace

Workload read_question_workload(const QuestionOptions& question, PlatformSpec* devices) {
  if (question.workload == "-" && question.platform_file == "-") {
    throw InputError(ErrorKind::Usage, "--platform",
                     "'-' is already the workload; only one of the two can be standard input");
  }
  const PlatformOverrides overrides = platform_overrides(question);
  if (is_model(question.workload)) return read_costed_model(question, overrides, devices);
  refuse_model_options(question.model);
  if (overrides.platform && is_physical(*overrides.platform)) {
    read_workload(question.workload, {}, read_options(question));  // what is no workload either is said first
    throw InputError(
        ErrorKind::Usage, "--platform",
        fmt::format("'{}' says what devices can do, but {} has its times already, of devices of its own; expected "
                    "a model file, such as model.onnx, or a platform of classes with factors",
                    question.platform_file, source_name(question.workload)));
  }
  return read_workload(question.workload, overrides, read_options(question), devices);
}

ReadOptions read_options(const QuestionOptions& question) {
  constexpr double kMost = 1e18;
  ReadOptions options{.strict = question.strict};
  // Half: the graph is not all that a search needs.
  options.memory = std::min(options.memory, static_cast<std::size_t>(std::min(memory_limit() / 2, kMost)));
  return options;
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
  if (!question.clusters.empty())
    overrides.clusters = known(parse_clusters(question.clusters), "--clusters", question.clusters);
  return overrides;
}

Problem asked_of(const QuestionOptions& question, const Problem& otherwise) {
  const auto word = [](const std::optional<std::string>& given, auto parse, const char* option, auto fallback) {
    return given ? known(parse(*given), option, *given) : fallback;
  };
  Problem problem;
  problem.objective = word(question.objective, parse_objective, "--objective", otherwise.objective);
  problem.shape = word(question.shape, parse_shape, "--shape", otherwise.shape);
  problem.transfers = word(question.transfers, parse_transfer_mode, "--transfers", otherwise.transfers);
  problem.backward_shape = question.backward_shape || otherwise.backward_shape;
  if (problem.objective != Objective::Latency) {
    refuse_without_latency(question.subgraphs.has_value(), "--subgraphs", question, problem.objective);
    refuse_without_latency(question.host_cores.has_value(), "--host-cores", question, problem.objective);
  } else {
    problem.subgraphs = question.subgraphs.value_or(otherwise.subgraphs);
    problem.strict_host_cores = question.host_cores ? question.host_cores == "strict" : otherwise.strict_host_cores;
  }
  const bool pipeline = problem.objective != Objective::Latency && problem.shape == Shape::Staged;
  const Problem plain;
  const Problem& rest = pipeline ? otherwise : plain;
  problem.replicas = question.replicas.value_or(rest.replicas);
  problem.memory_model = word(question.memory_model, parse_memory_model, "--memory-model", rest.memory_model);
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

}  // namespace partita::detail::app
