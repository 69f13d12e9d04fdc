// SPDX-License-Identifier: Apache-2.0
// Which groups vanish, and in which order: what shrink.h and setup_shrink.h have in common. A group vanishes from all
// passes or from none.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "partita/reduce/shrink_dose.h"
#include "partita/reduce/shrink_nets.h"
#include "partita/reduce/shrink_order.h"
#include "partita/util/budget.h"

namespace partita::detail {

template <class Weights>  // StageWeights or SetupWeights
class ShrinkingGroups {
 public:
  // `order` has the groups, for what floats. With a log, it is full at some time, and then nothing more is removed.
  ShrinkingGroups(const StageGraph& order, std::vector<ShrinkingNetsOf<Weights>> passes, const ShrinkLog* log)
      : order_(order), passes_(std::move(passes)), log_(log), left_(order.size()), gone_(order.size(), 0) {}

  const ShrinkingNetsOf<Weights>& pass(std::size_t p) const { return passes_[p]; }
  bool gone(GroupId v) const { return gone_[v]; }

  // Those of the groups given with which little is lost, in the order of the file, so that a row of views hands its nets on
  // from one to the next.
  template <class IsView>
  void remove_views(IsView is_view) {
    for (GroupId v : order_.all()) {
      if (is_view(v)) expect_to_go(v);
    }
    for (GroupId v : order_.all()) {
      if (is_view(v) && may_remove() && loses_little(v)) remove(v);
    }
  }

  // Those that lose nothing by going with a neighbour, `may_follow` it: as joins of both would, but that what is said
  // of one pass need not be true of others, so only where there is one. Others may follow once these have.
  template <class MayFollow>
  void remove_followers(MayFollow may_follow, const Budget& budget) {
    for (bool any = passes_.size() == 1; any;) {
      any = false;
      for (GroupId v : order_.all()) {
        if (v.index() % 256 == 0 && budget.out_of_time()) return;
        if (gone_[v] || !may_remove()) continue;
        const std::optional<NetId> along = passes_[0].net_to_follow(v);
        if (!along || !may_follow(v, passes_[0].other_of(*along, v))) continue;
        passes_[0].follow(v, *along);
        leave(v);
        any = true;
      }
    }
  }

  // Of the groups that may go: those without time, floaters of at most dose.floaters of the limit, others of at most
  // dose.spine, and of these the ones that add up several tensors of at most dose.sums. Lightest first, within a factor
  // of two: what they leave is then mostly where it should be when the heavier ones follow. Of about one weight in the
  // order of the file, so that a row is taken from its beginning to its end, and each of it links what is near. `weighs` is asked at first what a group weighs, and again when its turn has come, for
  // others may have left it more than it had.
  template <class MayGo, class Weighs>
  void remove_light(double limit, const ShrinkDose& dose, MayGo may_go, Weighs weighs, const Budget& budget) {
    const IdVector<GroupId, char> floats = find_floaters(order_, limit);
    IdVector<GroupId, double> most(order_.size());
    for (GroupId v : order_.all()) {
      double share = dose.spine;
      if (floats[v]) share = std::max(share, dose.floaters);
      if (floats[v] || (dose.sums > 0 && has_many_nets(v))) share = std::max(share, dose.sums);
      most[v] = limit * share;
    }
    const auto is_light = [&](GroupId v) { return weighs(v) <= most[v]; };
    std::vector<std::pair<int, GroupId>> candidates;
    for (GroupId v : order_.all()) {
      if (gone_[v] || !may_go(v) || !is_light(v)) continue;
      const double weight = weighs(v);
      candidates.emplace_back(weight > 0 ? std::ilogb(weight) : std::numeric_limits<int>::min(), v);
      expect_to_go(v);
    }
    std::sort(candidates.begin(), candidates.end());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (i % 256 == 0 && budget.out_of_time()) return;
      const GroupId v = candidates[i].second;
      if (is_light(v) && may_remove() && can_take_time_of(v)) remove(v);
    }
  }

  std::vector<GroupId> removed() const {
    std::vector<GroupId> result;
    for (GroupId v : order_.all()) {
      if (gone_[v]) result.push_back(v);
    }
    return result;
  }
  // Where the others are then. Those removed have no image.
  Lift lift() const {
    Lift result(order_.size());
    std::size_t kept = 0;
    for (GroupId v : order_.all()) {
      if (!gone_[v]) result[v] = GroupId(kept++);
    }
    return result;
  }

 private:
  bool may_remove() const { return left_ > 1 && (!log_ || log_->pins <= ShrinkLog::kMostPins); }
  void remove(GroupId v) {
    for (auto& nets : passes_) nets.remove(v);
    leave(v);
  }
  void leave(GroupId v) {
    gone_[v] = 1;
    --left_;
  }

  void expect_to_go(GroupId v) {
    for (auto& nets : passes_) nets.expect_to_go(v);
  }

  // In a pass that has no nets of it, there is nothing to lose.
  bool loses_little(GroupId v) {
    bool somewhere = false;
    for (auto& nets : passes_) {
      const bool here = nets.loses_little(v);
      if (!here && nets.has_nets(v)) return false;
      somewhere = somewhere || here;
    }
    return somewhere;
  }
  bool has_many_nets(GroupId v) const {
    return std::any_of(passes_.begin(), passes_.end(), [&](const auto& nets) { return nets.has_many_nets(v); });
  }
  bool can_take_time_of(GroupId v) const {
    return std::all_of(passes_.begin(), passes_.end(), [&](const auto& nets) { return nets.can_take_time_of(v); });
  }

  const StageGraph& order_;
  std::vector<ShrinkingNetsOf<Weights>> passes_;
  const ShrinkLog* const log_;
  std::size_t left_;  // groups; one stays, so that there is something to ask about
  IdVector<GroupId, char> gone_;
};

}  // namespace partita::detail
