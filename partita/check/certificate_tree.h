// SPDX-License-Identifier: Apache-2.0
// Do the leaves of a certificate cover every split?
//
// Of two classes, every split has both on one device or on two. So if leaves that share their first decisions all
// decide next about the same two classes, and the leaves with either answer cover the splits with that answer, they
// cover all splits with the decisions shared. One leaf without further decisions covers them by itself.
#pragma once

#include <string>

#include "partita/check/claim_instance.h"

namespace partita::detail {

// Nothing if they do, or one line that says why not. A certificate without leaves is one leaf without decisions.
std::optional<std::string> find_missing_case(const ClaimInstance& instance,
                                             const std::vector<Certificate::Leaf>& leaves);

}  // namespace partita::detail
