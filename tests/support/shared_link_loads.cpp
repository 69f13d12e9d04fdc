// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shared_link_loads.h"

#include <algorithm>
#include <map>

#include "tests/support/copy_patterns.h"

namespace partita::detail {
namespace {

using Path = std::vector<std::size_t>;

struct BothPasses {
  Tally forward, backward;
};

}  // namespace

std::vector<LinkLoad> shared_link_loads(const Problem& problem, const std::vector<std::size_t>& device_of,
                                        const std::vector<std::size_t>& runs) {
  const Workload& workload = problem.workload;
  const Platform& platform = workload.platform;
  const std::vector<DevicePlace> places = device_places(platform);
  const std::vector<Transfer> transfers = list_transfers(workload.graph);
  std::vector<LinkLoad> loads;
  for (const SharedLink& link : platform.shared_links) {
    const auto level = static_cast<std::size_t>(link.level);
    const auto outside = [&](std::size_t inside, std::size_t other) {
      if (level == 0) return true;
      const Path& a = places[inside].path;
      const Path& b = places[other].path;
      return b.size() < level || !std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(level), b.begin());
    };
    std::map<Path, BothPasses> tallies;
    for (std::size_t d = 0; d < places.size(); ++d) {
      const ClassId its_class = places[d].its_class;
      if (platform.classes[its_class].kind == DeviceKind::Host || places[d].path.size() < level) continue;
      if (!link.classes.empty() && std::find(link.classes.begin(), link.classes.end(), its_class) == link.classes.end())
        continue;
      BothPasses& here =
          tallies[Path(places[d].path.begin(), places[d].path.begin() + static_cast<std::ptrdiff_t>(level))];
      const std::size_t me = runs[d];
      const auto sharing = static_cast<double>(std::count(runs.begin(), runs.end(), me));
      for (const Transfer& transfer : transfers) {
        if (transfer.cost == 0) continue;
        const double share = (link.link.latency + transfer.cost * link.link.factor) / sharing;
        const std::size_t home = device_of[transfer.producer];
        Tally& pass = workload.graph.nodes[NodeId(transfer.producer)].backward ? here.backward : here.forward;
        bool reads = false;
        bool sends = false;
        for (const std::size_t v : transfer.consumers) {
          reads = reads || device_of[v] == me;
          sends = sends || (device_of[v] != me && outside(me, device_of[v]));
        }
        if (home == me && sends) pass.out += share;
        if (home != me && reads && outside(me, home)) pass.in += share;
      }
    }
    for (const auto& [path, both] : tallies)
      loads.push_back({both.forward.load(problem.transfers), both.backward.load(problem.transfers)});
  }
  return loads;
}

}  // namespace partita::detail
