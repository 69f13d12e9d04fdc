// SPDX-License-Identifier: Apache-2.0
// Reads a split: a plan written by Partita, or the paper code's own output (docs/formats.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "partita/model/problem.h"
#include "partita/model/split.h"
#include "partita/read/read_options.h"

namespace partita {

// `path` may be "-" for standard input. Throws InputError when the file is not a split at all; whether the split fits a
// graph is for `check` to say.
SplitListing read_split(const std::string& path, const ReadOptions& options = {});
SplitListing parse_split(std::string_view bytes, const std::string& source, const ReadOptions& options = {});

// The question that a plan says it answers, as far as it says so; its workload is empty. Nothing for a file of another
// kind.
std::optional<Problem> parse_question(std::string_view bytes, const std::string& source);

}  // namespace partita
