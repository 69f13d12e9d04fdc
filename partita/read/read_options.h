// SPDX-License-Identifier: Apache-2.0
// How strictly an input is read, and how much memory that may take.
#pragma once

#include <cstddef>

namespace partita {

struct ReadOptions {
  bool strict = false;  // a field that nobody knows is an error, not a note
  // Bytes that what is read may take, as far as they can be told beforehand; more is an InputError(Unreadable).
  std::size_t memory = std::size_t{4} << 30;
};

}  // namespace partita
