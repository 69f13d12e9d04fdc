// SPDX-License-Identifier: Apache-2.0
// The paper's local search: from a random split, the best reassignment of one group, again and again, until none makes
// the largest load smaller. Ten such runs, the best of which counts. [Williamson-Shmoys-CUP'11, chapter 9]
//
// As in the paper's code: groups are colour classes with cycles contracted; only accelerators are used; memory is not
// looked at, so the split may be out of memory, which `check` says; the shape is free. A group that no accelerator can
// run goes to the hosts, where the original knows no such groups. The original starts from the C library's random
// numbers, so values differ from the paper's by chance: same kind of result, not the same cell.
//
// Speed. The original computes the value of all n (k - 1) neighbours from scratch at each step, which takes it minutes.
// Here what each would do is kept up (move_gains.h), and few are looked at. The largest load falls only if the load of
// the device that has it does; that changes only when a group leaves or enters this device, and then by no more than
// the group's time and the costs of its nets. So groups are tried by this weight, largest first, and as soon as the
// weight cannot beat the best move so far the step is decided. The move found is the best of all. Milliseconds on the
// paper's graphs (26 on the largest), two seconds on graphs of 4,000 nodes.
//
// Ties. Mostly many moves are equally good, since the second largest load is then the value, and the choice among them
// matters: on the graphs of operators the heaviest group, or the first in the file, gives splits up to a third better
// than the paper's (ResNet50, inference: 168 and 184, printed are 250). The original takes them as a hash table has
// them, which is no order in particular; here each run draws one (223).
//
// Beyond the paper. With other transfer modes, several classes of devices or link factors the descent is the same, over
// other loads (tried_gains.h), where every move has to be tried: some three times slower on the paper's
// graphs. A group then goes to any accelerator whose class can run it. Where loads are maxima the search is stuck
// sooner: while the transfers of a device are the larger part, less compute gains nothing. With `overlap` BERT-12
// (training) comes to 848, although the split for `sum` has no load above 677.
//
// It makes the largest load small, also where the objective is gpipe; clusters, copies and samples in flight are not
// looked at. For latency the paper has none, as it is not clear how one would keep within memory; nor would it get
// anywhere: nearly all random splits wait in circles, and nearly no single move undoes that. Tests:
// tests/solve/local_search_test.cpp, tests/golden/baselines_test.cpp.
#pragma once

#include <cstdint>
#include <optional>

#include "partita/model/problem.h"
#include "partita/model/split.h"
#include "partita/reduce/free_instance.h"
#include "partita/util/budget.h"

namespace partita::detail {

struct LocalSearchOptions {
  int restarts = 10;  // runs, from 1 on
  std::uint64_t seed = 1;
};

// Nothing if some group can run nowhere. When the budget ends, the best split so far counts, be it a random one. Where
// there are so many devices that the tables would take too much memory, some accelerators stay empty.
std::optional<FreeSplit> local_search(const NetGraph& graph, const StagePlatform& platform,
                                      const LocalSearchOptions& options, const Budget& budget = {});
// The same over any devices, all of them, and in any transfer mode.
std::optional<FreeSplit> local_search(const FreeInstance& instance, const LocalSearchOptions& options,
                                      const Budget& budget = {});
// The same for a problem.
std::optional<Split> local_search_split(const Problem& problem, const LocalSearchOptions& options = {},
                                        const Budget& budget = {});

}  // namespace partita::detail
