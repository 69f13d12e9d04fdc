// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/wish_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "partita/util/error.h"

namespace partita::detail {
namespace {

constexpr const char* kWishesField = "Problem::wishes";

// f(cluster, its number), a cluster before those inside.
template <class ClusterT, class Visit>
void visit_clusters(ClusterT& cluster, std::size_t& number, const Visit& visit) {
  visit(cluster, number++);
  for (auto& inside : cluster.clusters) visit_clusters(inside, number, visit);
}

}  // namespace

// Finds the cover and runs through the cases.
class WishSeating {
 public:
  explicit WishSeating(WishCases& cases)
      : cases_(cases), groups_(cases.wishes_.groups), problem_(cases.wishes_.problem) {}

  void run() {
    list_places();
    choose_cover();
    std::vector<WishCases::Seat> seats;
    for (const std::size_t g : cover_) {
      if (!groups_[g].device) continue;
      seats.push_back({cases_.place_of_group_[g], {*groups_[g].device}, {g}});
    }
    std::erase_if(cover_, [&](std::size_t g) { return groups_[g].device.has_value(); });
    if (!cover_.empty() && problem_.replicas > 1 && platform().clusters) {
      throw InputError(ErrorKind::Unsupported, kWishesField,
                       "nodes to be apart are not supported in clusters with copies of stages; pin one of them to a "
                       "device, leave out the clusters, or ask without copies (Question::replicas = 1)");
    }
    seat(0, seats);
  }

 private:
  const Platform& platform() const { return problem_.workload->platform; }

  void list_places() {
    const Platform& all = platform();
    for (ClassId c : all.classes.all()) {
      std::size_t next = all.first_device(c).index();
      const auto add = [&](std::size_t cluster, int count) {
        if (count == 0) return;
        WishCases::PlaceOfDevices place{c, cluster, {}};
        for (int i = 0; i < count; ++i) place.devices.push_back(DeviceId(next++));
        cases_.places_.push_back(std::move(place));
      };
      std::size_t number = 0;
      if (all.clusters) {
        visit_clusters(*all.clusters, number, [&](const Cluster& one, std::size_t k) { add(k, one.devices[c]); });
      } else {
        add(0, all.classes[c].count);
      }
    }
    cases_.place_of_group_.assign(groups_.size(), 0);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (!groups_[g].device) continue;
      const auto home = std::ranges::find_if(cases_.places_, [&](const WishCases::PlaceOfDevices& place) {
        return place.devices.front() <= *groups_[g].device && *groups_[g].device <= place.devices.back();
      });
      cases_.place_of_group_[g] = static_cast<std::size_t>(home - cases_.places_.begin());
    }
  }

  bool must_have_seat(std::size_t g) const {
    if (!groups_[g].device) return false;
    const WishCases::PlaceOfDevices& place = cases_.places_[cases_.place_of_group_[g]];
    return problem_.replicas > 1 ||
           place.devices.size() != static_cast<std::size_t>(platform().classes[place.its_class].count);
  }

  // Pinned groups first, as their seats leave no choice; then those with the most rivals that have no seat.
  void choose_cover() {
    std::vector<char> covered(groups_.size(), 0);
    const auto take = [&](std::size_t g) {
      covered[g] = 1;
      cover_.push_back(g);
    };
    const auto rivals_left = [&](std::size_t g) {
      std::size_t count = 0;
      for (std::size_t other = 0; other < groups_.size(); ++other)
        count += !covered[other] && cases_.in_conflict(g, other);
      return count;
    };
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (must_have_seat(g)) take(g);
    }
    while (true) {
      std::pair<bool, std::size_t> most{false, 0};
      std::size_t next = groups_.size();
      for (std::size_t g = 0; g < groups_.size(); ++g) {
        if (covered[g]) continue;
        const std::pair<bool, std::size_t> rank{groups_[g].device.has_value(), rivals_left(g)};
        if (rank.second == 0 || (next < groups_.size() && rank <= most)) continue;
        most = rank;
        next = g;
      }
      if (next == groups_.size()) break;
      take(next);
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (groups_[g].device && !covered[g]) cases_.to_swap_.push_back(g);
    }
  }

  // The groups of the cover from `next` on take seats in every way.
  void seat(std::size_t next, std::vector<WishCases::Seat>& seats) {
    if (next == cover_.size()) {
      cases_.cases_.push_back(seats);
      if (cases_.cases_.size() <= WishCases::kMost) return;
      throw InputError(
          ErrorKind::Unsupported, kWishesField,
          fmt::format("there are more than {} ways to put the nodes that are to be apart on the classes of "
                      "devices; pin some of them to a class or a device, or ask for fewer",
                      WishCases::kMost));
    }
    const std::size_t g = cover_[next];
    for (std::size_t s = 0; s < seats.size(); ++s) {
      const auto rival = [&](std::size_t other) { return cases_.in_conflict(g, other); };
      if (!groups_[g].runs_on[cases_.places_[seats[s].place].its_class] || std::ranges::any_of(seats[s].groups, rival))
        continue;
      seats[s].groups.push_back(g);
      seat(next + 1, seats);
      seats[s].groups.pop_back();
    }
    for (std::size_t p = 0; p < cases_.places_.size(); ++p) {
      const WishCases::PlaceOfDevices& place = cases_.places_[p];
      if (!groups_[g].runs_on[place.its_class]) continue;
      std::vector<DeviceId> free = free_devices(place, seats);
      const std::size_t most = std::min(free.size(), static_cast<std::size_t>(std::max(problem_.replicas, 1)));
      for (std::size_t size = 1; size <= most; ++size) {
        seats.push_back({p, {free.begin(), free.begin() + static_cast<std::ptrdiff_t>(size)}, {g}});
        seat(next + 1, seats);
        seats.pop_back();
      }
    }
  }

  static std::vector<DeviceId> free_devices(const WishCases::PlaceOfDevices& place,
                                            const std::vector<WishCases::Seat>& seats) {
    std::vector<DeviceId> free = place.devices;
    for (const WishCases::Seat& taken : seats) {
      std::erase_if(free, [&](DeviceId d) { return std::ranges::find(taken.devices, d) != taken.devices.end(); });
    }
    return free;
  }

  WishCases& cases_;
  const std::vector<WishGroup>& groups_;
  const Problem& problem_;
  std::vector<std::size_t> cover_;
};

WishCases::WishCases(const WishGroups& groups) : wishes_(groups) { WishSeating(*this).run(); }

bool WishCases::in_conflict(std::size_t a, std::size_t b) const {
  const WishGroup &one = wishes_.groups[a], &other = wishes_.groups[b];
  if (one.device && other.device && *one.device != *other.device && place_of_group_[a] == place_of_group_[b])
    return true;
  return std::ranges::binary_search(one.apart, b);
}

// Every seat takes its devices out of their class and is a class behind all others, with the same properties.
UsableDevices WishCases::platform_with(const std::vector<Seat>& seats) const {
  UsableDevices result{wishes_.problem.workload->platform, {}};
  Platform& platform = result.platform;
  const Platform& whole = wishes_.problem.workload->platform;
  std::vector<char> taken(whole.device_count(), 0);
  for (const Seat& seat : seats) {
    const ClassId from = places_[seat.place].its_class;
    DeviceClass its_own = whole.classes[from];
    its_own.count = static_cast<int>(seat.devices.size());
    its_own.name = seat.devices.size() == 1
                       ? whole.device_name(seat.devices[0])
                       : fmt::format("{} and {} more", whole.device_name(seat.devices[0]), seat.devices.size() - 1);
    platform.classes[from].count -= its_own.count;
    const ClassId now = platform.classes.push_back(std::move(its_own));
    for (SharedLink& link : platform.shared_links) {
      if (std::ranges::find(link.classes, from) != link.classes.end()) link.classes.push_back(now);
    }
    for (DeviceId d : seat.devices) taken[d.index()] = 1;
  }
  if (platform.clusters) {
    std::size_t number = 0;
    visit_clusters(*platform.clusters, number, [&](Cluster& cluster, std::size_t k) {
      for (const Seat& seat : seats) {
        const PlaceOfDevices& place = places_[seat.place];
        const int count = place.cluster == k ? static_cast<int>(seat.devices.size()) : 0;
        cluster.devices[place.its_class] -= count;
        cluster.devices.push_back(count);
      }
    });
  }
  for (std::size_t d = 0; d < taken.size(); ++d) {
    if (!taken[d]) result.original.push_back(DeviceId(d));
  }
  for (const Seat& seat : seats) {
    for (DeviceId d : seat.devices) result.original.push_back(d);
  }
  return result;
}

WishCase WishCases::make(std::size_t which) const {
  const std::vector<Seat>& seats = cases_[which];
  WishCase one{wishes_.problem, platform_with(seats), {}, true};
  for (const std::size_t g : to_swap_) one.to_swap.emplace_back(wishes_.groups[g].nodes[0], *wishes_.groups[g].device);
  if (seats.empty()) return one;
  const std::size_t classes = wishes_.problem.workload->platform.classes.size();
  Workload& workload = one.problem.workload.change();
  workload.platform = one.devices.platform;
  for (Node& node : workload.graph.nodes) {
    for (const Seat& seat : seats) node.time.push_back(node.time[places_[seat.place].its_class.index()]);
  }
  for (std::size_t g = 0; g < wishes_.groups.size(); ++g) {
    std::vector<char> runs_on(classes + seats.size(), 1);
    for (std::size_t s = 0; s < seats.size(); ++s) {
      const std::vector<std::size_t>& holders = seats[s].groups;
      if (std::ranges::find(holders, g) != holders.end()) {
        std::fill(runs_on.begin(), runs_on.end(), 0);
        runs_on[classes + s] = 1;
        break;
      }
      if (std::ranges::any_of(holders, [&](std::size_t other) { return in_conflict(g, other); }))
        runs_on[classes + s] = 0;
    }
    bool some = false;
    for (std::size_t c = 0; c < runs_on.size(); ++c) {
      for (NodeId v : wishes_.groups[g].nodes) {
        double& time = workload.graph.nodes[v].time[c];
        if (!runs_on[c]) time = kCannotRun;
        runs_on[c] = runs_on[c] && time != kCannotRun;
      }
      some = some || (runs_on[c] && workload.platform.classes[ClassId(c)].count > 0);
    }
    one.possible = one.possible && some;
  }
  return one;
}

Split swap_devices(Split split, DeviceId a, DeviceId b) {
  if (a == b) return split;
  const auto renamed = [&](DeviceId d) { return d == a ? b : d == b ? a : d; };
  for (DeviceId& d : split.device_of) d = renamed(d);
  for (DeviceId& d : split.order) d = renamed(d);
  for (DeviceId& d : split.copy_of) d = renamed(d);
  if (!split.copy_of.empty()) std::swap(split.copy_of[a], split.copy_of[b]);
  if (!split.recomputes.empty()) std::swap(split.recomputes[a], split.recomputes[b]);
  return split;
}

}  // namespace partita::detail
