// SPDX-License-Identifier: Apache-2.0
#include "partita/model/made_sound.h"

#include "partita/model/exact_memory.h"
#include "partita/model/validate.h"

namespace partita::detail {

Problem made_sound(const Problem& problem) {
  validate(problem);
  Problem sound = problem;
  if (!memory_sums_are_exact(*problem.workload)) make_memory_sums_exact(sound.workload.change());
  return sound;
}

}  // namespace partita::detail
