// SPDX-License-Identifier: Apache-2.0
// A sweep for people: a row for each point, the one after which more stops paying marked, and the verdict below. Points
// without a split have their reason below the table.
#pragma once

#include <string>

#include "partita/model/sweep.h"
#include "partita/util/text_width.h"

namespace partita::detail {

struct SweepTextOptions {
  bool times = true;
  std::size_t width = kAnyWidth;  // of a terminal
};

// `problem` as it was before anything was varied. Every line ends with a newline.
std::string sweep_text(const Problem& problem, const Sweep& sweep, const SweepTextOptions& options = {});

// "accelerators from 1 to 8": what was varied.
std::string sweep_range(const Sweep& sweep);

}  // namespace partita::detail
