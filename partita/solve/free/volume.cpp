// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/volume.h"

#include <algorithm>
#include <limits>

namespace partita {
namespace {

constexpr int kBisections = 60;

// Groups that may be on either kind of device, those first that save most accelerator time for their host time.
std::vector<const Group*> by_saving(const NetGraph& graph, const StagePlatform& platform) {
  std::vector<const Group*> movable;
  for (GroupId v : graph.all()) {
    const Group& g = graph.group(v);
    if (may_be_on_host(g, platform) && may_be_on_accelerator(g, platform)) movable.push_back(&g);
  }
  const auto saving = [](const Group* g) {
    return g->host_time > 0 ? g->accelerator_time / g->host_time : std::numeric_limits<double>::infinity();
  };
  std::stable_sort(movable.begin(), movable.end(),
                   [&](const Group* a, const Group* b) { return saving(a) > saving(b); });
  return movable;
}

struct Volume {
  double accelerator = 0, host = 0;  // time that only accelerators, or only hosts, can take
  bool impossible = false;
};

Volume fixed_volume(const NetGraph& graph, const StagePlatform& platform) {
  Volume fixed;
  for (GroupId v : graph.all()) {
    const Group& g = graph.group(v);
    const bool host = may_be_on_host(g, platform), accelerator = may_be_on_accelerator(g, platform);
    if (!host && !accelerator) fixed.impossible = true;
    if (!host) fixed.accelerator += g.accelerator_time;
    if (!accelerator && host) fixed.host += g.host_time;
  }
  return fixed;
}

}  // namespace

double volume_bound(const NetGraph& graph, const StagePlatform& platform) {
  const Volume fixed = fixed_volume(graph, platform);
  if (fixed.impossible) return 0;
  const std::vector<const Group*> movable = by_saving(graph, platform);
  double high = fixed.accelerator + fixed.host;
  for (const Group* g : movable) high += platform.accelerators > 0 ? g->accelerator_time : g->host_time;
  const auto enough = [&](double limit) {
    double host = platform.hosts * limit - fixed.host, accelerator = platform.accelerators * limit - fixed.accelerator;
    if (host < 0) return false;
    for (const Group* g : movable) {
      const double part = g->host_time <= host ? 1.0 : std::max(0.0, host / g->host_time);
      host -= part * g->host_time;
      accelerator -= (1 - part) * g->accelerator_time;
    }
    return accelerator >= 0;
  };
  double low = 0;
  for (int i = 0; i < kBisections; ++i) {
    const double middle = (low + high) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return low;
}

std::vector<double> volume_prices(const NetGraph& graph, const StagePlatform& platform, double limit) {
  // Host time is worth what the first group saves that the hosts cannot take whole.
  double rate = 0, room = platform.hosts * limit - fixed_volume(graph, platform).host;
  for (const Group* g : by_saving(graph, platform)) {
    room -= g->host_time;
    if (room > 0) continue;
    rate = g->host_time > 0 ? g->accelerator_time / g->host_time : 0;
    break;
  }
  std::vector<double> prices;
  for (GroupId v : graph.all()) {
    const Group& g = graph.group(v);
    double price = may_be_on_accelerator(g, platform) ? g.accelerator_time : std::numeric_limits<double>::infinity();
    if (may_be_on_host(g, platform)) price = std::min(price, rate * g.host_time);
    prices.push_back(price < std::numeric_limits<double>::infinity() ? price : limit);
  }
  return prices;
}

}  // namespace partita
