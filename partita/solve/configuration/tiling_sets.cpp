// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/tiling_sets.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

namespace partita::detail {
namespace {

constexpr std::size_t kMostGroupsToTile = 5'000;
constexpr int kMoreDevices = 0;
constexpr int kNoPath = std::numeric_limits<int>::max() / 4;

using Place = std::size_t;  // between groups of the order
using Interval = std::pair<Place, Place>;

// Where sets that begin at a place may end.
struct Ends {
  std::vector<Place> of_accelerator;
  Place last_of_host = 0;  // and all before it
};

class Tilings {
 public:
  Tilings(const ConfigurationModel& model, const std::vector<GroupId>& order, double limit, Budget& budget)
      : order_(order), limit_(limit), watch_(&budget), places_(order.size() + 1) {
    for (const ConfigurationModel::Devices& devices : model.classes) {
      const ConfigurationModel::Devices*& first = devices.host ? host_ : accelerator_;
      if (!first) first = &devices;
    }
    if (accelerator_) inside_.assign(accelerator_->graph.net_count(), 0);
  }

  std::set<Interval> run() {
    for (Place a = 0; a + 1 < places_; ++a) ends_.push_back(ends_from(a));
    for (auto& by_hosts : fewest_) by_hosts = {Fewest(places_), Fewest(places_)};
    walk_forward();
    walk_back();
    const int fewest = fewest_[kBefore][1][places_ - 1].devices;
    std::set<Interval> result;
    if (fewest >= kNoPath) return result;
    for (Place p = 0; p < places_; ++p) {
      for (std::size_t hosts : {0, 1}) {
        const Step& before = fewest_[kBefore][hosts][p];
        const Step& after = fewest_[kAfter][1 - hosts][p];
        if (before.devices + after.devices > fewest + kMoreDevices) continue;
        if (p > 0) result.emplace(before.other_end, p);
        if (p + 1 < places_) result.emplace(p, after.other_end);
      }
    }
    return result;
  }

 private:
  struct Step {
    int devices = kNoPath;
    Place other_end = 0;
  };
  using Fewest = std::vector<Step>;  // by place
  enum Side { kBefore, kAfter };

  Ends ends_from(Place a) {
    Ends ends;
    double time = 0, cut = 0, memory = 0;
    Place b = a;
    for (; accelerator_ && b < order_.size(); ++b) {
      const GroupId v = order_[b];
      const Group& g = accelerator_->graph.group(v);
      time += g.accelerator_time;
      memory += g.memory;
      if (!g.on_accelerator || time > limit_ || memory > accelerator_->memory) break;
      const auto nets = accelerator_->graph.nets_of(v);
      watch_.step(1 + nets.size());
      for (NetId e : nets) {
        if (++inside_[e] == 1) cut += accelerator_->graph.cost(e);
        if (inside_[e] == accelerator_->graph.members(e).size()) cut -= accelerator_->graph.cost(e);
      }
      if (time + cut <= limit_) ends.of_accelerator.push_back(b + 1);
    }
    for (Place i = a; i < b; ++i) {
      for (NetId e : accelerator_->graph.nets_of(order_[i])) inside_[e] = 0;
    }
    ends.last_of_host = a;
    time = memory = 0;
    for (b = a; host_ && b < order_.size(); ++b) {
      const Group& g = host_->graph.group(order_[b]);
      time += g.accelerator_time;
      memory += g.memory;
      if (!g.on_accelerator || time > limit_ || memory > host_->memory) break;
      watch_.step();
      ends.last_of_host = b + 1;
    }
    return ends;
  }

  static void improve(Step& step, const Step& by, int more, Place other_end) {
    if (by.devices + more < step.devices) step = {by.devices + more, other_end};
  }

  // With no host, and with at most one.
  void walk_forward() {
    auto& [none, one] = fewest_[kBefore];
    none[0].devices = one[0].devices = 0;
    for (Place a = 0; a + 1 < places_; ++a) {
      for (Place b : ends_[a].of_accelerator) {
        improve(none[b], none[a], 1, a);
        improve(one[b], one[a], 1, a);
      }
      for (Place b = a + 1; b <= ends_[a].last_of_host; ++b) improve(one[b], none[a], 0, a);
    }
  }

  void walk_back() {
    auto& [none, one] = fewest_[kAfter];
    none[places_ - 1].devices = one[places_ - 1].devices = 0;
    for (Place a = places_ - 1; a-- > 0;) {
      const std::vector<Place>& ends = ends_[a].of_accelerator;
      for (auto b = ends.rbegin(); b != ends.rend(); ++b) {
        improve(none[a], none[*b], 1, *b);
        improve(one[a], one[*b], 1, *b);
      }
      for (Place b = ends_[a].last_of_host; b > a; --b) improve(one[a], none[b], 0, b);
    }
  }

  const std::vector<GroupId>& order_;
  const double limit_;
  TimeWatch watch_;
  const std::size_t places_;
  const ConfigurationModel::Devices* accelerator_ = nullptr;
  const ConfigurationModel::Devices* host_ = nullptr;
  IdVector<NetId, std::size_t> inside_;  // members of each net in the set at hand
  std::vector<Ends> ends_;               // by place
  std::array<std::array<Fewest, 2>, 2> fewest_;
};

}  // namespace

std::vector<std::vector<GroupId>> tiling_sets(const ConfigurationModel& model, const std::vector<GroupId>& order,
                                              double limit, Budget& budget) {
  std::vector<std::vector<GroupId>> result;
  if (order.empty() || order.size() > kMostGroupsToTile) return result;
  for (const auto& [from, to] : Tilings(model, order, limit, budget).run())
    result.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(from),
                        order.begin() + static_cast<std::ptrdiff_t>(to));
  return result;
}

}  // namespace partita::detail
