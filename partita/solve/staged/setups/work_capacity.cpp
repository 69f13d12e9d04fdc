// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/setups/work_capacity.h"

#include <algorithm>
#include <limits>

namespace partita::detail {

WorkMeasure::WorkMeasure(const SetupGraph& graph, const SetupRules& rules) : work_(graph.size(), 0) {
  const IdVector<ClassId, int> devices = all_devices(rules);
  for (GroupId v : graph.all()) {
    double least = std::numeric_limits<double>::infinity();
    for (ClassId c : graph.classes()) {
      if (devices[c] > 0 && graph.time(c, v).can_run) least = std::min(least, graph.compute(c, v));
    }
    work_[v] = least < std::numeric_limits<double>::infinity() ? least : 0;
    total_ += work_[v];
  }
  work_to_.assign(graph.size(), 0);
  for (GroupId v : graph.all()) {
    for_each_bit(graph.order().ancestors(v), [&](std::size_t u) { work_to_[v] += work_[GroupId(u)]; });
  }
  for (ClassId c : graph.classes()) {
    std::vector<GroupId> by_worth;
    for (GroupId v : graph.all()) {
      if (work_[v] > 0 && graph.time(c, v).can_run) by_worth.push_back(v);
    }
    const auto worth = [&](GroupId v) { return graph.compute(c, v) / work_[v]; };  // work > 0, so time > 0
    std::stable_sort(by_worth.begin(), by_worth.end(), [&](GroupId a, GroupId b) { return worth(a) < worth(b); });
    std::vector<Filled> filling{{0, 0}};
    for (GroupId v : by_worth)
      filling.push_back({filling.back().time + graph.compute(c, v), filling.back().work + work_[v]});
    filling_.push_back(std::move(filling));
  }
}

double WorkMeasure::most(ClassId c, double time) const {
  const std::vector<Filled>& filling = filling_[c];
  const auto after =
      std::upper_bound(filling.begin(), filling.end(), time, [](double t, const Filled& f) { return t < f.time; });
  if (after == filling.end()) return filling.back().work;
  if (after == filling.begin()) return 0;
  const Filled& before = *(after - 1);
  return before.work + (after->work - before.work) * (time - before.time) / (after->time - before.time);
}

double WorkMeasure::least_time(ClassId c, double work) const {
  if (work <= 0) return 0;
  const std::vector<Filled>& filling = filling_[c];
  const auto after =
      std::lower_bound(filling.begin(), filling.end(), work, [](const Filled& f, double w) { return f.work < w; });
  if (after == filling.end()) return std::numeric_limits<double>::infinity();
  const Filled& before = *(after - 1);
  return before.time + (after->time - before.time) * (work - before.work) / (after->work - before.work);
}

WorkCapacity::WorkCapacity(const WorkMeasure& measure, const SetupRules& rules, std::size_t type,
                           const DeviceCounts& counts, double limit)
    : left_(counts.size(), 0) {
  const std::vector<ClusterMember>& members = rules.clusters[type].members;
  std::vector<IdVector<ClassId, int>> inside;
  for (const ClusterMember& member : members)
    inside.push_back(member.is_cluster() ? devices_in(rules, member.inside) : IdVector<ClassId, int>());
  for (std::size_t vector = 0; vector < counts.size(); ++vector) {
    IdVector<ClassId, int> idle(rules.classes.size(), 0);
    for (std::size_t m = 0; m < members.size(); ++m) {
      const int left = counts.count(m) - counts.used(vector, m);
      if (!members[m].is_cluster()) {
        idle[members[m].device_class] += left;
      } else {
        for (ClassId c : idle.all()) idle[c] += left * inside[m][c];
      }
    }
    for (ClassId c : idle.all()) left_[vector] += measure.most(c, idle[c] * limit);
  }
  steps_ = left_;
  std::sort(steps_.begin(), steps_.end());
  steps_.erase(std::unique(steps_.begin(), steps_.end()), steps_.end());
  enough_ = BitMatrix(steps_.size() + 1, counts.size());
  for (std::size_t vector = 0; vector < counts.size(); ++vector) {
    const auto at = std::lower_bound(steps_.begin(), steps_.end(), left_[vector]);
    enough_.set(static_cast<std::size_t>(at - steps_.begin()), vector);
  }
  for (std::size_t i = steps_.size(); i-- > 0;) enough_.join_row(i, i + 1);
}

std::span<const Word> WorkCapacity::enough(double work) const {
  const auto at = std::lower_bound(steps_.begin(), steps_.end(), work);
  return enough_.row(static_cast<std::size_t>(at - steps_.begin()));
}

}  // namespace partita::detail
