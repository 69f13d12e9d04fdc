// SPDX-License-Identifier: Apache-2.0
// A name and a time on each line. The first line may say which column is which, and the unit of the times: "name,time (us)",
// "node,time_ms", "name,s". Without it, they are the first two, and the times are ms. A name on several lines was measured several
// times: the median counts.
#include "partita/read/profile_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <vector>

#include "partita/read/fields.h"
#include "partita/read/median.h"
#include "partita/util/error.h"

namespace partita::detail {

namespace {

using Cells = std::vector<std::string>;

// One line, with quotes of CSV: "a ""b"", c" is one cell.
std::optional<Cells> cells_of(std::string_view line) {
  Cells cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += '"';
      ++i;
    } else if (c == '"' && (quoted || cells.back().empty())) {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return quoted ? std::nullopt : std::optional(std::move(cells));
}

std::string trimmed(std::string text) {
  const auto blank = [](unsigned char c) { return std::isspace(c) != 0; };
  while (!text.empty() && blank(static_cast<unsigned char>(text.back()))) text.pop_back();
  const auto begin = std::ranges::find_if_not(text, [&](char c) { return blank(static_cast<unsigned char>(c)); });
  return {begin, text.end()};
}

std::optional<double> number_in(const std::string& cell) {
  const std::string text = trimmed(cell);
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() + text.size() ? std::optional(value) : std::nullopt;
}

struct Columns {
  std::size_t name = 0;
  std::size_t time = 1;
  double seconds = 1e-3;  // of one unit of it
};

// "time (us)" is {"time", "us"}.
std::vector<std::string> words_of(const std::string& cell) {
  std::vector<std::string> words(1);
  for (char c : cell) {
    if (std::isalpha(static_cast<unsigned char>(c))) {
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::optional<double> unit_in(const std::vector<std::string>& words) {
  constexpr std::array<std::pair<std::string_view, double>, 10> kUnits{{{"ms", 1e-3},
                                                                        {"us", 1e-6},
                                                                        {"ns", 1e-9},
                                                                        {"s", 1},
                                                                        {"sec", 1},
                                                                        {"seconds", 1},
                                                                        {"milliseconds", 1e-3},
                                                                        {"microseconds", 1e-6},
                                                                        {"nanoseconds", 1e-9},
                                                                        {"usec", 1e-6}}};
  for (const std::string& word : words)
    for (const auto& [unit, seconds] : kUnits)
      if (word == unit) return seconds;
  return std::nullopt;
}

bool has_word(const std::vector<std::string>& words, std::initializer_list<std::string_view> wanted) {
  return std::ranges::any_of(words, [&](const std::string& word) { return std::ranges::count(wanted, word) > 0; });
}

Columns columns_of(const Cells& header, const std::string& source) {
  std::optional<std::size_t> name, time;
  Columns columns;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::vector<std::string> words = words_of(header[i]);
    if (!time && (has_word(words, {"time", "duration", "latency"}) || unit_in(words))) {
      time = i;
      columns.seconds = unit_in(words).value_or(1e-3);
    } else if (!name && has_word(words, {"name", "node", "operator", "op", "layer"})) {
      name = i;
    }
  }
  if (!name || !time) {
    throw InputError(
        ErrorKind::BadField, source + ": line 1",
        fmt::format("found columns {}; expected one called name and one called time, with a unit if it is not "
                    "ms: name,time (us). Profiles of ONNX Runtime and of trtexec are JSON lists",
                    one_line(fmt::format("{}", fmt::join(header, ", ")), 120)));
  }
  columns.name = *name;
  columns.time = *time;
  return columns;
}

class CsvProfile {
 public:
  CsvProfile(const std::string& source, const ProfileNames& names) : source_(source), names_(names) {}

  void read(std::string_view text) {
    std::size_t line_number = 0;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
      ++line_number;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
      read_line(line, fmt::format("{}: line {}", source_, line_number));
    }
  }

  Profile finish() {
    ProfileTimes times(names_, source_);
    for (const std::string& name : order_) {
      const std::vector<OperatorId> operators = names_.find_all(name);
      if (operators.empty()) {
        times.add_unknown(name);
      } else {
        times.add(operators, median(by_name_.at(name)));
      }
    }
    return times.finish({});
  }

 private:
  void read_line(std::string_view line, const std::string& where) {
    const std::optional<Cells> cells = cells_of(line);
    if (!cells) throw InputError(ErrorKind::BadField, where, "a quote is opened and not closed on this line");
    if (!columns_) {
      const bool has_header = cells->size() != 2 || !number_in((*cells)[1]);
      columns_ = has_header ? columns_of(*cells, source_) : Columns();
      if (has_header) return;
    }
    if (cells->size() <= std::max(columns_->name, columns_->time)) {
      throw InputError(
          ErrorKind::BadField, where,
          fmt::format("found {} cell(s); expected a name and a time, with a comma between them", cells->size()));
    }
    const std::string name = trimmed((*cells)[columns_->name]);
    const std::string& cell = (*cells)[columns_->time];
    const std::optional<double> time = number_in(cell);
    if (!time || !std::isfinite(*time) || *time < 0) {
      throw InputError(ErrorKind::BadNumber, where,
                       fmt::format("found '{}' for the time of '{}'; expected a number that is not negative",
                                   one_line(cell, 60), one_line(name, 60)));
    }
    if (by_name_[name].empty()) order_.push_back(name);
    by_name_[name].push_back(*time * columns_->seconds);
  }

  const std::string& source_;
  const ProfileNames& names_;
  std::optional<Columns> columns_;
  std::vector<std::string> order_;
  std::map<std::string, std::vector<double>> by_name_;
};

}  // namespace

Profile parse_csv_profile(std::string_view text, const std::string& source, const ProfileNames& names) {
  CsvProfile profile(source, names);
  profile.read(text);
  return profile.finish();
}

}  // namespace partita::detail
