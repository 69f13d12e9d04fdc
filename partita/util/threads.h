// SPDX-License-Identifier: Apache-2.0
// Threads where there may be none to be had: a container or a limit of the user can refuse them at any time.
#pragma once

#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace partita::detail {

// Nothing where the system starts no further thread; the work is then somebody else's.
template <class Work>
std::optional<std::jthread> try_to_start(Work work) {
  try {
    return std::jthread(std::move(work));
  } catch (const std::system_error&) {
    return std::nullopt;
  }
}

}  // namespace partita::detail
