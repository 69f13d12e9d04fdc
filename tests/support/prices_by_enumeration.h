// SPDX-License-Identifier: Apache-2.0
// Prices that prove a bound, found by looking at every set that a device can hold. For workloads of up to a dozen nodes
// and loads that are sums; shares no code with `check` or `solve`.
#pragma once

#include <optional>
#include <vector>

#include "partita/model/certificate.h"
#include "partita/model/problem.h"

namespace partita::detail {

// By the certificate's order of classes, which is that of their first nodes.
struct DeviceSets {
  std::size_t device_class = 0;
  int count = 0;
  std::vector<std::vector<char>> sets;  // which classes each holds
};

// The sets of colour classes that devices can hold within the limit: convex in the shape's order, and in keeping with
// the decisions. Of memory only that is asked that each class fits by itself.
std::vector<DeviceSets> sets_within(const Problem& problem, Shape shape, double limit,
                                    const std::vector<Certificate::Decision>& decisions = {});

// A leaf whose prices add up to more than the devices' sets within the limit can be worth, with `most` by class of
// devices; nothing where there is none, or none was found in so many rounds.
std::optional<Certificate::Leaf> prices_by_enumeration(const Problem& problem, Shape shape, double limit,
                                                       const std::vector<Certificate::Decision>& decisions = {},
                                                       int rounds = 2000);

}  // namespace partita::detail
