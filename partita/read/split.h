// SPDX-License-Identifier: Apache-2.0
// Reads a split: a plan written by Partita, or the paper code's own output (docs/formats.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "partita/model/fingerprint.h"
#include "partita/model/problem.h"
#include "partita/model/split.h"
#include "partita/read/platform.h"
#include "partita/read/read_options.h"

namespace partita {

// More than these are taken for a mistake, in a plan as in an option.
inline constexpr int kMostSubgraphs = 64;
inline constexpr int kMostMicrobatches = 1'000'000;

// `path` may be "-" for standard input. Throws InputError when the file is not a split at all; whether the split fits a
// graph is for `check` to say.
SplitListing read_split(const std::string& path, const ReadOptions& options = {});
SplitListing parse_split(std::string_view bytes, const std::string& source, const ReadOptions& options = {});

// The question that a plan says it answers, as far as it says so in words that we know.
struct PlanQuestion {
  Problem asked;                        // its workload is empty
  std::optional<PlatformSpec> devices;  // plans of older versions do not say
  ModelRecord model = {};               // likewise
  WishListing wishes = {};
};

// Nothing for a file of another kind, and for a plan that is silent. Throws InputError where the devices are none.
std::optional<PlanQuestion> parse_question(std::string_view bytes, const std::string& source);

}  // namespace partita
