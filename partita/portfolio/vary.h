// SPDX-License-Identifier: Apache-2.0
// A problem with one property of its platform changed, and a split moved from one such problem to another.
#pragma once

#include <optional>
#include <string>

#include "partita/model/sweep.h"

namespace partita::detail {

// Throws InputError(BadPlatform) where the parameter is not one number of this platform: several classes of the kind,
// or clusters that say where devices are. The message says what can be varied instead.
void require_variable(const Problem& problem, SweepParameter parameter);

// The problem at one point of a sweep. Throws InputError for a value that makes no sense. Preconditions: the parameter
// is variable.
//
// Bandwidth b divides the cost of every edge by b and multiplies the bandwidth at which copies exchange weights by b.
// Latencies of links stay. Where the edges out of a node differ in cost they still do: division could make equals of
// two neighbouring numbers, and so make one transfer out of several.
Problem varied(const Problem& problem, SweepParameter parameter, double value);

// The split on another platform with the same classes, of which there may be more devices or fewer. Where there are no
// clusters, devices of a class are alike, so those in use move together; nothing where they are too many.
std::optional<Split> moved(const Platform& from, const Split& split, const Platform& to);

// "4", "16 GiB", "0.5".
std::string point_label(SweepParameter parameter, double value);

// "4 accelerators", "1 host", "16 GiB of memory", "bandwidth 0.5".
std::string point_name(SweepParameter parameter, double value);

}  // namespace partita::detail
