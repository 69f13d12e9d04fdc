// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/dearer_transfers.h"

#include <algorithm>
#include <cmath>

#include "partita/model/shared_links.h"
#include "partita/reduce/links.h"

namespace partita::detail {
namespace {

class DearerTransfers {
 public:
  DearerTransfers(const Problem& problem, const SharedLink& link, double weight)
      : problem_(problem), given_(problem.workload->platform), link_(link), kept_(1 - weight) {
    const bool one_pass = problem.objective == Objective::GPipe || !problem.workload->graph.has_backward();
    apart_ = one_pass && (problem.transfers != TransferMode::Sum || weight == 1);
    kept_compute_ = apart_ ? 1 : kept_;
    added_ = weight;
    if (link.level == 0 && is_for_all(true) && problem.transfers != TransferMode::Duplex) added_ *= 2;
  }

  std::optional<Problem> make() {
    if (!(kept_compute_ > 0)) return std::nullopt;
    if (link_.level > 0 && !can_tell_levels(*given_.clusters, 0)) return std::nullopt;
    Problem result = without_shared_links(problem_);
    if (apart_ && result.transfers == TransferMode::Sum) result.transfers = TransferMode::Overlap;
    Workload& workload = result.workload.change();
    for (Node& node : workload.graph.nodes) {
      for (ClassId c : given_.classes.all()) {
        if (behind(c)) node.time[c.index()] *= kept_compute_;  // kCannotRun stays what it is
      }
    }
    Platform& platform = workload.platform;
    for (ClassId c : given_.classes.all()) price_class(c, platform.classes[c]);
    if (platform.clusters) price_clusters(*platform.clusters, 0);
    platform.sync_bandwidth *= faster_exchange_ / kept_compute_;
    return result;
  }

 private:
  bool behind(ClassId c) const { return goes_over(given_, link_, c); }

  // Whether all accelerators are behind the link; `hosts`: and there are no other devices.
  bool is_for_all(bool hosts) const {
    for (ClassId c : given_.classes.all()) {
      if (given_.classes[c].count > 0 && !behind(c) && (hosts || given_.classes[c].kind == DeviceKind::Accelerator))
        return false;
    }
    return true;
  }

  // Whether accelerators pay by one link where a cluster has none, so that it can be given one.
  bool have_one_link() const {
    std::optional<Link> first;
    for (const DeviceClass& c : given_.classes) {
      if (c.count == 0 || c.kind == DeviceKind::Host) continue;
      const Link its = link_of(c);
      if (first && *first != its) return false;
      first = its;
    }
    return true;
  }

  // Every accelerator is in a cluster of the link's level, and what moves between those has prices of its own.
  bool can_tell_levels(const Cluster& cluster, int level) const {
    if (!is_for_all(false)) return false;
    if (level >= link_.level) return true;
    for (ClassId c : given_.classes.all()) {
      if (cluster.devices[c] > 0 && behind(c)) return false;
    }
    if (!cluster.link && !have_one_link()) return false;
    return std::ranges::all_of(cluster.clusters,
                               [&](const Cluster& inside) { return can_tell_levels(inside, level + 1); });
  }

  Link weighed(const Link& own, double added) const {
    return {kept_ * own.factor + added * link_.link.factor, kept_ * own.latency + added * link_.link.latency};
  }

  // What a class pays by where the cluster has no link. With clusters, factors multiply it, so that what is added for the
  // link may be right for one of them only; elsewhere it is less.
  void price_class(ClassId c, DeviceClass& priced) {
    if (!behind(c)) return;
    double added = link_.level == 0 ? added_ : 0;
    double factor = 1;
    if (given_.clusters) factor = largest_factor(*given_.clusters);
    Link its = weighed(link_of(given_.classes[c]), 0);
    if (factor > 0) its.factor += added * link_.link.factor / factor;
    its.latency += added * link_.link.latency;
    priced.link_factor = its.factor;
    priced.link_latency = its.latency;
  }

  static double largest_factor(const Cluster& cluster) {
    double largest = cluster.link ? 0 : cluster.factor;
    for (const Cluster& inside : cluster.clusters) largest = std::max(largest, largest_factor(inside));
    return largest;
  }

  // `level` of the cluster in the tree: what moves between the clusters inside it crosses the borders of that level + 1.
  void price_clusters(Cluster& cluster, int level) {
    const double added = is_for_all(false) && (link_.level == 0 || level < link_.level) ? added_ : 0;
    const double exchange = exchange_factor(cluster);
    if (cluster.link) {
      cluster.link = weighed(*cluster.link, added);
    } else if (is_for_all(false) && have_one_link()) {
      cluster.link = weighed(own_link(cluster), added);
      cluster.factor = 1;
    }
    raise_exchange(exchange, exchange_factor(cluster));
    for (Cluster& inside : cluster.clusters) price_clusters(inside, level + 1);
  }

  // Of all accelerators alike, by what the platform gives them.
  Link own_link(const Cluster& cluster) const {
    for (const DeviceClass& c : given_.classes) {
      if (c.count > 0 && c.kind == DeviceKind::Accelerator) return link_within(cluster, c);
    }
    return {cluster.factor, 0};
  }

  void raise_exchange(double before, double after) {
    if (after <= before) return;
    faster_exchange_ = before > 0 ? std::max(faster_exchange_, after / before) : kUnlimited;
  }

  const Problem& problem_;
  const Platform& given_;
  const SharedLink& link_;
  const double kept_;        // 1 - w
  bool apart_ = false;       // transfers are weighed by themselves, beside compute
  double kept_compute_ = 1;  // of the times of those behind the link
  double added_ = 0;         // w, or twice that: how often the link's price is added
  double faster_exchange_ = 1;
};

}  // namespace

std::optional<Problem> with_dearer_transfers(const Problem& problem, const SharedLink& link, double weight) {
  return DearerTransfers(problem, link, weight).make();
}

}  // namespace partita::detail
