// SPDX-License-Identifier: Apache-2.0
// What a solver tells while it runs.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>

namespace partita {

struct Progress {
  enum class Event : char {
    Reduced = 'r',    // the graph was made smaller; `detail` says by which rule
    Split = 's',      // a better split
    Bound = 'b',      // a better lower bound
    Searching = '.',  // nothing new, still alive
    Done = 'd',
  };
  Event event = Event::Searching;
  double seconds = 0;
  double value = std::numeric_limits<double>::infinity();  // best split so far
  double bound = 0;                                        // nothing below this exists
  std::size_t groups = 0;                                  // size of the graph now searched
  std::string detail;
};

// Called from the solving thread; must be quick. An empty Sink is allowed.
using Sink = std::function<void(const Progress&)>;

}  // namespace partita
