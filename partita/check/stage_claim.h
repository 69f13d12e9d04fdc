// SPDX-License-Identifier: Apache-2.0
// A claim about staged splits, as chains of ideals see it: two kinds of devices, groups along the order.
//
// Every accelerator is taken for one that is the best of all in everything: the least time for each group, the least
// cost for each transfer, what any of them can hold; and so is every host. Whatever a device holds within the limit, the
// best one holds too. Where all accelerators are equal, that loses nothing. Where groups within the limit cannot need more
// memory than there is, by a fractional knapsack, they need none.
//
// The order has no cycles, and some order of the devices takes all of its arcs forward (claim_instance.h). So what the
// first devices hold together is an *ideal*, a set with all that precedes its members, and a split is a chain of ideals
// from the empty set to the whole, in which each device holds one difference, its *stage*.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "partita/check/claim_instance.h"
#include "partita/model/platform.h"
#include "partita/util/bit_matrix.h"

namespace partita::detail {

struct StageClaim {
  // On a host, on an accelerator.
  enum Kind : std::size_t { kHost, kAccelerator };
  struct GroupOn {
    std::int64_t load = 0, memory = 0;
    bool may_be_held = false;  // alone it is within the limit and the memory
  };
  struct Net {
    std::int64_t cost = 0;
    std::vector<std::size_t> members;
  };

  int count[2] = {0, 0};                                  // of devices, by kind
  std::vector<std::size_t> group;                         // of the instance: the one at each place of the order
  std::vector<std::array<GroupOn, 2>> on;                 // by group
  std::vector<Net> nets;                                  // that cost something
  std::vector<std::vector<std::size_t>> nets_of, before;  // by group; before: by one arc
  BitMatrix ancestors, descendants;                       // of each group, itself among them

  std::size_t size() const { return on.size(); }
  std::int64_t total_memory() const;  // on accelerators
};

// Of what the steps leave. Nothing where what precedes what takes more than `most_bytes`, or the order has a cycle.
std::optional<StageClaim> stage_claim(const Platform& platform, const ClaimInstance& instance, std::size_t most_bytes);

}  // namespace partita::detail
