// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/pair_tree.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "partita/solve/configuration/crossing_sets.h"
#include "partita/util/bit_matrix.h"

namespace partita::detail {
namespace {

constexpr std::size_t kDeepest = 48;          // decisions; each takes a place in the states of the trellis
constexpr std::size_t kMostLeaves = 5'000;    // of a proof
constexpr std::size_t kLargeNet = 12;         // pairs of its members say little about it
constexpr std::size_t kAllPairsGroups = 600;  // up to so many groups, pairs that are no neighbours are looked at too
constexpr double kNearlyWhole = 1e-6;         // a part no further from 0 or 1 than this is whole
// Ticks for a case; then it is split although its LP is not solved to the end.
constexpr std::uint64_t kPatienceWithCase = 12'000'000;
constexpr double kLightPair = 0.05, kSumOfPair = 0.2;  // heavy groups decide more

}  // namespace

PairTree::PairTree(ConfigurationLp& lp, double limit) : lp_(lp), limit_(limit), waiting_{{}} {
  lp_.tell_apart();
  list_neighbours();
}

void PairTree::list_neighbours() {
  std::set<std::pair<GroupId, GroupId>> pairs;
  const auto add = [&](GroupId a, GroupId b) {
    if (a != b) pairs.emplace(std::min(a, b), std::max(a, b));
  };
  const ConfigurationModel& model = lp_.model();
  for (const ConfigurationModel::Devices& devices : model.classes) {
    for (NetId e : devices.graph.nets()) {
      const auto members = devices.graph.members(e);
      if (members.size() > kLargeNet) continue;
      for (GroupId a : members) {
        for (GroupId b : members) add(a, b);
      }
    }
  }
  for (PointId p : model.order.all()) {
    for (PointId next : model.order.successors(p)) add(model.order.group_of(p), model.order.group_of(next));
  }
  neighbours_.assign(pairs.begin(), pairs.end());
}

Refutation PairTree::refute(Budget& budget) {
  while (!waiting_.empty() && !hopeless_) {
    if (budget.exhausted()) return Refutation::Undecided;
    const Case& at_hand = waiting_.back();
    Budget slice(budget, kPatienceWithCase - std::min(spent_, kPatienceWithCase));
    const Refutation answer = lp_.refute(limit_, slice, at_hand.pairs, at_hand.precedence);
    spent_ += slice.ticks_used();
    if (answer == Refutation::Undecided && spent_ < kPatienceWithCase) return answer;
    if (answer == Refutation::Refuted) {
      ++refuted_;
      if (!lp_.model().staged) leaves_.push_back(lp_.proof());
      waiting_.pop_back();
    } else {
      const std::vector<SetInUse> solution = lp_.solution();
      if (solution.empty() && answer == Refutation::Undecided) {  // no sets to choose a pair by, yet
        spent_ = 0;
        continue;
      }
      hopeless_ = at_hand.depth() >= kDeepest || refuted_ + waiting_.size() >= kMostLeaves || !split_case(solution);
      if (hopeless_) {
        const bool whole =
            !solution.empty() && answer == Refutation::LpFeasible &&
            std::ranges::all_of(solution, [](const SetInUse& set) { return set.part > 1 - kNearlyWhole; });
        if (whole && !pair_to_decide(solution)) sets_ = solution;
        break;
      }
    }
    ++cases_;
    spent_ = 0;
  }
  return hopeless_ ? Refutation::LpFeasible : Refutation::Refuted;
}

// Makes two cases of the one at hand; false if nothing can be decided. What rules out sets in both cases goes first.
bool PairTree::split_case(const std::vector<SetInUse>& solution) {
  Case one = waiting_.back(), other = one;
  if (const auto edge = lp_.model().staged ? edge_to_decide(solution, lp_.order_asked()) : std::nullopt) {
    one.precedence.push_back(*edge);
    other.precedence.emplace_back(edge->second, edge->first);
  } else if (const auto pair = pair_to_decide(solution)) {
    one.pairs.push_back({pair->a, pair->b, true});
    other.pairs.push_back({pair->a, pair->b, false});
  } else {
    return false;
  }
  waiting_.back() = std::move(other);
  waiting_.push_back(std::move(one));
  return true;
}

// The pair that is furthest from together and from apart, heavy ones first.
std::optional<PairDecision> PairTree::pair_to_decide(const std::vector<SetInUse>& solution) const {
  const std::size_t groups = lp_.model().groups;
  BitMatrix sets_of(groups, solution.size());
  for (std::size_t i = 0; i < solution.size(); ++i) {
    for (GroupId v : solution[i].groups) sets_of.set(v.index(), i);
  }
  const auto time = [&](GroupId v) { return lp_.model().classes[0].graph.accelerator_time(v) / limit_; };
  std::optional<PairDecision> best;
  double most = 0;
  const auto look_at = [&](GroupId a, GroupId b) {
    double part = 0;
    const auto row_a = sets_of.row(a.index()), row_b = sets_of.row(b.index());
    for (std::size_t w = 0; w < row_a.size(); ++w) {
      const Word both = row_a[w] & row_b[w];
      for_each_bit(std::span<const Word>(&both, 1),
                   [&](std::size_t bit) { part += solution[w * kWordBits + bit].part; });
    }
    const double open = std::min(part, 1 - part);
    const double worth = open * (kLightPair + std::min(time(a), time(b)) + kSumOfPair * (time(a) + time(b)));
    if (open <= kNearlyWhole || worth <= most) return;
    most = worth;
    best = PairDecision{a, b, false};
  };
  for (const auto& [a, b] : neighbours_) look_at(a, b);
  if (best || groups > kAllPairsGroups) return best;
  for (GroupId a : ids<GroupId>(groups)) {
    for (GroupId b(a.index() + 1); b.index() < groups; ++b) look_at(a, b);
  }
  return best;
}

}  // namespace partita::detail
