// SPDX-License-Identifier: Apache-2.0
// The splits of the rows of a comparison or a sweep: which of them are on the page, and which of them each row shows.
#pragma once

#include <optional>
#include <vector>

#include "partita/report/page.h"
#include "partita/util/json_writer.h"

namespace partita::detail {

struct PageSplits {
  std::vector<const PageRow*> written;
  std::vector<std::optional<std::size_t>> of_row;  // 0: the page's own; k: the k-th of `written`; nothing: none

  std::optional<std::size_t> shown_by(std::size_t row) const {
    return row < of_row.size() ? of_row[row] : std::nullopt;
  }
};

// Rows with one and the same split share it. From the first row on, as many are written as kMostRowNodes allows.
PageSplits choose_splits(const PageContent& content);
// A list of the written ones, each with what is not as in the rest of the page.
void write_splits(const PageContent& content, const PageSplits& splits, JsonWriter& json);

}  // namespace partita::detail
