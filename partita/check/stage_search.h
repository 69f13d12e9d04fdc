// SPDX-License-Identifier: Apache-2.0
// Is there a chain of ideals within the limit? Decided by going through all that matter, where they are few.
//
// For each number of hosts and accelerators, fewest first, the ideals that so many devices can hold together are found
// from those that one device less can hold: every set of groups that can follow, within the limit. If the whole is never
// among them, no split is within the limit (stage_claim.h). What is left out, and why no split is lost by it:
// - *Places.* An ideal at a place where, behind so many devices, no boundary is allowed (stage_windows.h), and a stage
//   that by the ideal it begins at, and the place it leads to, has too large a load.
// - *Too heavy already.* While a stage grows group by group, along the order, each in or out: its load so far, or the
//   work that it must still reach, plus the transfers with members in it and members surely outside, is above the limit.
// - *Reached before.* An ideal that fewer devices reach as well; or no more, of each kind.
// - *Dominance.* Let a stage S lead to an ideal I, and let v be a group outside I with all that precedes it inside. Let v
//   be *absorbing*: the transfers of v wholly outside I cost no more than v's load and the transfers of which v is the
//   only member outside I together. Take a completion from I within the limit and move v into S from its stage X. If X is
//   an accelerator, it loses v's load and what it paid for transfers of which v is the last; it gains at most what lay
//   in X as a whole, which is outside I. A host only loses. Every other device cuts just what it cut, as moving v from X
//   to S puts no member into or out of it. So if S with v is within the limit and the memory, I + v has a completion
//   too, and I is not needed; chains I, I + v, I + v + w, ... end. The same if I + v is known to be reached by as many
//   devices or fewer, whatever S is.
//   As a stage grows, v gets only more absorbing and adds only less to its load: transfers that S has members of are
//   paid for already. So once an absorbing v is out, the load of the stage has to end above the limit less what v adds
//   now, and a walk that cannot get there ends.
// All is in whole numbers. Time, and memory for the ideals, are the budget's.
// Tests: tests/check/stage_search_test.cpp.
#pragma once

#include "partita/check/stage_claim.h"
#include "partita/check/stage_windows.h"
#include "partita/util/budget.h"

namespace partita::detail {

enum class ChainAnswer {
  None,  // proved
  Some,
  NoTime,    // the budget ended before
  NoMemory,  // its memory limit was reached before
};

ChainAnswer look_for_chain(const StageClaim& claim, const StageWindows& windows, Budget& budget);

}  // namespace partita::detail
