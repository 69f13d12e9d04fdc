// SPDX-License-Identifier: Apache-2.0
#include "app/shared/question.h"

#include <fmt/format.h>

#include "app/shared/options.h"
#include "partita/util/error.h"

namespace partita::app {
namespace {

// CLI11 has checked the word already, but a Question may also be made by hand.
template <class Value>
Value known(std::optional<Value> value, const char* option, const std::string& text) {
  if (!value) throw InputError(ErrorKind::Usage, option, "'" + text + "' is not one of its values; see --help");
  return *value;
}

constexpr int kMostSubgraphs = 64;

// Options that only latency has would be passed over in silence elsewhere.
void refuse_without_latency(bool given, const char* option, const Question& question) {
  if (!given) return;
  throw InputError(ErrorKind::Usage, option,
                   fmt::format("only for --objective latency, not for --objective {}", question.objective));
}

}  // namespace

void add_question_options(CLI::App& command, Question& question) {
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
  whole(command.add_option("--accelerators", question.platform.accelerators,
                           "Accelerators, instead of the file's number"),
        "K", 0, kMaxDevicesOfAKind);
  bytes(
      command.add_option("--memory", question.platform.memory,
                         "Memory limit of each accelerator, instead of the file's: 17179869184, 1.6e10, 16GiB, 16GB"));
  whole(command.add_option("--hosts", question.platform.hosts, "Hosts, instead of the file's number"), "L", 0,
        kMaxDevicesOfAKind);
}

Problem read_problem(const Question& question) {
  Problem problem;
  problem.objective = known(parse_objective(question.objective), "--objective", question.objective);
  problem.shape = known(parse_shape(question.shape), "--shape", question.shape);
  problem.transfers = known(parse_transfer_mode(question.transfers), "--transfers", question.transfers);
  problem.backward_shape = question.backward_shape;
  if (problem.objective != Objective::Latency) {
    refuse_without_latency(question.subgraphs.has_value(), "--subgraphs", question);
    refuse_without_latency(question.host_cores.has_value(), "--host-cores", question);
  }
  problem.subgraphs = question.subgraphs.value_or(1);
  problem.strict_host_cores = question.host_cores == "strict";
  problem.workload = read_workload(question.workload, question.platform);
  return problem;
}

}  // namespace partita::app
