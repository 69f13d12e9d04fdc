// SPDX-License-Identifier: Apache-2.0
// How many random cases a test tries: what the test asks for, scaled by PARTITA_TEST_SCALE (1 by default; less where
// sanitizers make everything slow, more for a long hunt).
#pragma once

#include <cstdint>
#include <cstdlib>

namespace partita::detail::test {

inline std::uint64_t cases(std::uint64_t usual) {
  const char* scale = std::getenv("PARTITA_TEST_SCALE");
  const double scaled = static_cast<double>(usual) * (scale ? std::strtod(scale, nullptr) : 1);
  return scaled < 1 ? 1 : static_cast<std::uint64_t>(scaled);
}

// Whether at least the usual cases run: only then can a test ask that something rare was among them.
inline bool all_usual_cases() { return cases(1000) >= 1000; }

}  // namespace partita::detail::test
