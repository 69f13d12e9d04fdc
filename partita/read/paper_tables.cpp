// SPDX-License-Identifier: Apache-2.0
#include "partita/read/paper_tables.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "partita/read/bytes.h"
#include "partita/read/fields.h"
#include "partita/read/json_document.h"

namespace partita::detail {
namespace {

using nlohmann::json;

struct ColumnSource {
  const char* key;        // of a row in the file
  const char* value_key;  // where the cell is an object
  const char* title;
  const char* algorithm;
};

constexpr ColumnSource kThroughput[] = {
    {"dp", "tps", "DP", "dp"},
    {"ipContiguous", "tps", "IP (contiguous)", "contiguous"},
    {"ipNonContiguous", "tps", "IP (non-contiguous)", "free"},
    {"dpl", "tps", "DPL", "dpl"},
    {"expert", "tps", "Expert", "expert"},
    {"localSearch", "tps", "Local search", "local-search"},
    {"pipeDream", "tps", "PipeDream", "pipedream"},
    {"scotch", "tps", "Scotch", "scotch"},
};
constexpr ColumnSource kGranularity[] = {
    {"operator", "tps", "DP on operators", "dp"},
    {"contractedLayers", "tps", "DP on contracted layers", "dp-layers"},
};
constexpr ColumnSource kLatency[] = {
    {"greedy", "latency", "Greedy", "greedy"}, {"maxLoadDp", "latency", "Max-load DP", "max-load-for-latency"},
    {"scotch", "latency", "Scotch", "scotch"}, {"expert", "latency", "Expert", "expert"},
    {"ip", "latency", "IP", "latency"},
};

// A number, a text such as "OOM", an object with a value and more, or null.
PaperCell read_cell(const ObjectView& row, const ColumnSource& column) {
  PaperCell cell;
  const json* found = row.find(column.key);
  if (!found) return cell;
  cell.present = true;
  if (found->is_string()) {
    cell.remark = found->get<std::string>();
  } else if (found->is_object()) {
    const Place place = row.place().member(column.key);
    const ObjectView fields(*found, place, "a cell");
    cell.value = fields.amount(column.value_key, "a value of the paper, a number");
    cell.runtime = fields.text("runtime", "a time, as printed").value_or("");
    cell.certified = fields.text("certifiedGap", "a gap, as printed").value_or("");
  } else {
    cell.value = row.amount(column.key, "a value of the paper: a number, or text");
  }
  return cell;
}

template <std::size_t kColumns>
PaperTable read_table(const ObjectView& document, const char* key, const ColumnSource (&columns)[kColumns]) {
  PaperTable table;
  for (const ColumnSource& column : columns) table.columns.push_back({column.title, column.algorithm});
  const json& rows = document.array(key, "a list of rows, one for each workload");
  const Place list = document.place().member(key);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Place place = list.element(i);
    const ObjectView fields(rows[i], place, "a row of the table");
    PaperRow row;
    row.workload = fields.text("workload", "the workload's name").value_or("");
    row.kind = fields.text("kind", "inference or training").value_or("inference");
    row.file = fields.text("file", "a path").value_or("");
    for (const ColumnSource& column : columns) row.cells.push_back(read_cell(fields, column));
    row.runs.resize(kColumns);
    table.rows.push_back(std::move(row));
  }
  return table;
}

// The table of granularities names workloads and not files: they are those of the table of throughput, which has its
// operator graphs first.
void borrow_files(const std::vector<PaperRow>& from, PaperTable& table, const std::string& source) {
  for (PaperRow& row : table.rows) {
    for (const PaperRow& other : from) {
      if (row.file.empty() && other.workload == row.workload && other.kind == row.kind) row.file = other.file;
    }
    if (row.file.empty())
      throw InputError(
          ErrorKind::BadField, source,
          fmt::format("operatorVsLayer: no file for {} {} among those of throughput", row.workload, row.kind));
  }
}

std::vector<PaperTable> read_tables_text(TextStream text) {
  const std::string& source = text.source();
  const json document = read_json(text);
  const Place root(source);
  const ObjectView view(document, root, "the paper's tables");
  PaperTable throughput = read_table(view, "throughput", kThroughput);
  throughput.name = "throughput";
  throughput.title = "Throughput: time per sample (Table 1)";
  PaperTable granularity = read_table(view, "operatorVsLayer", kGranularity);
  granularity.name = "granularity";
  granularity.title = "Operators against layers: time per sample (Table 3)";
  borrow_files(throughput.rows, granularity, source);
  PaperTable latency = read_table(view, "latency", kLatency);
  latency.name = "latency";
  latency.title = "Latency of one sample (Table 4)";
  latency.objective = Objective::Latency;
  return {std::move(throughput), std::move(granularity), std::move(latency)};
}

}  // namespace

std::vector<PaperTable> parse_paper_tables(std::string_view bytes, const std::string& source) {
  return read_tables_text(TextStream(memory_source(bytes), source));
}

std::vector<PaperTable> read_paper_tables(const std::string& path) {
  return read_tables_text(TextStream(file_source(path), source_name(path)));
}

}  // namespace partita::detail
