// SPDX-License-Identifier: Apache-2.0
// Random small questions beyond the paper's platform: a workload of random_workload.h, moved to a platform of up to
// three classes with links and clusters, with weights and activations on its nodes, and asked with copies of
// stages, samples in flight and recomputing. Made so that every rule is met often: equal clusters and unequal ones,
// nodes that one of two classes of accelerators cannot run, limits that bind, a bandwidth that matters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "partita/model/problem.h"
#include "tests/support/random_workload.h"

namespace partita::detail {

// What a question may have that the plain one has not. What is off is as in the paper.
struct SetupFeatures {
  bool classes = true;        // up to three, with times, memory and links of their own; else accelerators, maybe hosts
  bool clusters = true;       // up to two levels below the root
  bool latencies = true;      // of links: of classes, and of clusters that have links of their own
  bool contention = false;    // devices slow each other down
  bool copies = true;         // up to three devices, or clusters, share a stage
  bool memory = true;         // samples in flight
  bool recompute = true;      // with samples in flight only
  bool transfers = true;      // transfer modes other than sum
  bool gpipe = false;         // also the objective gpipe
  bool shared_links = false;  // one or two, of some classes or all, of a level of clusters or none
  std::size_t most_devices = 4;

  static SetupFeatures none() { return {false, false, false, false, false, false, false, false, false, false}; }
};

// The platform of `workload` is replaced. Most times on a class are those of the workload for its kind times a factor
// of the class, some are the node's own. Every node runs on some class, which need not have a device. Precondition: the
// workload's classes are accelerators and hosts, as make_workload makes them.
Problem random_setup(const Workload& workload, std::uint64_t seed, const SetupFeatures& features = {});

inline Problem random_setup(std::uint64_t seed, const SetupFeatures& features = {}) {
  return random_setup(random_workload(seed), seed, features);
}

// The platform with its clusters, every node, every edge and the question, for messages.
std::string describe(const Problem& problem);

}  // namespace partita::detail
