// SPDX-License-Identifier: Apache-2.0
// Many random stage graphs, one after the other.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/support/cases.h"
#include "tests/support/stage_graphs.h"

namespace partita::detail::test {

// Calls use(seed, random_stage_case(seed, most)) for so many cases, scaled as all tests are. A failure tells the seed.
template <class Use>
void for_each_stage_case(std::uint64_t count, int most, Use use) {
  for (std::uint64_t seed = 1; seed <= cases(count) && !testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    use(seed, random_stage_case(seed, most));
  }
}

}  // namespace partita::detail::test
