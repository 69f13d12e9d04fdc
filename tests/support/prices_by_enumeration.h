// SPDX-License-Identifier: Apache-2.0
// Prices that prove a bound, found by looking at every set that a device can hold. For workloads of up to a dozen nodes
// and loads that are sums; shares no code with `check` or `solve`.
#pragma once

#include <optional>
#include <vector>

#include "partita/model/certificate.h"
#include "partita/model/problem.h"

namespace partita::detail {

struct DeviceSets {
  std::size_t device_class = 0;
  int count = 0;
  std::vector<std::vector<char>> sets;  // which classes each holds
};

// Prices of classes that add up to more than the devices can be worth, if none of their sets is worth more than `most`
// says by entry of `devices`. Nothing where there are none, or none were found in so many rounds.
struct SeparatingPrices {
  std::vector<std::int64_t> prices, most;
};
std::optional<SeparatingPrices> separating_prices(const std::vector<DeviceSets>& devices, std::size_t classes,
                                                  int rounds = 2000);

// The sets of colour classes, in the order of their first nodes, that devices can hold within the limit: convex in the
// shape's order, and in keeping with the decisions. For staged splits, classes on a cycle of the order are one. Of
// memory only that is asked that each class fits by itself.
std::vector<DeviceSets> sets_within(const Problem& problem, Shape shape, double limit,
                                    const std::vector<Certificate::Decision>& decisions = {});

// A leaf with such prices for the sets within the limit.
std::optional<Certificate::Leaf> prices_by_enumeration(const Problem& problem, Shape shape, double limit,
                                                       const std::vector<Certificate::Decision>& decisions = {});

}  // namespace partita::detail
