// SPDX-License-Identifier: Apache-2.0
// The part of checking a certificate that can take long: is some set that a device can hold dearer than a goal?
#pragma once

#include <cstdint>
#include <vector>

#include "partita/check/point_order.h"
#include "partita/util/budget.h"

namespace partita::detail {

// Everything in integers. Sums must not overflow: see the limits on prices in certificate_leaf.cpp.
struct PriceQuestion {
  struct Class {
    std::int64_t load = 0;
    std::int64_t price = 0;  // net of the toll on memory; of either sign
    bool may_be_taken = true;
  };
  struct Transfer {
    std::int64_t load = 0;
    std::vector<std::size_t> members;  // classes, at least two; paid for when some are in the set and some are not
  };
  // Two different classes of which a set holds both or neither (together), or not both (apart).
  struct Pair {
    std::size_t a = 0, b = 0;
    bool together = false;
  };

  std::vector<Class> classes;  // in the order in which the program takes them; any order gives a valid answer
  std::vector<Transfer> transfers;
  std::vector<Pair> pairs;
  // Sets must be convex in this order, if it has any points; it must outlive the question. By point: the class it is
  // in, of which a class may have several, and whether the program tells its label from others', or may forget it.
  const PointOrder* order = nullptr;
  std::vector<std::size_t> class_of_point;
  std::vector<char> forgotten;

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
