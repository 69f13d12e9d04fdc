// SPDX-License-Identifier: Apache-2.0
// The tables of the paper's experiments, and the same cells found anew.
//
// A table has a row for each workload and a column for each algorithm. A cell that the paper leaves empty is left empty
// here too. docs/formats.md describes the file that the paper's cells come from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partita/model/comparison.h"
#include "partita/model/problem.h"

namespace partita::detail {

struct PaperCell {
  bool present = false;         // the paper has something here
  std::optional<double> value;  // nothing: it says `remark` instead
  std::string remark;           // "OOM"
  std::string runtime;          // as printed: "11m (1m*)"
  std::string certified;        // the gap that its solver proved, as printed
};

struct PaperColumn {
  std::string title;      // as the paper has it
  std::string algorithm;  // ours for it, as in compare/algorithms.h
};

struct PaperRow {
  std::string workload;
  std::string kind;  // inference or training
  std::string file;  // beside the file of the tables
  std::vector<PaperCell> cells;
  std::vector<std::optional<AlgorithmRun>> runs;  // by column; nothing where the cell is empty or not yet filled
};

struct PaperTable {
  std::string name;   // for programs: throughput, granularity, latency
  std::string title;  // for people
  Objective objective = Objective::MaxLoad;
  std::vector<PaperColumn> columns;
  std::vector<PaperRow> rows;
};

// ours / paper's - 1; nothing where one of them is missing.
std::optional<double> difference(const PaperCell& cell, const std::optional<AlgorithmRun>& run);

// Whether the two are one value as far as the paper prints it: two decimals, some rounded and some cut off, or 0.02 %.
bool same_as_printed(const PaperCell& cell, const std::optional<AlgorithmRun>& run);

}  // namespace partita::detail
