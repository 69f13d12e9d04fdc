// SPDX-License-Identifier: Apache-2.0
// Where the boundaries between stages can be, by the work that the ideals there hold.
//
// The work x(I) of an ideal I is the sum of its groups' loads on accelerators. Ideals are sorted into places: place 0 is
// the empty set, the last place the whole, and those between are intervals of x(I), as equal as integers can be. An
// ideal without v holds at most x(V) - x(descendants of v), one with v at least x(ancestors of v); so at a place some
// groups are surely *in*, and some surely *out*. Places where a group would have to be both hold no ideals.
//
// Take a stage from an ideal at place a to one at place b. It holds its *core*, the groups out at a and in at b; it lacks
// the *outer* ones, in at a or out at b; and it holds at least the work between the places. So an accelerator has a load
// of at least
//     max(work between, load of the core)  +  the cheapest cut of transfers between core and outer groups,
// for it holds all of the core and no outer group, and pays for every transfer that it cuts. Transfers with members on
// both sides are counted as such; a maximum flow bounds what the others add, in whole numbers. A host holds its core
// within the limit, and no more work than a fractional knapsack gives it.
//
// The same with memory in the place of work sees more where memory binds: the memory between two places has to fit the
// accelerator.
//
// From the empty set forwards and from the whole backwards, by the number of devices of each kind that are before a
// boundary (or fewer), this tells the places that the boundaries of a split within the limit are at. So
// - if there are none, there is no such split;
// - groups that are on the same side of every place that is left are on one device in all of them;
// - a group that no host's step from one such place to another can hold is on an accelerator.
// Tests: tests/check/stage_windows_test.cpp.
#pragma once

#include <utility>
#include <vector>

#include "partita/check/stage_claim.h"
#include "partita/util/budget.h"

namespace partita::detail {

class StageWindows {
 public:
  using Int = std::int64_t;
  static constexpr int kMostPlaces = 1024;

  enum class Measure { Work, Memory };

  // When the budget ends, steps that are not decided count as possible. Takes bytes_for() of memory at most.
  static double bytes_for(const StageClaim& claim, int places);
  StageWindows(const StageClaim& claim, Measure measure, int places, Budget& budget);

  bool feasible() const { return allowed(0, 0, 0); }

  // Counts of devices that are of use: no more than there are groups.
  int hosts() const { return count_[StageClaim::kHost]; }
  int accelerators() const { return count_[StageClaim::kAccelerator]; }
  // Can the boundary behind so many devices, or fewer, be at this place?
  bool allowed(int hosts, int accelerators, int place) const { return allowed_[level(hosts, accelerators)][place]; }

  int last_place() const { return buckets_ + 1; }
  int place_of(Int work) const;  // of an ideal that is neither empty nor the whole
  Int lowest(int place) const { return lowest_[place]; }
  Int highest(int place) const { return highest_[place]; }
  int entry(std::size_t v) const { return entry_[v]; }  // the first place at which v is surely in
  int exit(std::size_t v) const { return exit_[v]; }    // the last place at which v is surely out

  // Pairs of groups that are on one device in every split within the limit.
  std::vector<std::pair<std::size_t, std::size_t>> never_separated() const;
  bool can_be_on_host(std::size_t v) const;

  // What is surely true of a stage.
  struct Step {
    Int load[2] = {0, 0}, memory[2] = {0, 0};  // by kind
    bool may_be_held[2] = {true, true};
    bool possible(StageClaim::Kind kind) const {
      return may_be_held[kind] && load[kind] <= kLoadLimit && memory[kind] <= kLoadLimit;
    }
  };
  // Of the stages from an ideal with at most this work (or memory), of which `sides` tells what is surely in and surely out: by the
  // place that they lead to, those before `first` left out.
  enum class Side : char { In, Out, Open };
  std::vector<Step> steps_from(const std::vector<Side>& sides, Int most_work, int first) const;

 private:
  std::size_t level(int hosts, int accelerators) const {
    return static_cast<std::size_t>(hosts) * (accelerators_limit() + 1) + static_cast<std::size_t>(accelerators);
  }
  std::size_t accelerators_limit() const { return static_cast<std::size_t>(count_[StageClaim::kAccelerator]); }
  Int measure_of(std::size_t v) const {
    const StageClaim::GroupOn& on = claim_.on[v][StageClaim::kAccelerator];
    return by_memory_ ? on.memory : on.load;
  }
  void make_places();
  void find_host_share();
  void find_steps();
  void find_places(bool with_flows);
  bool possible(StageClaim::Kind kind, int from, int to, bool with_flows);
  bool cut_exceeds(int from, int to, Int room) const;

  using PlaceSet = std::vector<char>;

  const StageClaim& claim_;
  Budget& budget_;
  const bool by_memory_;
  int buckets_;
  int count_[2];
  Int total_ = 0;
  Int host_share_ = 0;  // most of it that a host can hold
  std::vector<Int> lowest_, highest_;
  std::vector<int> entry_, exit_;
  std::vector<std::vector<Step>> steps_;       // by place, then from that place on
  std::vector<std::vector<char>> flow_state_;  // likewise: not asked, within the limit, above it
  std::vector<PlaceSet> allowed_;              // by level
};

}  // namespace partita::detail
