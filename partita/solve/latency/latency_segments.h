// SPDX-License-Identifier: Apache-2.0
// Splits to begin with: an order of the groups cut into segments, some on accelerators, the rest on hosts.
//
// For one topological order of the items (latency_instance.h), a dynamic program finds the segments with the least sum
// of loads and host times: f(t, j) = least sum for the first j units with t accelerators used. The sum is the latency
// of a chain and above it otherwise; over many random orders it is often near, and on four of the paper's eight inputs
// the best order gives the optimum. Any such split is legal but for support, which the program minds, and memory, which
// it minds up to the limit it is given. O(accelerators * units^2), with long orders taken in at most kMostUnits runs
// that end where little is in transit, and then once more with single items near the ends of the segments found.
//
// Accelerators of several classes take *turns*: an order of all of them, drawn at random. Segments get accelerators in
// that order, and some may be passed over, so f(t, j) is about the first t of them, and each segment has a load for
// every class.
// Tests: tests/solve/latency_search_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "partita/reduce/latency_instance.h"
#include "partita/reduce/links.h"
#include "partita/util/budget.h"
#include "partita/util/dice.h"

namespace partita::detail {

class LatencySegments {
 public:
  // Uses so many accelerators at most.
  LatencySegments(const LatencyInstance& instance, int accelerators);

  // Items in the order of the input, as far as that is possible: the best first guess on traced graphs.
  std::vector<std::size_t> trace_order() const;
  // Items so that what belongs together stays together: depth first from the sources, or from the sinks, or with some
  // disorder.
  std::vector<std::size_t> random_order(Dice& dice) const;

  // The best segments, or nothing if memory and support allow none. Adds the work done, in ticks.
  enum class Memory { Limited, Ignored };
  std::optional<IdVector<GroupId, DeviceId>> cut(const std::vector<std::size_t>& order, Memory memory,
                                                 std::uint64_t& ticks, const Budget* budget = nullptr);
  // Where not all are alike: the accelerators in another order. The first is that of their numbers.
  void take_another_turn(Dice& dice) { dice.shuffle(turns_); }

 private:
  static constexpr std::size_t kMostUnits = 500;
  struct ItemTag;
  using ItemId = Id<ItemTag>;
  struct Unit {
    std::vector<GroupId> groups;
    double host_time = 0, memory = 0;
    bool on_host = true;
    std::vector<char> on_class;  // by class of accelerators
  };
  // A segment as it grows.
  struct Segment {
    std::vector<double> load;  // by class of accelerators; infinite once it cannot be there
    double held = 0;           // memory
  };

  struct Cut {
    IdVector<GroupId, DeviceId> accelerator_of;
    std::vector<std::size_t> ends;  // of segments, as positions in the order
  };

  std::vector<std::size_t> run_ends(const std::vector<std::size_t>& order, std::size_t run) const;
  std::vector<Unit> make_units(const std::vector<std::size_t>& order, const std::vector<std::size_t>& ends) const;
  std::optional<Cut> cut_at(const std::vector<std::size_t>& order, const std::vector<std::size_t>& run_ends,
                            Memory memory, std::uint64_t& ticks, const Budget* budget);
  // False once no class can hold the segment.
  bool grow(Segment& segment, const Unit& unit, Memory memory, std::uint64_t& work);
  double add_unit(const Unit& unit, std::uint64_t& work);
  Traffic add_unit_by_class(const Unit& unit, std::vector<double>& times, std::uint64_t& work);
  void forget_segment();

  const LatencyInstance& instance_;
  int accelerators_;
  Csr<ItemId, ItemId> successors_, predecessors_;
  Csr<ItemId, GroupId> groups_of_;
  IdVector<NetId, std::uint32_t> inside_[2];  // of each net's members, how many are in the segment, by pass
  std::vector<NetId> touched_;
  std::vector<DeviceId> turns_;  // all accelerators
  std::vector<double> times_;    // of a unit, by class
};

}  // namespace partita::detail
