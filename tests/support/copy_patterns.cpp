// SPDX-License-Identifier: Apache-2.0
#include "tests/support/copy_patterns.h"

#include <algorithm>
#include <functional>

namespace partita::detail {
namespace {

struct Spot {
  Cluster cluster;
  std::vector<std::size_t> own;  // devices
  std::vector<Spot> inside;
  std::vector<std::size_t> all;  // devices of the class 0 first, each class in the order of the tree
};

Cluster root_cluster(const Platform& platform) {
  if (platform.clusters) return *platform.clusters;
  Cluster root;
  for (const DeviceClass& c : platform.classes) root.devices.push_back(c.count);
  return root;
}

Spot make_spot(const Cluster& cluster, std::vector<std::size_t>& next) {
  Spot spot;
  spot.cluster = cluster;
  for (ClassId c : cluster.devices.all()) {
    for (int i = 0; i < cluster.devices[c]; ++i) spot.own.push_back(next[c.index()]++);
  }
  spot.all = spot.own;
  for (const Cluster& inside : cluster.clusters) {
    spot.inside.push_back(make_spot(inside, next));
    spot.all.insert(spot.all.end(), spot.inside.back().all.begin(), spot.inside.back().all.end());
  }
  std::sort(spot.all.begin(), spot.all.end());
  return spot;
}

Spot root_spot(const Platform& platform) {
  std::vector<std::size_t> next;
  std::size_t first = 0;
  for (const DeviceClass& c : platform.classes) {
    next.push_back(first);
    first += static_cast<std::size_t>(c.count);
  }
  return make_spot(root_cluster(platform), next);
}

void add_places(const Spot& spot, DevicePlace place, std::vector<DevicePlace>& places) {
  place.factors.push_back(spot.cluster.factor);
  place.links.push_back(spot.cluster.link);
  for (const std::size_t d : spot.own) {
    const ClassId its_class = places[d].its_class;
    places[d] = place;
    places[d].its_class = its_class;
  }
  for (std::size_t i = 0; i < spot.inside.size(); ++i) {
    DevicePlace inside = place;
    inside.path.push_back(i);
    add_places(spot.inside[i], inside, places);
  }
}

// The exchange of weights goes by the factor of the cluster's link, or by its own.
double exchanges_at(const Cluster& cluster) { return cluster.link.has_value() ? cluster.link->factor : cluster.factor; }

using Block = std::vector<std::size_t>;  // the first is the original
using Grouping = std::vector<Block>;

// All ways to put 0 .. count - 1 into blocks of up to `most` that are all alike.
void group(std::size_t item, std::size_t count, std::size_t most,
           const std::function<bool(std::size_t, std::size_t)>& alike, bool any_original, Grouping& so_far,
           std::vector<Grouping>& found) {
  if (item == count) {
    found.push_back(so_far);
    return;
  }
  for (std::size_t b = 0; b < so_far.size(); ++b) {
    if (so_far[b].size() >= most || !alike(so_far[b][0], item)) continue;
    so_far[b].push_back(item);
    group(item + 1, count, most, alike, any_original, so_far, found);
    if (any_original) {
      std::swap(so_far[b].front(), so_far[b].back());
      group(item + 1, count, most, alike, any_original, so_far, found);
      std::swap(so_far[b].front(), so_far[b].back());
    }
    so_far[b].pop_back();
  }
  so_far.push_back({item});
  group(item + 1, count, most, alike, any_original, so_far, found);
  so_far.pop_back();
}

class PatternMaker {
 public:
  PatternMaker(const Platform& platform, std::size_t most, bool any_original)
      : places_(device_places(platform)), most_(most), any_original_(any_original) {}

  std::vector<CopyPattern> of(const Spot& spot) const {
    CopyPattern alone;
    alone.original.resize(places_.size());
    for (std::size_t d = 0; d < places_.size(); ++d) alone.original[d] = d;
    alone.levels.resize(places_.size());
    alone.sharing.assign(places_.size(), 1);
    return patterns({alone}, spot);
  }

 private:
  // Each of `before` with everything that may happen inside the spot.
  std::vector<CopyPattern> patterns(const std::vector<CopyPattern>& before, const Spot& spot) const {
    std::vector<CopyPattern> result;
    for (const CopyPattern& start : before) {
      const auto same_class = [&](std::size_t a, std::size_t b) {
        return places_[spot.own[a]].its_class == places_[spot.own[b]].its_class;
      };
      for (const Grouping& of_devices : groupings(spot.own.size(), same_class)) {
        CopyPattern pattern = start;
        for (const Block& block : of_devices) copy_devices(spot, block, pattern);
        const auto equal = [&](std::size_t a, std::size_t b) {
          return spot.inside[a].cluster == spot.inside[b].cluster && !spot.inside[a].all.empty();
        };
        for (const Grouping& of_clusters : groupings(spot.inside.size(), equal)) {
          std::vector<CopyPattern> inside{pattern};
          for (const Block& block : of_clusters) {
            inside = patterns(inside, spot.inside[block[0]]);
            for (CopyPattern& each : inside) copy_clusters(spot, block, each);
          }
          result.insert(result.end(), inside.begin(), inside.end());
        }
      }
    }
    return result;
  }

  std::vector<Grouping> groupings(std::size_t count, const std::function<bool(std::size_t, std::size_t)>& alike) const {
    std::vector<Grouping> found;
    Grouping so_far;
    group(0, count, most_, alike, any_original_, so_far, found);
    return found;
  }

  static void copy_devices(const Spot& spot, const Block& block, CopyPattern& pattern) {
    if (block.size() == 1) return;
    const std::size_t original = spot.own[block[0]];
    for (const std::size_t i : block) pattern.original[spot.own[i]] = original;
    pattern.levels[original].push_back({block.size(), exchanges_at(spot.cluster), {original}});
    pattern.sharing[original] *= block.size();
  }

  static void copy_clusters(const Spot& spot, const Block& block, CopyPattern& pattern) {
    if (block.size() == 1) return;
    const std::vector<std::size_t>& originals = spot.inside[block[0]].all;
    for (const std::size_t i : block) {
      for (std::size_t k = 0; k < originals.size(); ++k)
        pattern.original[spot.inside[i].all[k]] = pattern.original[originals[k]];
    }
    for (const std::size_t d : originals) {
      pattern.levels[d].push_back({block.size(), exchanges_at(spot.cluster), originals});
      pattern.sharing[d] *= block.size();
    }
  }

  std::vector<DevicePlace> places_;
  std::size_t most_;
  bool any_original_;
};

}  // namespace

std::vector<DevicePlace> device_places(const Platform& platform) {
  std::vector<DevicePlace> places;
  for (ClassId c : platform.classes.all()) {
    for (int i = 0; i < platform.classes[c].count; ++i) places.push_back({c, {}, {}, {}});
  }
  add_places(root_spot(platform), {}, places);
  return places;
}

double transfer_price(const Platform& platform, const DevicePlace& payer, const DevicePlace& other, double cost) {
  const DeviceClass& its_class = platform.classes[payer.its_class];
  if (its_class.kind == DeviceKind::Host || cost == 0) return 0;
  std::size_t depth = 0;
  while (depth < payer.path.size() && depth < other.path.size() && payer.path[depth] == other.path[depth]) ++depth;
  if (payer.links[depth]) return payer.links[depth]->latency + cost * payer.links[depth]->factor;
  return its_class.link_latency + cost * its_class.link_factor * payer.factors[depth];
}

std::vector<CopyPattern> copy_patterns(const Platform& platform, std::size_t most, bool any_original) {
  return PatternMaker(platform, most, any_original).of(root_spot(platform));
}

}  // namespace partita::detail
