// SPDX-License-Identifier: Apache-2.0
// Tables that do not fit the width they are shown in. Rows are those of check/text_table.h: the first one is the
// header, and '<' at its start makes a column left-aligned.
#pragma once

#include <string>
#include <vector>

#include "partita/check/text_table.h"
#include "partita/util/text_width.h"

namespace partita::detail {

// The last column is text, and breaks at spaces into lines below each other. Where not even a few words have room
// beside the others, the columns are folded, and what the last one says follows below, with the first one's cell before
// it.
std::string layout_wrapped(const std::vector<Row>& rows, std::size_t width);

// Names in the first `keys` columns, where those are left-aligned, are cut in the middle. Where that does not help, the
// columns are broken into several tables below each other, with an empty line between them; each begins with the keys.
// A last column without a heading holds remarks, and stays in the first of them.
std::string layout_folded(const std::vector<Row>& rows, std::size_t width, std::size_t keys = 1);

// Of the longest line.
std::size_t widest_line(const std::string& text);

// The same rows as a Markdown table, which reads well as plain text too. Pipes in cells are escaped.
std::string markdown_table(const std::vector<Row>& rows);

}  // namespace partita::detail
