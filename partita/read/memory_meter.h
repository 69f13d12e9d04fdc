// SPDX-License-Identifier: Apache-2.0
// Counts what a reader's result takes, so that a file cannot ask for all of a machine's memory.
#pragma once

#include <fmt/format.h>

#include <cstddef>

#include "partita/read/fields.h"

namespace partita::detail {

class MemoryMeter {
 public:
  explicit MemoryMeter(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // Throws InputError(Unreadable) at `place` where it becomes too much.
  void add(std::size_t bytes, const Place& place) {
    bytes_ += bytes;
    if (bytes_ <= most_bytes_) return;
    place.fail(ErrorKind::Unreadable,
               fmt::format("what was read up to here takes more than {} MiB of memory, the limit", most_bytes_ >> 20));
  }

 private:
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
};

}  // namespace partita::detail
