// SPDX-License-Identifier: Apache-2.0
// Comparisons for people: tables for a terminal, or as Markdown.
//
// One workload: a row for each algorithm that ran. Several: a row for each workload and a column for each algorithm,
// then the geometric means of the ratios and the times. In values, "=" stands behind one that is proved to be the best,
// "*" behind that of a split that breaks a rule. What was left out, and why, is told below.
#pragma once

#include <string>
#include <vector>

#include "partita/model/comparison.h"

namespace partita {

struct CompareTextOptions {
  bool markdown = false;
  bool times = true;
  std::size_t width = 0;  // of a terminal, 0: any; of no meaning for Markdown
};

// Precondition: there is a comparison. Every line ends with a newline.
std::string compare_text(const std::vector<Comparison>& comparisons, const CompareTextOptions& options);

}  // namespace partita
