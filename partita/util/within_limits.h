// SPDX-License-Identifier: Apache-2.0
// Running out of memory or time ends a piece of work, not the program.
#pragma once

#include <new>
#include <stdexcept>
#include <utility>

#include "partita/util/budget.h"
#include "partita/util/time_watch.h"

namespace partita::detail {

// Does the work. False where there was not enough memory for it, or a size that no memory holds was asked for; the
// budget then knows. False as well where a TimeWatch ended it. What the work had made by then is gone but for what it
// left outside of itself, so that must be whole at every step.
template <class Work>
bool within_limits(Budget& budget, Work&& work) {
  try {
    std::forward<Work>(work)();
    return true;
  } catch (const OutOfTime&) {
    return false;
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  budget.ran_out_of_memory();
  return false;
}

}  // namespace partita::detail
