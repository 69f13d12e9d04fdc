// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/read_solution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "partita/util/error.h"

namespace partita::detail {
namespace {

constexpr double kWholeTolerance = 1e-4;  // solvers take numbers for whole up to 1e-5 or so

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(kSpace); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kSpace, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kSpace, end);
  }
  return words;
}

std::optional<double> number(std::string_view word) {
  double value = 0;
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || rest != word.data() + word.size()) return std::nullopt;
  return value;
}

// Could this be the name of a column: x_12_a0, T?
bool like_a_column(std::string_view word) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return std::isalpha(static_cast<unsigned char>(word[0])) && std::all_of(word.begin(), word.end(), plain) &&
         word.find('_') != std::string_view::npos;
}

class SolutionReader {
 public:
  SolutionReader(const LinearModel& model, const std::string& where)
      : model_(model), where_(where), x_(model.columns().size(), 0) {
    for (ColumnId c : model.columns().all()) {
      const Column& column = model.columns()[c];
      column_named_.emplace(column.name, c);
      x_[c.index()] = std::clamp(0.0, column.lower, column.upper);
    }
  }

  std::vector<double> read(std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      ++line_;
      if (!read_line(text.substr(begin, end - begin))) break;
      begin = end + 1;
    }
    if (!found_) fail(where_, "found no line that names a column of the integer program and its value");
    check_whole_rows();
    return x_;
  }

 private:
  // False where the rest of the file is about other things than columns.
  bool read_line(std::string_view line) {
    std::vector<std::string_view> words = words_of(line);
    if (!words.empty() && words[0] == "**") words.erase(words.begin());  // CBC's mark for columns outside their bounds
    if (words.size() >= 2 && words[0] == "#" && words[1] == "Rows") return false;
    if (words.size() < 2 || words[0][0] == '#') return true;
    const bool indexed = words.size() >= 3 && number(words[0]).has_value();
    const std::string_view name = words[indexed ? 1 : 0], value = words[indexed ? 2 : 1];
    const auto column = column_named_.find(name);
    if (column != column_named_.end()) {
      set(column->second, value);
    } else if (like_a_column(name) && number(value)) {
      fail_here(fmt::format(
          "found column {}, which this integer program does not have; the file must come from the model of the same "
          "workload, platform, objective and shape",
          name));
    }
    return true;
  }

  void set(ColumnId c, std::string_view word) {
    const Column& column = model_.columns()[c];
    const std::optional<double> value = number(word);
    if (!value || !std::isfinite(*value))
      fail_here(fmt::format("found '{}' for column {}, expected a number", word, column.name));
    const double rounded = column.integer ? std::round(*value) : *value;
    if (std::abs(rounded - *value) > kWholeTolerance) {
      fail_here(fmt::format("found {} for column {}, expected a whole number", word, column.name));
    }
    const double slack = kWholeTolerance * (1 + std::abs(rounded));
    if (rounded < column.lower - slack || rounded > column.upper + slack) {
      fail_here(
          fmt::format("found {} for column {}, expected {} to {}", word, column.name, column.lower, column.upper));
    }
    x_[c.index()] = rounded;
    found_ = true;
  }

  void check_whole_rows() const {
    for (const Row& row : model_.rows()) {
      double sum = 0;
      bool whole = true;
      for (const Term& term : row.terms) {
        whole = whole && model_.columns()[term.column].integer && std::round(term.factor) == term.factor;
        sum += term.factor * x_[term.column.index()];
      }
      if (whole && (sum < row.lower - 0.5 || sum > row.upper + 0.5)) {
        fail(where_, fmt::format("not a solution of the integer program: its row {} is not met", row.name));
      }
    }
  }

  [[noreturn]] static void fail(const std::string& where, const std::string& problem) {
    throw InputError(ErrorKind::BadField, where, problem);
  }
  [[noreturn]] void fail_here(const std::string& problem) const { fail(fmt::format("{}:{}", where_, line_), problem); }

  const LinearModel& model_;
  const std::string& where_;
  std::vector<double> x_;
  std::unordered_map<std::string_view, ColumnId> column_named_;
  std::size_t line_ = 0;
  bool found_ = false;
};

}  // namespace

std::vector<double> read_solution(const LinearModel& model, std::string_view text, const std::string& where) {
  return SolutionReader(model, where).read(text);
}

}  // namespace partita::detail
