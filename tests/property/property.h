// SPDX-License-Identifier: Apache-2.0
// Runs a property on many random workloads. A failure is shrunk, prints its seed, and leaves the smallest failing
// instance as a workload file in the working folder, which in a build is the build folder.
//
// Environment: PARTITA_PROPERTY_CASES is the number of cases of each property (default kDefaultCases), and
// PARTITA_PROPERTY_SEED where they start (default 1, so that a run can be repeated).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "partita/model/problem.h"
#include "tests/property/recipe_generator.h"

namespace partita::detail {

inline constexpr int kDefaultCases = 2000;

// What went wrong, or nothing.
using Complaint = std::optional<std::string>;

// The second argument is a number drawn for this case, for whatever else the property chooses at random.
using Property = std::function<Complaint(const Workload&, unsigned)>;

// Fails the current GoogleTest test if some workload makes the property complain or throw. A slow property is tried on
// one in `rarity` of the cases.
void expect_for_all_workloads(const Property& property, int rarity = 1);

// Random cases are worth little if what they are for is rare: more than one in `one_in` of them should be so. A short run
// tells nothing about what is rare, and is not asked.
void expect_more_than(int met, int cases, int one_in, const char* what);

// Equal up to rounding: `tolerance` relative, and as much absolute near 0.
bool nearly(double a, double b, double tolerance = 1e-6);

}  // namespace partita::detail
