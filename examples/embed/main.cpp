// SPDX-License-Identifier: Apache-2.0
// What a compiler does with Partita: it has a graph in memory, asks for a pipeline over its devices, shows how the
// search goes on, stops it when somebody presses Ctrl-C, and hands each stage to its device.
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "partita/model/graph_builder.h"
#include "partita/partita.h"
#include "partita/util/error.h"

namespace {

using partita::NodeId;

// An operator of the compiler's own graph.
struct Operator {
  std::string name;
  double flops;    // billions
  double bytes;    // of its output
  double weights;  // bytes
  std::vector<int> inputs;
};

// A transformer with two encoders and a decoder that reads both.
std::vector<Operator> network() {
  std::vector<Operator> operators{{"embedding", 2, 4e6, 2e8, {}}};
  const auto block = [&](const std::string& name, int input) {
    const int first = static_cast<int>(operators.size());
    operators.push_back({name + ".attention", 24, 4e6, 6e7, {input}});
    operators.push_back({name + ".mlp", 48, 4e6, 1.2e8, {first}});
    operators.push_back({name + ".norm", 1, 4e6, 1e4, {first + 1, input}});
    return first + 2;
  };
  std::vector<int> ends;
  for (const char* encoder : {"text", "image"}) {
    int end = 0;
    for (int i = 0; i < 4; ++i) end = block(encoder + std::to_string(i), end);
    ends.push_back(end);
  }
  const int join = static_cast<int>(operators.size());
  operators.push_back({"join", 4, 8e6, 1e6, ends});
  int end = join;
  for (int i = 0; i < 6; ++i) end = block("decoder" + std::to_string(i), end);
  operators.push_back({"logits", 30, 2e7, 2e8, {end}});
  return operators;
}

// Milliseconds: 100 TFLOP/s and 16 GB/s to an accelerator, 2 TFLOP/s on the host.
partita::Workload workload_of(const std::vector<Operator>& operators) {
  partita::GraphBuilder builder(partita::make_platform(/*accelerators=*/4, /*memory=*/1e9, /*hosts=*/1));
  for (const Operator& op : operators)
    builder.add_node({.name = op.name, .time = {op.flops / 100, op.flops / 2}, .memory = op.weights + op.bytes});
  for (std::size_t i = 0; i < operators.size(); ++i) {
    for (const int input : operators[i].inputs) {
      const auto from = static_cast<std::size_t>(input);
      builder.add_edge(NodeId(from), NodeId(i), operators[from].bytes / 16e6);
    }
  }
  return builder.build("two encoders", "ms");
}

partita::Budget* running = nullptr;  // for the handler, which may not do more than cancel()

void stop(int) {
  if (running) running->cancel();
}

}  // namespace

int main() {
  try {
    const std::vector<Operator> operators = network();
    const partita::Problem problem(workload_of(operators));  // a pipeline with the least time per sample

    partita::Budget budget({.seconds = 10});
    running = &budget;
    std::signal(SIGINT, stop);
    const partita::Sink progress = [](const partita::Progress& now) {
      if (now.event == partita::Progress::Event::Split)
        std::fprintf(stderr, "%6.2f s: a split of %.4f ms, none below %.4f ms\n", now.seconds, now.value, now.bound);
    };
    const partita::Plan plan = partita::plan(problem, {.gap = 0.001}, budget, progress);
    running = nullptr;
    if (!plan.result.split) {
      std::fprintf(stderr, "no split: %s\n", plan.result.reason.c_str());
      return 1;
    }

    std::printf("partita %s: %s, %.4f ms per sample, at most %.2f %% from the best\n", PARTITA_VERSION,
                to_string(plan.result.status), plan.result.value, 100 * plan.result.gap());
    const partita::Split& split = *plan.result.split;
    for (const partita::DeviceId device : split.order) {
      std::printf("%s (%.4f ms, %.0f MB):", problem.workload->platform.device_name(device).c_str(),
                  plan.report.load[device], plan.report.devices[device].memory / 1e6);
      for (const NodeId node : split.device_of.all()) {
        if (split.device_of[node] == device) std::printf(" %s", operators[node.index()].name.c_str());
      }
      std::printf("\n");
    }
    return 0;
  } catch (const partita::InputError& error) {  // a graph that makes no sense, or a question that nobody can answer
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
