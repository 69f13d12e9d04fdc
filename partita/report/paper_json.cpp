// SPDX-License-Identifier: Apache-2.0
#include "partita/report/paper_json.h"

#include <cstddef>
#include <optional>

#include "partita/report/json_parts.h"
#include "partita/report/paper_text.h"

namespace partita::detail {
namespace {

constexpr int kPaperVersion = 1;

void add_own_run(const PaperColumn& column, const PaperCell& cell, const AlgorithmRun& run, JsonWriter& json) {
  json.field("outcome", to_string(run.outcome));
  json.field("value", run.value);
  json.field("difference", difference(cell, run));
  const std::string why = why_different(column, cell, run);
  if (!why.empty()) json.field("why", why);
  json.field("legal", run.legal);
  if (!run.baseline) {
    json.field("bound", run.bound);
    json.field("gap", run.gap());
    json.field("optimal", run.optimal);
  }
  json.field("seconds", run.seconds);
}

void write_cell(const PaperColumn& column, const PaperCell& cell, const std::optional<AlgorithmRun>& run,
                JsonWriter& json) {
  json.object([&] {
    json.field("column", column.title);
    json.field("algorithm", column.algorithm);
    cell.value ? json.field("paper", *cell.value) : json.field("paper", cell.remark);
    if (!cell.runtime.empty()) json.field("paper_runtime", cell.runtime);
    if (!cell.certified.empty()) json.field("paper_gap", cell.certified);
    if (run) add_own_run(column, cell, *run, json);
  });
}

void add_row(const PaperTable& table, const PaperRow& row, JsonWriter& json) {
  json.field("workload", row.workload);
  json.field("kind", row.kind);
  json.field("file", row.file);
  json.key("cells").array([&] {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (row.cells[c].present) write_cell(table.columns[c], row.cells[c], row.runs[c], json);
    }
  });
}

}  // namespace

std::string paper_json(const std::vector<PaperTable>& tables, const CompareJsonOptions& options) {
  JsonWriter json(JsonLayout::Pretty);
  json.object([&] {
    add_format("paper-bench", kPaperVersion, json);
    json.field("time_limit", options.time_limit);
    json.field("seed", options.seed);
    json.rows("tables", tables, [&](const PaperTable& table) {
      json.field("name", table.name);
      json.field("title", table.title);
      json.rows("rows", table.rows, [&](const PaperRow& row) { add_row(table, row, json); });
    });
  });
  return json.take();
}

}  // namespace partita::detail
