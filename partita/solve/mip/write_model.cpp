// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/write_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <sstream>

#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

using Text = std::back_insert_iterator<std::string>;

constexpr const char* kObjective = "objective";
constexpr std::size_t kTermsPerLine = 8;  // some readers refuse lines of more than 255 characters

bool equal(const Row& row) { return row.lower == row.upper; }
bool ranged(const Row& row) { return !equal(row) && std::isfinite(row.lower) && std::isfinite(row.upper); }

// Every line starts with the mark, also where a reader would cut a long one in two.
std::string commented(const std::string& comment, const char* mark) {
  constexpr std::size_t kMostBytes = 240;
  const auto inside_character = [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; };
  std::string result, line;
  for (std::istringstream lines(comment); std::getline(lines, line);) {
    const std::string text = visible(line);
    std::size_t from = 0;
    do {
      std::size_t to = std::min(text.size(), from + kMostBytes);
      while (to < text.size() && inside_character(text[to])) --to;
      result += fmt::format("{} {}\n", mark, std::string_view(text).substr(from, to - from));
      from = to;
    } while (from < text.size());
  }
  return result;
}

// ---- MPS ----

char mps_sense(const Row& row) {
  if (equal(row)) return 'E';
  if (std::isfinite(row.lower)) return 'G';
  return std::isfinite(row.upper) ? 'L' : 'N';
}

void write_mps_columns(const LinearModel& model, Text out) {
  IdVector<ColumnId, std::vector<std::pair<RowId, double>>> entries(model.columns().size());
  for (RowId r : model.rows().all()) {
    for (const Term& term : model.rows()[r].terms) entries[term.column].emplace_back(r, term.factor);
  }
  fmt::format_to(out, "COLUMNS\n");
  bool integer = false;
  int markers = 0;
  const auto mark = [&](bool wanted) {
    if (wanted == integer) return;
    fmt::format_to(out, "    MARKER{} 'MARKER' '{}'\n", markers++, wanted ? "INTORG" : "INTEND");
    integer = wanted;
  };
  for (ColumnId c : model.columns().all()) {
    const Column& column = model.columns()[c];
    mark(column.integer);
    // A column without entries must be named all the same.
    if (column.objective != 0 || entries[c].empty())
      fmt::format_to(out, "    {} {} {}\n", column.name, kObjective, column.objective);
    for (const auto& [row, factor] : entries[c])
      fmt::format_to(out, "    {} {} {}\n", column.name, model.rows()[row].name, factor);
  }
  mark(false);
}

void write_mps_bounds(const LinearModel& model, Text out) {
  fmt::format_to(out, "BOUNDS\n");
  for (const Column& column : model.columns()) {
    if (column.lower == column.upper) {
      fmt::format_to(out, " FX BND {} {}\n", column.name, column.lower);
      continue;
    }
    if (std::isinf(column.lower)) {
      fmt::format_to(out, " MI BND {}\n", column.name);
    } else if (column.lower != 0) {
      fmt::format_to(out, " LO BND {} {}\n", column.name, column.lower);
    }
    if (std::isfinite(column.upper)) {
      fmt::format_to(out, " UP BND {} {}\n", column.name, column.upper);
    } else if (column.integer) {
      fmt::format_to(out, " PL BND {}\n", column.name);
    }
  }
}

std::string mps_text(const LinearModel& model, const std::string& comment) {
  std::string text = commented(comment, "*");
  const Text out = std::back_inserter(text);
  fmt::format_to(out, "NAME partita\nROWS\n N {}\n", kObjective);
  for (const Row& row : model.rows()) fmt::format_to(out, " {} {}\n", mps_sense(row), row.name);
  write_mps_columns(model, out);
  fmt::format_to(out, "RHS\n");
  bool ranges = false;
  for (const Row& row : model.rows()) {
    const double side = std::isfinite(row.lower) ? row.lower : row.upper;
    if (std::isfinite(side) && side != 0) fmt::format_to(out, "    RHS {} {}\n", row.name, side);
    ranges = ranges || ranged(row);
  }
  if (ranges) fmt::format_to(out, "RANGES\n");
  for (const Row& row : model.rows()) {
    if (ranged(row)) fmt::format_to(out, "    RNG {} {}\n", row.name, row.upper - row.lower);
  }
  write_mps_bounds(model, out);
  fmt::format_to(out, "ENDATA\n");
  return text;
}

// ---- LP ----

void write_lp_terms(const LinearModel& model, std::span<const Term> terms, Text out) {
  std::size_t written = 0;
  for (const Term& term : terms) {
    if (written != 0 && written % kTermsPerLine == 0) fmt::format_to(out, "\n  ");
    fmt::format_to(out, " {} {} {}", term.factor < 0 ? '-' : '+', std::abs(term.factor),
                   model.columns()[term.column].name);
    ++written;
  }
}

void write_lp_row(const LinearModel& model, const std::string& name, const Row& row, const char* sense, double side,
                  Text out) {
  fmt::format_to(out, " {}:", name);
  if (row.terms.empty()) {
    fmt::format_to(out, " 0 {}", model.columns()[ColumnId(0)].name);
  } else {
    write_lp_terms(model, row.terms, out);
  }
  fmt::format_to(out, " {} {}\n", sense, side);
}

std::string lp_text(const LinearModel& model, const std::string& comment) {
  std::string text = commented(comment, "\\");
  const Text out = std::back_inserter(text);
  fmt::format_to(out, "Minimize\n {}:", kObjective);
  Terms objective;
  for (ColumnId c : model.columns().all()) {
    if (model.columns()[c].objective != 0) objective.push_back({c, model.columns()[c].objective});
  }
  write_lp_terms(model, objective, out);
  fmt::format_to(out, "\nSubject To\n");
  for (const Row& row : model.rows()) {
    if (equal(row)) {
      write_lp_row(model, row.name, row, "=", row.lower, out);
      continue;
    }
    if (std::isfinite(row.lower)) write_lp_row(model, row.name, row, ">=", row.lower, out);
    if (std::isfinite(row.upper))
      write_lp_row(model, ranged(row) ? row.name + "_upper" : row.name, row, "<=", row.upper, out);
  }
  fmt::format_to(out, "Bounds\n");
  for (const Column& column : model.columns()) {
    if (column.lower == column.upper) {
      fmt::format_to(out, " {} = {}\n", column.name, column.lower);
    } else if (std::isinf(column.lower) && std::isinf(column.upper)) {
      fmt::format_to(out, " {} free\n", column.name);
    } else if (std::isinf(column.upper)) {
      if (column.lower != 0) fmt::format_to(out, " {} >= {}\n", column.name, column.lower);
    } else {
      const std::string lower = std::isinf(column.lower) ? "-inf" : fmt::format("{}", column.lower);
      fmt::format_to(out, " {} <= {} <= {}\n", lower, column.name, column.upper);
    }
  }
  if (model.integer_count() > 0) fmt::format_to(out, "Generals\n");
  for (const Column& column : model.columns()) {
    if (column.integer) fmt::format_to(out, " {}\n", column.name);
  }
  fmt::format_to(out, "End\n");
  return text;
}

}  // namespace

std::string model_text(const LinearModel& model, ModelFormat format, const std::string& comment) {
  assert(model.columns().size() > 0);
  return format == ModelFormat::Mps ? mps_text(model, comment) : lp_text(model, comment);
}

}  // namespace partita::detail
