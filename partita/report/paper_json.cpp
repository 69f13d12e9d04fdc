// SPDX-License-Identifier: Apache-2.0
#include "partita/report/paper_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "partita/report/paper_text.h"
#include "partita/report/pretty_json.h"
#include "partita/util/version.h"

namespace partita::detail {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kPaperVersion = 1;

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json cell_json(const PaperColumn& column, const PaperCell& cell, const std::optional<AlgorithmRun>& run) {
  Json json{{"column", column.title}, {"algorithm", column.algorithm}};
  json["paper"] = cell.value ? Json(*cell.value) : Json(cell.remark);
  if (!cell.runtime.empty()) json["paper_runtime"] = cell.runtime;
  if (!cell.certified.empty()) json["paper_gap"] = cell.certified;
  if (!run) return json;
  json["outcome"] = to_string(run->outcome);
  json["value"] = finite_or_null(run->value);
  const std::optional<double> differs = difference(cell, run);
  json["difference"] = differs ? Json(*differs) : Json();
  const std::string why = why_different(column, cell, *run);
  if (!why.empty()) json["why"] = why;
  json["legal"] = run->legal;
  if (!run->baseline) {
    json["bound"] = finite_or_null(run->bound);
    json["gap"] = finite_or_null(run->gap());
    json["optimal"] = run->optimal;
  }
  json["seconds"] = run->seconds;
  return json;
}

}  // namespace

std::string paper_json(const std::vector<PaperTable>& tables, const CompareJsonOptions& options) {
  Json json;
  json["partita"] = {{"format", "paper-bench"}, {"version", kPaperVersion}, {"program_version", version()}};
  json["time_limit"] = finite_or_null(options.time_limit);
  json["seed"] = options.seed;
  json["tables"] = Json::array();
  for (const PaperTable& table : tables) {
    Json rows = Json::array();
    for (const PaperRow& row : table.rows) {
      Json cells = Json::array();
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (row.cells[c].present) cells.push_back(cell_json(table.columns[c], row.cells[c], row.runs[c]));
      }
      rows.push_back({{"workload", row.workload}, {"kind", row.kind}, {"file", row.file}, {"cells", std::move(cells)}});
    }
    json["tables"].push_back({{"name", table.name}, {"title", table.title}, {"rows", std::move(rows)}});
  }
  return pretty_json(json);
}

}  // namespace partita::detail
