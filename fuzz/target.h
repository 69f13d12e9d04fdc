// SPDX-License-Identifier: Apache-2.0
// What the targets share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "partita/read/read_options.h"
#include "partita/util/error.h"

// Called by libFuzzer, or by replay.cpp.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace partita::detail::fuzz {

inline const ReadOptions kLimits{.strict = false, .memory = std::size_t{64} << 20};

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Runs a reader. An InputError is an answer, if it is one line with something to say; any other exception ends the
// program, and so is found.
template <class Read>
void must_answer(Read read) {
  try {
    read();
  } catch (const InputError& error) {
    const std::string line = error.what();
    if (error.problem().empty() || line.find('\n') != std::string::npos || line.size() > 2'000) std::abort();
  }
}

}  // namespace partita::detail::fuzz
