// SPDX-License-Identifier: Apache-2.0
// The paper's tables, found anew: each cell of ours beside the paper's, and why they differ where they do.
#pragma once

#include <string>
#include <vector>

#include "partita/model/paper.h"
#include "partita/util/text_width.h"

namespace partita::detail {

struct PaperTextOptions {
  bool markdown = false;
  std::size_t width = kAnyWidth;  // of a terminal; of no meaning for Markdown
};

// Each value is followed by the paper's, "27.92 / 27.92"; where they differ by more than their printing, or ours
// breaks a rule, a number leads to a line below the table.
// Solvers also have their time beside the paper's, and the gap that they certify.
std::string paper_text(const std::vector<PaperTable>& tables, const PaperTextOptions& options);

// Why a cell of ours is not the paper's, in a few words; empty where it is.
std::string why_different(const PaperColumn& column, const PaperCell& cell, const AlgorithmRun& run);

}  // namespace partita::detail
