// SPDX-License-Identifier: Apache-2.0
// The states of the program that checks prices, as layers of a graph: which sets the classes so far can be part of.
//
// Classes are taken into the set or left, one after the other. After each, a state tells what matters of them to the
// rest, in one character for each open thing:
// - a transfer with members decided and undecided: are those decided all in, all out, or mixed? It is paid for as soon
//   as it is mixed, or sure to become so;
// - a pair with one class decided: is that in?
// - an undecided point next to a decided one: the interval of labels (point_order.h) that those decided leave it.
//
// Of transfers with the same load and the same undecided members, only how many are in, out and mixed matters to the
// rest: what is still to be paid is the same whichever they are. Their characters are sorted, so that such states meet.
//
// Taking a class gives its points the label 1, leaving it gives each of them 0 or 2: one arc for each choice that
// matters. Label 0 binds only points before, 2 only points after; where there are none that are undecided, the one that
// binds nothing is enough. A decided point's label bounds all open points that it leads to or that lead to it; a point
// that opens takes over the bounds of the open ones that are so related to it. All these bounds hold for the labels of
// every convex set, so each convex set within the limit is a path; forgetting a point leaves bounds out, and sets that
// are not convex may then be paths too.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "partita/check/price_program.h"

namespace partita::detail {

struct PriceArc {
  std::int32_t to = 0;  // state of the next layer
  bool take = false;
  std::int64_t load = 0;
};

struct PriceLayer {
  std::vector<std::size_t> first;  // by state, and one more: its arcs begin here
  std::vector<PriceArc> arcs;

  std::size_t states() const { return first.size() - 1; }
};

// What was made is counted against the budget's memory, and time is asked for inside every long loop.
class PriceMeter {
 public:
  explicit PriceMeter(Budget& budget) : budget_(budget) {}

  void keep(std::size_t bytes) { kept_ += bytes; }
  void count_steps(std::uint64_t steps) { steps_ += steps; }
  // Looks at the memory in use each time, at the clock from time to time; true if one of them has run out.
  bool out_of_bounds(std::size_t passing_bytes);
  const std::optional<PriceAnswer>& stopped() const { return stopped_; }

 private:
  Budget& budget_;
  std::size_t kept_ = 0;
  std::uint64_t steps_ = 0;  // since the last look at the clock
  std::optional<PriceAnswer> stopped_;
};

// One layer for each class, and one behind the last, which has no arcs. Fewer where the meter stopped it.
std::vector<PriceLayer> price_layers(const PriceQuestion& question, PriceMeter& meter);

}  // namespace partita::detail
