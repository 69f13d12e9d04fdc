// SPDX-License-Identifier: Apache-2.0
// What a stage costs, given the sums over what it holds: one formula for every transfer mode, class, number of copies
// and memory model. Everything here rises with every sum, so sums that are only lower bounds give lower bounds.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "partita/reduce/setup_instance.h"

namespace partita::detail {

// How a stage runs: on devices of which class, on how many, with or without recomputing activations.
struct Setup {
  std::size_t member = 0;  // of the cluster
  ClassId device_class;
  int replicas = 1;
  bool recompute = false;
};

struct StageSums {
  std::array<double, 2> compute{}, in{}, out{};  // by pass; transfers at the price of the stage's class
  double recompute = 0;
  GroupMemory memory;

  void add(const SetupGraph& graph, ClassId c, GroupId v, double times = 1) {
    const ClassTime& time = graph.time(c, v);
    compute[0] += times * time.pass[0];
    compute[1] += times * time.pass[1];
    recompute += times * time.recompute;
    memory.add(graph.memory(v), times);
  }
  void add(const StageSums& more) {
    for (std::size_t pass : {0, 1}) {
      compute[pass] += more.compute[pass];
      in[pass] += more.in[pass];
      out[pass] += more.out[pass];
    }
    recompute += more.recompute;
    memory.add(more.memory);
  }
};

// What keeping r copies equal adds to each, for a factor of the links between them.
inline double sync_load(const SetupRules& rules, double factor, int replicas, double weights) {
  return replicas == 1 ? 0 : factor * (replicas - 1) * weights / (replicas * rules.sync_bandwidth);
}

// The load of each of r units that share the load of one.
inline double shared_load(const SetupRules& rules, double load, int replicas, double sync) {
  const double share = load / replicas;
  return rules.transfers == TransferMode::Sum ? share + sync : std::max(share, sync);
}

// `factor`: of the cluster that the copies are in.
inline double stage_load(const SetupRules& rules, int passes, double factor, const Setup& setup,
                         const StageSums& sums) {
  const double pays = rules.classes[setup.device_class].pays() ? 1 : 0;
  double load = 0;
  for (int pass = 0; pass < passes; ++pass) {
    double compute = sums.compute[pass];
    if (setup.recompute && pass == passes - 1) compute += sums.recompute;
    const double in = pays * sums.in[pass], out = pays * sums.out[pass];
    switch (rules.transfers) {
      case TransferMode::Sum: load += compute + in + out; break;
      case TransferMode::Overlap: load += std::max(compute, in + out); break;
      case TransferMode::Duplex: load += std::max({compute, in, out}); break;
    }
  }
  return shared_load(rules, load, setup.replicas, sync_load(rules, factor, setup.replicas, sums.memory.weights));
}

// Samples in flight at a stage of r devices, where s devices are in it or behind it.
inline int samples_in_flight(const SetupRules& rules, int devices, int replicas) {
  if (rules.memory_model == MemoryModel::Flat) return 0;
  if (rules.memory_model == MemoryModel::GPipe) return rules.microbatches;
  const int samples = (devices + replicas - 1) / replicas;
  return rules.microbatches > 0 ? std::min(samples, rules.microbatches) : samples;
}

// Added up in the order in which `check` does it: where samples in flight take more than doubles can tell apart, both
// still say the same.
inline double stage_memory(const Setup& setup, const GroupMemory& m, int in_flight) {
  return setup.recompute ? m.resident + in_flight * m.kept + m.activation : m.resident + in_flight * m.activation;
}

}  // namespace partita::detail
