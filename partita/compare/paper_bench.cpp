// SPDX-License-Identifier: Apache-2.0
#include "partita/compare/paper_bench.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "partita/compare/run_algorithm.h"

namespace partita::detail {
namespace {

void make_room_for(const SplitListing& listing, Platform& platform) {
  std::size_t used = 0, accelerators = 0;
  for (const SplitListing::Device& device : listing.devices) {
    if (device.kind != DeviceKind::Accelerator) continue;
    ++accelerators;
    if (!device.node_ids.empty()) used = accelerators;
  }
  for (DeviceClass& c : platform.classes) {
    if (c.kind == DeviceKind::Accelerator) c.count = std::max(c.count, static_cast<int>(used));
  }
}

}  // namespace

void fill_paper_table(PaperTable& table, const PaperSources& sources, const AlgorithmOptions& options, double seconds,
                      Budget& budget, const CompareWatcher& watcher,
                      const std::function<void(const PaperRow& row)>& row_begins) {
  for (PaperRow& row : table.rows) {
    if (budget.exhausted()) return;
    if (row_begins) row_begins(row);
    Problem problem;
    problem.workload = sources.workload(row);
    problem.objective = table.objective;
    problem.shape = Shape::Free;
    AlgorithmOptions mine = options;
    mine.expert = sources.expert(row);
    for (std::size_t c = 0; c < table.columns.size() && !budget.exhausted(); ++c) {
      if (!row.cells[c].present) continue;
      const AlgorithmEntry* entry = find_algorithm(table.columns[c].algorithm);
      if (!entry) throw std::logic_error("no algorithm is called " + table.columns[c].algorithm);
      if (watcher.begins) watcher.begins(*entry, c, table.columns.size());
      Problem here = problem;
      if (mine.expert && entry->name == "expert") make_room_for(*mine.expert, here.workload.change().platform);
      Budget slice(budget, std::numeric_limits<std::uint64_t>::max(), seconds);
      row.runs[c] = run_algorithm(*entry, here, mine, slice, watcher.progress);
      if (watcher.ended) watcher.ended(*row.runs[c]);
    }
  }
}

}  // namespace partita::detail
