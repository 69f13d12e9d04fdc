// SPDX-License-Identifier: Apache-2.0
// Links that several accelerators are behind (SharedLink): what must hold of them, and a problem without them.
#pragma once

#include <string>

#include "partita/model/problem.h"

namespace partita::detail {

// What is wrong with a shared link: the field, and a text for a message. Empty texts where nothing is.
struct SharedLinkFault {
  std::string field;  // "name", "link", "classes", "level"
  std::string text;
};

// Precondition: the platform's classes and clusters are sound; `place` is one of its shared links. O(classes, clusters,
// shared links).
SharedLinkFault shared_link_fault(const Platform& platform, std::size_t place);

// Whether what devices of the class move goes over the link.
bool goes_over(const Platform& platform, const SharedLink& link, ClassId its_class);

// Whether the question minds shared links, and the platform has some.
bool has_shared_links(const Problem& problem);

// The same problem without them: every split is legal as before, and its value is the same or less. Shares the workload
// where there are none.
Problem without_shared_links(const Problem& problem);

}  // namespace partita::detail
