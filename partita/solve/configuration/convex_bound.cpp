// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/convex_bound.h"

#include <algorithm>

namespace partita::detail {
namespace {

// Of a trellis while it is built and priced, for each state.
constexpr std::size_t kBytesPerState = 200;

}  // namespace

ConvexBound::ConvexBound(const StageGraph& graph, const StagePlatform& platform, const ConvexBoundOptions& options)
    : graph_(graph), platform_(platform), options_(options) {}

void ConvexBound::suggest(const std::vector<Stage>& stages) {
  std::vector<std::vector<GroupId>> sets;
  for (const Stage& stage : stages) sets.push_back(stage.groups);
  if (lp_) return lp_->suggest(sets);
  suggested_.insert(suggested_.end(), sets.begin(), sets.end());
}

void ConvexBound::start(Budget& budget) {
  ConfigurationModel model = model_of(graph_, platform_);
  std::vector<GroupId> order = narrow_order(graph_, model.order, options_.seed, &budget);
  budget.spend(graph_.size());
  GroupPrices prices = prices_by_time(model);
  const std::size_t room = budget.table_bytes() / kBytesPerState / std::max<std::size_t>(model.classes.size(), 1);
  lp_ = std::make_unique<ConfigurationLp>(std::move(model), std::move(prices), std::move(order),
                                          Trellis::Size{options_.widest_layer, std::min(options_.most_states, room)});
  lp_->suggest(suggested_);
  suggested_.clear();
}

template <class Ask>
Refutation ConvexBound::ask(double limit, Budget& budget, Ask ask_lp) {
  if (!(limit > 0) || graph_.size() > ConvexOrder::kMostPoints || graph_.size() == 0) return Refutation::LpFeasible;
  try {
    if (!lp_) start(budget);
    return ask_lp();
  } catch (const OutOfTime&) {
    tree_.reset();
    lp_.reset();
    return Refutation::Undecided;
  }
}

Refutation ConvexBound::refute(double limit, Budget& budget) {
  return ask(limit, budget, [&] { return lp_->refute(limit, budget); });
}

Refutation ConvexBound::refute_by_cases(double limit, Budget& budget) {
  return ask(limit, budget, [&] {
    if (!tree_ || tree_->limit() != limit) tree_ = std::make_unique<PairTree>(*lp_, limit);
    return tree_->refute(budget);
  });
}

}  // namespace partita::detail
