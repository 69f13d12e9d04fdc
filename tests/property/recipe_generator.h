// SPDX-License-Identifier: Apache-2.0
// RapidCheck's way to draw, shrink and show the recipes of tests/support/random_workload.h.
#pragma once

#include <array>
#include <ostream>

#include <rapidcheck.h>

#include "tests/support/random_workload.h"

namespace rc {

// Every field shrinks towards 0 on its own, and a node with presence 0 is gone, so graphs shrink node by node.
template <>
struct Arbitrary<partita::detail::NodeRecipe> {
  static Gen<partita::detail::NodeRecipe> arbitrary() {
    using partita::detail::NodeRecipe;
    // RapidCheck narrows ranges while its size parameter is small; here small numbers are not simpler cases.
    return gen::resize(
        kNominalSize,
        gen::build<NodeRecipe>(
            gen::set(&NodeRecipe::presence, gen::inRange(0, 8)),
            gen::set(&NodeRecipe::work, gen::oneOf(gen::just(0), gen::inRange(0, 12), gen::inRange(0, 12))),
            gen::set(&NodeRecipe::host, gen::inRange(0, 12)), gen::set(&NodeRecipe::support, gen::inRange(0, 20)),
            gen::set(&NodeRecipe::memory, gen::inRange(0, 7)), gen::set(&NodeRecipe::colour, gen::inRange(0, 20)),
            gen::set(&NodeRecipe::backward, gen::inRange(0, 2)),
            gen::set(&NodeRecipe::successors, gen::inRange(0, 256)),
            gen::set(&NodeRecipe::thinning, gen::inRange(0, 256)), gen::set(&NodeRecipe::cost, gen::inRange(0, 7)),
            gen::set(&NodeRecipe::spread, gen::inRange(0, 8))));
  }
};

template <>
struct Arbitrary<partita::detail::Recipe> {
  static Gen<partita::detail::Recipe> arbitrary() {
    using partita::detail::Recipe;
    return gen::resize(
        kNominalSize,
        gen::build<Recipe>(
            gen::set(&Recipe::nodes,
                     gen::container<decltype(Recipe::nodes)>(gen::arbitrary<partita::detail::NodeRecipe>())),
            gen::set(&Recipe::accelerators, gen::inRange(0, 5)), gen::set(&Recipe::hosts, gen::inRange(0, 3)),
            gen::set(&Recipe::chain, gen::inRange(0, 2)), gen::set(&Recipe::even, gen::inRange(0, 2)),
            gen::set(&Recipe::memory, gen::inRange(0, 8)), gen::set(&Recipe::unit, gen::inRange(0, 4)),
            gen::set(&Recipe::cost_unit, gen::inRange(0, 4)), gen::set(&Recipe::style, gen::inRange(0, 3)),
            gen::set(&Recipe::latency, gen::inRange(0, 4)), gen::set(&Recipe::shuffle, gen::inRange(0, 256))));
  }
};

}  // namespace rc

namespace partita::detail {

// The name is RapidCheck's.
// NOLINTNEXTLINE(readability-identifier-naming)
inline void showValue(const Recipe& recipe, std::ostream& out) { out << "\n" << describe(make_workload(recipe)); }

}  // namespace partita::detail
