// SPDX-License-Identifier: Apache-2.0
#include "app/shared/question.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/shared/help_formatter.h"
#include "app/shared/memory_limit.h"
#include "app/shared/model_options.h"
#include "app/shared/options.h"
#include "partita/read/split.h"

namespace partita::detail::app {
namespace {

Option clusters(Option option) {
  return option.checked("N:FACTOR,...", [](std::string& given) {
    return parse_clusters(given) ? std::string() : fmt::format("'{}' is not {}", given, kClustersExpected);
  });
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
  read_within_memory_limit(question);
}

void read_within_memory_limit(QuestionOptions& question) {
  constexpr double kMost = 1e18;
  question.memory = std::min(ReadOptions{}.memory, static_cast<std::size_t>(std::min(memory_limit() / 2, kMost)));
}

}  // namespace partita::detail::app
