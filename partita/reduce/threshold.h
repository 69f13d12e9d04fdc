// SPDX-License-Identifier: Apache-2.0
// The question that presolve and search answer: is there a staged split with every load at most `limit`?
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "partita/reduce/stage_graph.h"

namespace partita::detail {

struct Threshold {
  StagePlatform platform;
  double limit = 0;
  // With one host, the question may be split into cases: no host (a platform without), or a host that holds something
  // and comes after a given number of accelerators. A case has narrower windows than the whole.
  struct HostCase {
    int least = 0, most = 0;  // accelerators before the host; after it there are at most all but `most`
  };
  std::optional<HostCase> host_case = std::nullopt;

  // May a host take the next stage when so many devices are in use?
  bool host_may_follow(int hosts, int accelerators) const {
    if (hosts >= platform.hosts) return false;
    return !host_case || (accelerators >= host_case->least && accelerators <= host_case->most);
  }
  bool accelerator_may_follow(int hosts, int accelerators) const {
    return accelerators < platform.accelerators && (!host_case || hosts > 0 || accelerators < host_case->most);
  }
  // The accelerators that count as used once the host is: in a case, those passed over before it stay unused.
  int accelerators_with_host(int accelerators) const { return host_case ? host_case->most : accelerators; }

  bool fits_host(const Group& g) const { return may_be_on_host(g, platform) && g.host_time <= limit; }
  bool fits_accelerator(const Group& g) const {
    return may_be_on_accelerator(g, platform) && g.accelerator_time <= limit;
  }
};

using GroupPairs = std::vector<std::pair<GroupId, GroupId>>;

// Loads are sums of doubles, so a comparison with the limit may be off by rounding. What is proved for a limit is
// claimed only for limit * (1 - kRoundingSlack), which is far more than the sums can be wrong by.
inline constexpr double kRoundingSlack = 1e-10;

}  // namespace partita::detail
