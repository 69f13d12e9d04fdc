// SPDX-License-Identifier: Apache-2.0
// Random small workloads, made so that every rule of the problem is met often: zero-cost nodes, colour classes, hosts,
// binding memory limits, nodes that some class cannot run, backward parts with and without twins, edges of different
// cost out of one node, graphs in several pieces, node orders that are not topological.
//
// A Recipe is a handful of small integers, and any values in range make a valid workload. So a recipe can be drawn from
// a seed (here) or by RapidCheck (tests/property/recipe_generator.h); zeros make the simplest workload, which is what
// lets failing cases shrink.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "partita/model/workload.h"

namespace partita::detail {

struct NodeRecipe {
  int presence = 0;    // 0..7: 0 leaves the node out; from 4 a mirrored node's output also feeds its twin
  int work = 0;        // 0..11: time on an accelerator, in units
  int host = 0;        // 0..11: how the host's time follows from `work`
  int support = 0;     // 0..19: 18 cannot run on an accelerator, 19 cannot run on a host
  int memory = 0;      // 0..6
  int colour = 0;      // 0..19: 1..3 are classes, the rest none
  int backward = 0;    // 0..1: in training, a backward node (mirrored training: an orphan)
  int successors = 0;  // 0..255: bit i is an edge to the node i + 1 places further on
  int thinning = 0;    // 0..255: edges are kept where this has a bit too, which makes sparse graphs common
  int cost = 0;        // 0..6: of moving the output
  int spread = 0;  // 0..7: from 5 the edges out of the node differ in cost; 1 and 2 keep a mirrored node's edges only
                   // between the twins
};

struct Recipe {
  static constexpr std::size_t kMaxNodes = 8;

  static constexpr int kInference = 0;
  static constexpr int kMixedTraining = 1;     // backward nodes and colours at random
  static constexpr int kMirroredTraining = 2;  // backward nodes are twins of forward ones, or orphans

  std::array<NodeRecipe, kMaxNodes> nodes{};
  int accelerators = 0;  // 0..4
  int hosts = 0;         // 0..2
  int chain = 0;         // 0..1: each forward node feeds the next, so that the shape matters
  int even = 0;          // 0..1: all work about the same, so that several devices are worth using
  int memory = 0;        // 0..7: from 4 a limit, tight for small values
  int unit = 0;          // 0..3: what one unit of time is; not all of them are exact in binary
  int cost_unit = 0;     // 0..3: what one unit of transfer cost is, in units of time
  int style = 0;         // one of the above
  int latency = 0;       // 0..3: of the accelerators' links, from 2 on
  int shuffle = 0;       // 0..255: the order of the nodes in the workload; 0 is topological
};

// At most kMaxNodes nodes, at least one node and one device.
Workload make_workload(const Recipe& recipe);

Recipe random_recipe(std::uint64_t seed);
inline Workload random_workload(std::uint64_t seed) { return make_workload(random_recipe(seed)); }

// One line per node, edge and device class, for messages.
std::string describe(const Workload& workload);

// The workload with its nodes in another order and other original ids: the same problem under other names.
Workload shuffled(const Workload& workload, std::uint64_t seed);

// All times, transfer costs and latencies of links multiplied by `factor`.
Workload scaled(const Workload& workload, double factor);

// All times, transfer costs and latencies rounded to multiples of 1/64, so that sums are exact and ties are ties.
Workload rounded(const Workload& workload);

// Where the edges out of a node differ in cost, each gets a zero node of its own, colocated with the producer by a
// colour class: the same problem with nothing non-uniform in it. The first nodes are those of `workload`.
Workload subdivided(const Workload& workload);

}  // namespace partita::detail
