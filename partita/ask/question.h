// SPDX-License-Identifier: Apache-2.0
// What states a problem, the same wherever one is stated: the workload, its platform, objective and shape,
// what is asked for latency alone, and what for pipelines alone: copies of stages, and memory of samples in flight.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partita/ask/model_options.h"
#include "partita/model/problem.h"
#include "partita/read/read_options.h"
#include "partita/read/workload.h"

namespace partita::detail {

// What is not given is the plan's, where a plan is checked or run, and else the default.
struct QuestionOptions {
  std::string workload;             // a path, or "-"
  std::optional<std::string> text;  // the workload itself, where there is no such file; messages call it `workload`
  PlatformOverrides platform;
  // A path, "-", or a composition of known devices, which takes the place of platform.platform; empty: none.
  std::string platform_file;
  ModelOptions model;
  bool strict = false;                        // fields that are not known are errors
  std::size_t memory = ReadOptions{}.memory;  // bytes that what is read may take
  std::string clusters;                       // as in parse_clusters(); empty: none
  std::optional<std::string> objective;       // throughput
  std::optional<std::string> shape;           // staged
  std::optional<std::string> transfers;       // sum
  bool backward_shape = false;
  std::optional<int> subgraphs;             // latency only: 1
  std::optional<std::string> host_cores;    // latency only: unlimited
  std::optional<int> replicas;              // 1
  std::optional<std::string> memory_model;  // flat
  std::optional<int> microbatches;          // with the other memory models
  bool recompute = false;                   // likewise
};

inline constexpr const char* kClustersExpected =
    "COUNT:FACTOR, or several of them from the outside in, such as 2:0.5,4:0.1";

// "2:0.5,3:0.1": two clusters with factor 0.5 inside, in each of them three with factor 0.1. Nothing for anything else.
std::optional<std::vector<ClusterLevel>> parse_clusters(std::string_view text);
// The same, or an InputError.
std::vector<ClusterLevel> known_clusters(const std::string& text);

// The problem, and what the times on its platform were made of, as a plan must say it for others to make them again.
struct AskedProblem {
  Problem problem;
  PlatformSpec devices;  // those of the problem
};

// What the options say of the platform. Throws InputError.
PlatformOverrides platform_overrides(const QuestionOptions& question);

// Whether the question is about a model, and not a workload.
bool asks_of_model(const QuestionOptions& question);

// As strict as the question says, within its memory.
ReadOptions read_options(const QuestionOptions& question);

// Throws InputError: the platform is physical, and the workload no model. Both as messages call them.
[[noreturn]] void refuse_physical(const std::string& platform, const std::string& workload);

// The workload on the platform that the question names. Throws InputError. `devices`: where to put that platform.
Workload read_question_workload(const QuestionOptions& question, PlatformSpec* devices = nullptr);

// The same with what is asked of it. Throws InputError, also where options do not fit each other.
Problem read_problem(const QuestionOptions& question);
AskedProblem read_asked_problem(const QuestionOptions& question);

// What is asked apart from the workload: the options' words where they are given, else those of `otherwise`, but for
// what fits only another objective or shape. Throws InputError as above.
Problem asked_of(const QuestionOptions& question, const Problem& otherwise);

// Throws InputError where copies of stages have to exchange weights and nobody says how fast.
void require_bandwidth(const QuestionOptions& question, const Problem& problem);

}  // namespace partita::detail
