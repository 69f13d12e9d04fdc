// SPDX-License-Identifier: Apache-2.0
// What transfers cost over links with a latency, whichever solver asks.
//
// A device of class c that moves an output of cost w pays Link(c).price(w), and within a cluster Link(c, cluster).price(w).
// Where all that pay have one link, instances have the price in their nets, and solvers need not know of links at all.
// Elsewhere sums over transfers are kept as Traffic, how much and how many, and priced when it is known who pays: prices
// are linear in both, so a sum of prices is the price of the sum. A net that stands for several transfers has their sum.
#pragma once

#include <algorithm>

#include "partita/model/platform.h"

namespace partita::detail {

struct Traffic {
  double amount = 0;     // costs, as the edges have them
  double transfers = 0;  // that cost something

  void add(const Traffic& more, double times = 1) {
    amount += times * more.amount;
    transfers += times * more.transfers;
  }
};

inline Traffic traffic_of(double cost) { return {cost, cost > 0 ? 1.0 : 0.0}; }

inline double price(const Link& link, const Traffic& traffic) {
  return link.factor * traffic.amount + link.latency * traffic.transfers;
}

inline constexpr Link kPaysNothing{0, 0};

// Of a device of the class, where all devices are in one place. Hosts pay nothing.
inline Link link_of(const DeviceClass& c) {
  return c.kind == DeviceKind::Host ? kPaysNothing : Link{c.link_factor, c.link_latency};
}

// The same for what moves within a cluster, and in none inside it.
inline Link link_within(const Cluster& cluster, const DeviceClass& c) {
  if (c.kind == DeviceKind::Host) return kPaysNothing;
  return cluster.link ? *cluster.link : Link{c.link_factor * cluster.factor, c.link_latency};
}

// For the exchange of weights, whose bandwidth is given at factor 1.
inline double exchange_factor(const Cluster& cluster) { return cluster.link ? cluster.link->factor : cluster.factor; }

// Whatever moves costs no more over this than over either.
inline Link least_of(const Link& a, const Link& b) {
  return {std::min(a.factor, b.factor), std::min(a.latency, b.latency)};
}
// Whatever moves costs no less over this than over either.
inline Link most_of(const Link& a, const Link& b) {
  return {std::max(a.factor, b.factor), std::max(a.latency, b.latency)};
}

}  // namespace partita::detail
