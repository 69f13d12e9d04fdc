// SPDX-License-Identifier: Apache-2.0
// Why no free split of a workload has a value of at most `limit`, in numbers that anybody can check.
//
// Every colour class (a node without a colour is a class of its own) has a price. If no set of colour classes that a
// device of class c can hold within the limit is dearer than U(c), no set that a host of class h can hold is dearer
// than R(h), and all of them together are dearer than sum count(c) U(c) + sum count(h) R(h), then the devices cannot
// hold them all within the limit. R is a fractional knapsack. That nothing is dearer than U(c) is a dynamic program
// over the colour classes in the given order; `ignored`, `theta` and `buckets` keep it small, and no value of theirs
// can make a wrong certificate pass. Where loads are maxima of compute and transfers, the weights make sums of them
// that are no larger. docs/algorithms/free.md has the proof.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partita {

struct Certificate {
  struct Class {
    std::int64_t node = 0;   // original id of any node of the colour class
    std::int64_t price = 0;  // not negative
  };
  // A transfer that the program leaves out, which makes loads smaller and so the claim weaker, never wrong.
  struct Transfer {
    std::int64_t producer = 0;
    std::optional<std::int64_t> consumer;  // where the edges out of the producer differ in cost
  };
  // What is said of the devices of a class.
  struct Devices {
    std::optional<std::string> name;  // of the class; without one, of all classes that no other entry names
    std::int64_t memory_toll = 0;  // price charged per unit of memory, times 2^36; a unit is the device's memory / 2^40
    // What follows is of accelerators only.
    std::int64_t theta = 0;  // price granted per unit of load, times 2^36; loads are in units of limit / 2^40
    int buckets = 1;         // of load, per state
    // U(c), net of the toll. Without it, what the others leave of the price is shared out evenly.
    std::optional<std::int64_t> most;
    std::vector<Transfer> ignored;
  };
  // Of compute and of transfers in an accelerator's load, forward and backward, in parts of kWeightUnit.
  static constexpr std::int64_t kWeightUnit = 1024;
  struct Weights {
    std::array<std::int64_t, 2> compute{kWeightUnit, kWeightUnit}, transfers{kWeightUnit, kWeightUnit};

    bool any_transfers() const { return transfers[0] > 0 || transfers[1] > 0; }
  };

  double limit = 0;
  Weights weights;
  std::vector<Class> classes;  // every colour class once
  std::vector<Devices> devices;
};

}  // namespace partita
