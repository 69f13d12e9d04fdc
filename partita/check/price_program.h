// SPDX-License-Identifier: Apache-2.0
// The part of checking a certificate that can take long: is some set that an accelerator can hold dearer than a goal?
#pragma once

#include <cstdint>
#include <vector>

#include "partita/util/budget.h"

namespace partita::detail {

// Everything in integers. Sums must not overflow: see the limits on prices in certificate.cpp.
struct PriceQuestion {
  struct Class {
    std::int64_t load = 0;
    std::int64_t price = 0;  // net of the toll on memory, so possibly negative
    bool may_be_taken = true;
  };
  struct Transfer {
    std::int64_t load = 0;
    std::vector<std::size_t> members;  // classes, at least two; paid for when some are in the set and some are not
  };

  std::vector<Class> classes;  // in the order in which the program takes them; any order gives a valid answer
  std::vector<Transfer> transfers;
  std::int64_t limit = 0;  // of a set's load
  std::int64_t goal = 0;   // of its price
  std::int64_t theta = 0;  // price granted per unit of load, times 2^kThetaShift
  int buckets = 1;         // of load, per state
};

inline constexpr int kThetaShift = 36;

enum class PriceAnswer {
  NoneDearer,  // proved
  MaybeDearer,
  NoTime,    // the budget ended before
  NoMemory,  // its memory limit was reached before
};

PriceAnswer look_for_dearer_set(const PriceQuestion& question, Budget& budget);

// How many states the program would have if all were possible, roughly: for choosing an order. Linear.
double states_at_most(const PriceQuestion& question);

// The same question with the classes in another order: order[i] is the class that comes i-th.
PriceQuestion reordered(const PriceQuestion& question, const std::vector<std::size_t>& order);

}  // namespace partita::detail
