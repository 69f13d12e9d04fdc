// SPDX-License-Identifier: Apache-2.0
// Why no free split of a workload has a value of at most `limit`, in numbers that anybody can check.
//
// Every colour class (a node without a colour is a class of its own) has a price. If no set of classes that an
// accelerator can hold within the limit is dearer than U, no set that a host can hold is dearer than R, and all classes
// together are dearer than k U + l R, then k accelerators and l hosts cannot hold them all within the limit. R is a
// fractional knapsack. That nothing is dearer than U is a dynamic program over the classes in the given order;
// `ignored`, `theta` and `buckets` keep it small, and no value of theirs can make a wrong certificate pass.
// docs/algorithms/free.md has the proof.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace partita {

struct Certificate {
  struct Class {
    std::int64_t node = 0;   // original id of any node of the class
    std::int64_t price = 0;  // not negative
  };
  // A transfer that the program leaves out, which makes loads smaller and so the claim weaker, never wrong.
  struct Transfer {
    std::int64_t producer = 0;
    std::optional<std::int64_t> consumer;  // where the edges out of the producer differ in cost
  };

  double limit = 0;
  std::vector<Class> classes;  // every class once
  std::vector<Transfer> ignored;
  std::int64_t memory_toll =
      0;                   // price charged per unit of memory, times 2^36; a unit is an accelerator's memory / 2^40
  std::int64_t theta = 0;  // price granted per unit of load, times 2^36; loads are in units of limit / 2^40
  int buckets = 1;         // of load, per state
};

}  // namespace partita
