// SPDX-License-Identifier: Apache-2.0
#include "partita/report/paper_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "partita/check/narrow_table.h"

#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

using Outcome = AlgorithmRun::Outcome;

constexpr const char* kOutOfMemory = "OOM";  // how the paper calls it

bool out_of_memory(const AlgorithmRun& run) { return run.fault.find("over memory") != std::string::npos; }

// Two decimals, like the paper.
std::string ours_text(const AlgorithmRun& run, const PaperCell& cell) {
  if (run.outcome != Outcome::Split) return "none";
  if (cell.remark == kOutOfMemory && out_of_memory(run)) return kOutOfMemory;
  return std::isfinite(run.value) ? fmt::format("{:.2f}", run.value) : "inf";
}

std::string paper_cell(const PaperCell& cell) { return cell.value ? fmt::format("{:.2f}", *cell.value) : cell.remark; }

std::string seconds_text(double seconds) {
  if (seconds < 0.0995) return fmt::format("{:.2g}ms", 1000 * seconds);
  return seconds < 9.95 ? fmt::format("{:.1f}s", seconds) : fmt::format("{:.0f}s", seconds);
}

std::string gap_text(const AlgorithmRun& run) {
  if (run.optimal) return "0 %";
  if (run.outcome != Outcome::Split || run.bound <= 0) return "-";
  return fmt::format("{:.2f} %", 100 * run.gap());
}

// Where the graph lies tells graphs of operators from graphs of layers.
std::string folder_of(const std::string& file) {
  const std::size_t end = file.find_last_of('/');
  if (end == std::string::npos) return "";
  const std::size_t begin = file.find_last_of('/', end - 1);
  return file.substr(begin == std::string::npos ? 0 : begin + 1, end - (begin == std::string::npos ? 0 : begin + 1));
}

// What random or ambiguous algorithms find differs from run to run, or from version to version.
const char* habit(const std::string& algorithm) {
  if (algorithm == "local-search") return "other random starts";
  if (algorithm == "scotch") return "another version of Scotch, and other random choices";
  if (algorithm == "dpl") return "several linear orders are tried, where the paper has one";
  return "";
}

class TableText {
 public:
  TableText(const PaperTable& table, const PaperTextOptions& options) : table_(table), options_(options) {}

  std::string text() {
    std::vector<Row> rows{header()};
    for (const PaperRow& row : table_.rows) rows.push_back(text_row(row));
    std::string text = (options_.markdown ? "## " : "") + visible(table_.title) + "\n\n";
    text += options_.markdown ? markdown_table(rows) : layout_folded(rows, options_.width);
    if (!notes_.empty()) text += "\n";
    for (std::size_t i = 0; i < notes_.size(); ++i) {
      const std::string line = fmt::format("[{}] {}: {}", i + 1, notes_[i].why, notes_[i].cells);
      text += options_.markdown ? fmt::format("- {}\n", visible(line)) : wrapped_text(line, options_.width);
    }
    return text;
  }

 private:
  // Runs are missing where work was interrupted; the kind of a column is that of any run in it.
  bool is_solver(std::size_t column) const {
    return std::ranges::any_of(table_.rows, [&](const PaperRow& row) {
      const auto& run = row.runs[column];
      return run && !run->baseline;
    });
  }

  Row header() const {
    Row header{"<workload"};
    if (options_.markdown) header.insert(header.end(), {"<kind", "<graph"});
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      header.push_back(table_.columns[c].title + " / paper");
      if (is_solver(c)) header.insert(header.end(), {"time / paper", "gap"});
    }
    return header;
  }

  Row text_row(const PaperRow& row) {
    // A terminal may need several tables below each other, each with the first column alone.
    Row cells{fmt::format("{}/{} {}", folder_of(row.file), row.workload, row.kind)};
    if (options_.markdown) cells = {row.workload, row.kind, folder_of(row.file)};
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      const PaperCell& paper = row.cells[c];
      const auto& run = row.runs[c];
      std::string cell = "-";
      if (run) {
        cell = fmt::format("{} / {}", ours_text(*run, paper), paper_cell(paper));
        const std::string why = why_different(table_.columns[c], paper, *run);
        if (!why.empty()) cell += fmt::format(" [{}]", note_number(row, c, why));
      } else if (paper.present) {
        cell = "- / " + paper_cell(paper);
      }
      cells.push_back(std::move(cell));
      if (!is_solver(c)) continue;
      const std::string& runtime = paper.runtime;
      cells.push_back(run ? seconds_text(run->seconds) + (runtime.empty() ? "" : " / " + runtime) : "-");
      const std::string certified = paper.certified.empty() ? "" : " / " + paper.certified;
      cells.push_back(run ? gap_text(*run) + certified : "-");
    }
    return cells;
  }

  // With its folder where another row of the table has the same name.
  std::string name_of(const PaperRow& row) const {
    const auto same = std::ranges::count_if(
        table_.rows, [&](const PaperRow& other) { return other.workload == row.workload && other.kind == row.kind; });
    const std::string name = fmt::format("{} {}", row.workload, row.kind);
    return same > 1 ? fmt::format("{}/{}", folder_of(row.file), name) : name;
  }

  // Cells of one column with one reason share a note.
  struct Note {
    std::string why;
    std::string cells;
  };

  // From 1.
  std::size_t note_number(const PaperRow& row, std::size_t column, const std::string& why) {
    const std::string reason = fmt::format("{}: {}", table_.columns[column].title, why);
    auto note = std::ranges::find(notes_, reason, &Note::why);
    if (note == notes_.end()) note = notes_.insert(note, {reason, ""});
    const std::optional<double> differs = difference(row.cells[column], row.runs[column]);
    const bool same = same_as_printed(row.cells[column], row.runs[column]);
    note->cells += fmt::format("{}{}{}", note->cells.empty() ? "" : "; ", name_of(row),
                               differs && !same ? fmt::format(" {:+.2f} %", 100 * *differs) : "");
    return static_cast<std::size_t>(note - notes_.begin()) + 1;
  }

  const PaperTable& table_;
  const PaperTextOptions& options_;
  std::vector<Note> notes_;
};

}  // namespace

std::string why_different(const PaperColumn& column, const PaperCell& cell, const AlgorithmRun& run) {
  if (run.outcome != Outcome::Split) return run.reason.empty() ? to_string(run.outcome) : run.reason;
  if (cell.remark == kOutOfMemory && out_of_memory(run)) return "";
  if (!run.legal) return run.fault;
  const std::optional<double> differs = difference(cell, run);
  if (!differs) return fmt::format("the paper has {}", cell.remark);
  if (same_as_printed(cell, run)) return "";
  const std::string reason = run.baseline && !run.proof.empty() ? run.proof : habit(column.algorithm);
  if (!reason.empty()) return reason;
  if (run.optimal) {
    return *differs < 0 ? "proved to be the best here"
                        : "proved that nothing lower exists; the paper's is rounded, or within its solver's tolerance";
  }
  if (run.baseline) return "what the method gives here";
  return *differs < 0 ? "a better split than the paper's" : "the best within the time limit";
}

std::string paper_text(const std::vector<PaperTable>& tables, const PaperTextOptions& options) {
  std::string text;
  for (const PaperTable& table : tables) {
    if (!text.empty()) text += "\n";
    text += TableText(table, options).text();
  }
  return text;
}

}  // namespace partita::detail
