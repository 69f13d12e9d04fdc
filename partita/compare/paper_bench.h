// SPDX-License-Identifier: Apache-2.0
// Fills the paper's tables with what our algorithms find on the same inputs.
//
// Splits of every shape are legal here, as in the paper's table of throughput, whose columns have shapes of their own.
// An expert brings the number of accelerators that the split uses: one of the paper's uses more than its input has.
#pragma once

#include <functional>
#include <optional>

#include "partita/compare/compare.h"
#include "partita/model/paper.h"
#include "partita/model/split.h"
#include "partita/util/budget.h"

namespace partita::detail {

struct PaperSources {
  std::function<Workload(const PaperRow& row)> workload;
  std::function<std::optional<SplitListing>(const PaperRow& row)> expert;
};

// Runs one cell after the other, each within `seconds`; leaves the rest empty once the budget ends.
void fill_paper_table(PaperTable& table, const PaperSources& sources, const AlgorithmOptions& options, double seconds,
                      Budget& budget, const CompareWatcher& watcher,
                      const std::function<void(const PaperRow& row)>& row_begins);

}  // namespace partita::detail
