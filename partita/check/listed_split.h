// SPDX-License-Identifier: Apache-2.0
// A split as a file lists it, taken for a problem: legal, or refused with words that help.
#pragma once

#include <optional>
#include <string>

#include "partita/check/check.h"

namespace partita::detail {

struct ListedSplit {
  Split split;
  CheckReport report;  // check(problem, split)
};

// Throws InputError(IllegalSplit) that names the first violations and, where the file says that it answers another
// question, how the two differ. A claimed value that is not the one recomputed is a violation too, and a sign of that.
// `where` is what the message calls the file.
ListedSplit legal_split(const Problem& problem, const SplitListing& listing, const std::optional<Problem>& answered,
                        const std::string& where);

// The options in which two questions differ, with the values of the first: "--shape free, --transfers overlap"; empty
// where they are the same. Their workloads and platforms are not looked at.
std::string options_that_differ(const Problem& question, const Problem& other);

}  // namespace partita::detail
