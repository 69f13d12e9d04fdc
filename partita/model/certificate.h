// SPDX-License-Identifier: Apache-2.0
// Why no split of a workload has a value of at most `limit`, in numbers that anybody can check.
//
// Every colour class (a node without a colour is a class of its own) has a price. If no set of colour classes that a
// device of class c can hold within the limit is dearer than U(c), and all classes together are dearer than
// sum count(c) U(c), then the devices cannot hold them all within the limit, as each class is in exactly one set. That
// nothing is dearer than U(c) is a dynamic program over the colour classes in the given order; `narrowed`, `forgotten`,
// `theta` and `buckets` keep it small, and no value of theirs can make a wrong certificate pass. For hosts a fractional
// knapsack may take its place. Where loads are maxima of compute and transfers, the weights make sums of them that are
// no larger.
//
// A claim about contiguous or staged splits looks at fewer sets: those that are convex in the order that the workload's
// edges give. One about staged splits may also leave it to the check to go through all chains of ideals, where steps
// have left few. A claim by cases has a leaf for each: in every split, two classes are either together on a device or
// apart.
//
// A claim about latency has none of that. It has labels instead: times before which blocks cannot finish, each of which
// follows from those before it, until nothing is left that could be within the limit.
//
// docs/algorithms/certificates.md has the proofs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "partita/model/problem.h"

namespace partita {

struct Certificate {
  struct Class {
    std::int64_t node = 0;   // original id of any node of the colour class
    std::int64_t price = 0;  // of either sign
  };
  // A transfer that the program leaves out, which makes loads smaller and so the claim weaker, never wrong. Of older
  // certificates; newer ones narrow transfers.
  struct Transfer {
    std::int64_t producer = 0;
    std::optional<std::int64_t> consumer;  // where the edges out of the producer differ in cost
  };
  // A transfer, by its groups after all steps, of which the program counts some alone: what cuts these cuts the
  // transfer. With fewer than two it is left out.
  struct Narrowed {
    std::vector<std::int64_t> transfer, counted;  // original ids of any nodes of the groups
  };
  // What is said of the devices of a class.
  struct Devices {
    std::optional<std::string> name;  // of the class; without one, of all classes that no other entry names
    std::int64_t memory_toll = 0;  // price charged per unit of memory, times 2^36; a unit is the device's memory / 2^40
    std::int64_t theta = 0;        // price granted per unit of load, times 2^36; loads are in units of limit / 2^40
    int buckets = 1;               // of load, per state
    // U(c), net of the toll. Accelerators without it share evenly what the others leave of the price; for hosts without
    // it, it is a fractional knapsack, and only the toll of this entry counts.
    std::optional<std::int64_t> most;
    std::vector<Transfer> ignored = {};   // accelerators only
    std::vector<Narrowed> narrowed = {};  // likewise
    // Original ids of nodes whose place in the order the program leaves out: more sets count as convex, never fewer.
    std::vector<std::int64_t> forgotten = {};
  };
  // Of compute and of transfers in an accelerator's load, forward and backward, in parts of kWeightUnit.
  static constexpr std::int64_t kWeightUnit = 1024;
  struct Weights {
    std::array<std::int64_t, 2> compute{kWeightUnit, kWeightUnit}, transfers{kWeightUnit, kWeightUnit};

    bool any_transfers() const { return transfers[0] > 0 || transfers[1] > 0; }
  };
  // Are the classes of two nodes on one device, or not?
  struct Decision {
    std::int64_t a = 0, b = 0;  // original ids
    bool together = false;
  };
  // Made before all else, one after the other: a step to groups and transfers that are fewer, and on which whatever is
  // within the limit still is. Groups are colour classes at first; for staged splits, those on a cycle of the order are
  // one. Groups are named by any node of theirs, and a transfer of the group that is removed by its other members;
  // transfers with the same members are one. A transfer that is not there costs nothing.
  struct Step {
    struct Shift {
      std::vector<std::int64_t> transfer;
      std::int64_t to = 0;  // a member
    };
    struct Link {
      std::vector<std::int64_t> a, b;     // transfers
      std::int64_t cost = 0;              // in units of limit / 2^40
      std::vector<std::int64_t> without;  // members of either that are not in it
    };
    std::int64_t node = 0;
    // Joined with this one, as no split within the limit has them apart. Without it the group is removed: as much of
    // its time as each transfer costs is shifted along it; then it leaves all transfers. Both transfers of a link
    // pay `cost`, or all that the cheaper one costs, for one that has other members of both. Other members of the
    // bridge join the transfers of `into`, one after the other, as far as the cost of the bridge pays for theirs.
    std::optional<std::int64_t> join;
    std::vector<Shift> shifts;
    std::vector<Link> links;           // made one after the other, before the bridge
    std::vector<std::int64_t> bridge;  // empty: none
    std::vector<std::vector<std::int64_t>> into;
    // Of staged splits; then nothing else is said. Groups that windows of so many places (check/stage_windows.h) show to
    // be on one device are joined, and those that no host can hold are taken off the hosts, as long as there are any.
    std::optional<int> windows = std::nullopt;
  };
  // A case, and prices that prove it.
  struct Leaf {
    std::vector<Decision> decisions;  // in the order taken from the root of the tree
    std::vector<Class> classes;       // every group once: colour classes, or what the steps made of them
    std::vector<Devices> devices;
  };
  // Of a claim about latency: labels, in the order in which they follow from each other. Times are in units of limit /
  // 2^40. With a toll, every block of an accelerator takes so much longer.
  struct Sweep {
    struct Label {
      std::int64_t node = 0;  // original id
      // The block of the node does not finish before `time` where it lacks this node, right after it; reversed: from
      // its start to the end of all it takes `time` where it lacks this node, right before it. Without it: whatever the
      // block holds.
      std::optional<std::int64_t> other;
      std::int64_t time = 0;
    };
    std::int64_t toll = 0;
    bool reversed = false;
    std::vector<Label> labels;
  };

  Objective objective = Objective::MaxLoad;  // what the limit is of: this, for all objectives about loads, or latency
  double limit = 0;
  Shape shape = Shape::Free;  // of the splits that the claim is about; then it is about all narrower shapes too
  Weights weights;
  std::vector<Step> steps;
  std::vector<Class> classes;    // without leaves: of the only one
  std::vector<Devices> devices;  // likewise
  std::vector<Leaf> leaves;      // of a tree: at each pair decided on, both answers are there
  // Instead of prices, of staged splits: what the steps leave has so few ideals that whoever checks it can go through
  // all chains of them, with windows of so many places.
  std::optional<int> ideals = std::nullopt;
  std::vector<Sweep> sweeps;  // of latency; and nothing else is then
};

}  // namespace partita
