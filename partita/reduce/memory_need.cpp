// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/memory_need.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace partita::detail {
namespace {

// Far more than the sums of times and of shares of memory can be wrong by.
constexpr double kOutward = 1 + 1e-6;

struct TimedMemory {
  double time, memory;

  double per_time() const { return time > 0 ? memory / time : std::numeric_limits<double>::infinity(); }
};

// The most memory that groups with so much time together can need, or more.
double most_memory(std::vector<TimedMemory> groups, double time) {
  std::sort(groups.begin(), groups.end(),
            [](const TimedMemory& a, const TimedMemory& b) { return a.per_time() > b.per_time(); });
  double memory = 0, left = time * kOutward;
  for (const TimedMemory& g : groups) {
    if (g.time > left) return (memory + g.memory * (left / g.time)) * kOutward;
    memory += g.memory;
    left -= g.time;
  }
  return memory;
}

bool can_fill(const StageGraph& graph, const Threshold& question, bool host) {
  const StagePlatform& platform = question.platform;
  if ((host ? platform.hosts : platform.accelerators) == 0) return false;
  const double memory = host ? platform.host_memory : platform.accelerator_memory;
  if (graph.total_memory() <= memory) return false;
  std::vector<TimedMemory> groups;
  for (GroupId v : graph.all()) {
    const Group& g = graph.group(v);
    const bool possible = host ? g.on_host : g.on_accelerator;
    if (possible && g.memory > 0) groups.push_back({host ? g.host_time : g.accelerator_time, g.memory});
  }
  return most_memory(std::move(groups), question.limit) > memory;
}

}  // namespace

template <class Graphs>
bool memory_can_bind(const Graphs& graphs, const QuestionOf<Graphs>& question) {
  const StageGraph& graph = view(graphs, 0);
  return graph.total_memory() > 0 &&
         (can_fill(graph, view(question, 0), false) || can_fill(graph, view(question, 0), true));
}
template bool memory_can_bind(const StageGraph&, const Threshold&);
template bool memory_can_bind(const PassGraphs&, const PassQuestion&);

}  // namespace partita::detail
