// SPDX-License-Identifier: Apache-2.0
// Wishes, first step: what they ask of colour classes rather than of nodes.
//
// Nodes that share a device by a colour, by a wish (`together`) or because they are pinned to the same device become one
// colour class (joined_classes.h). A pin to a class of devices takes away the times on all others: a split is legal with
// the pin if and only if it is legal without these times, and costs the same. What is left are groups that are pinned to
// one device and groups that must be apart; wish_cases.h deals with them. Tests: tests/reduce/wishes_test.cpp,
// tests/property/wishes_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partita/model/problem.h"

namespace partita::detail {

struct WishGroup {
  std::vector<NodeId> nodes;        // all of the colour class, those that no wish names included
  std::optional<DeviceId> device;   // that it is pinned to
  std::vector<std::size_t> apart;   // from these groups, by their places in the list; sorted, each once
  IdVector<ClassId, char> runs_on;  // classes that have devices and may hold all its nodes
};

struct WishGroups {
  Problem problem;  // without wishes: classes joined, pins to classes in the times; lift_joined() leads back
  std::vector<WishGroup> groups;  // pinned to a device, or apart from some other
  std::string contradiction;  // which wish no split can keep; empty where none is known, and then alone the rest holds
};

// Precondition: validate() accepts the problem. Near-linear, and quadratic in the length of lists of nodes to be apart.
WishGroups group_by_wishes(const Problem& problem);

}  // namespace partita::detail
