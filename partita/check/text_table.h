// SPDX-License-Identifier: Apache-2.0
// Tables as plain text: aligned columns, and times with their decimal points below each other.
#pragma once

#include <string>
#include <vector>

namespace partita::detail {

using Row = std::vector<std::string>;

// The first row is the header. Columns whose header starts with '<' are left-aligned; a '<' at the start of a cell is
// not shown. Cells may hold names from files: they are made visible. Every line ends with a newline.
std::string layout(const std::vector<Row>& rows);

// A cell without the '<' at its start.
std::string text_of(const std::string& cell);

// Enough decimals for so many significant digits of the largest number; all times of a table share them. Numbers far
// from 1 are written with exponents.
class TimeFormat {
 public:
  explicit TimeFormat(double largest, int digits = 6);
  std::string operator()(double time) const;

 private:
  int decimals_ = 0;
  bool exponents_ = false;
};

}  // namespace partita::detail
