// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/throughput/incumbent.h"

#include <algorithm>
#include <utility>

namespace partita {

bool Incumbent::offer(StagedSplit split) {
  if (split.value >= value()) return false;
  split_ = std::move(split);
  tell(Progress::Event::Split, 0, {});
  return true;
}

void Incumbent::raise_bound(double bound, const char* proof) {
  bound = std::min(bound, value());
  if (bound <= bound_) return;
  bound_ = bound;
  proof_ = proof;
  tell(Progress::Event::Bound, 0, proof);
}

void Incumbent::tell(Progress::Event event, std::size_t groups, std::string detail) const {
  if (sink_) sink_({event, budget_.seconds_used(), value(), bound_, groups, std::move(detail)});
}

bool Incumbent::closed(double gap) const { return split_ && value() - bound_ <= gap * value(); }

}  // namespace partita
