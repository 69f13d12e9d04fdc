// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/convex_bound.h"

#include <algorithm>

#include "partita/solve/configuration/tiling_sets.h"

namespace partita::detail {
namespace {

// Of a trellis while it is built and priced, for each state.
constexpr std::size_t kBytesPerState = 200;

}  // namespace

ConfigurationLp convex_lp(ConfigurationModel model, std::vector<GroupId> order, const ConvexBoundOptions& options,
                          const Budget& budget) {
  GroupPrices prices = prices_by_time(model);
  const std::size_t room = budget.table_bytes() / kBytesPerState / std::max<std::size_t>(model.classes.size(), 1);
  return ConfigurationLp(std::move(model), std::move(prices), std::move(order),
                         Trellis::Size{options.widest_layer, std::min(options.most_states, room)});
}

ConvexBound::ConvexBound(const StageGraph& graph, const StagePlatform& platform, const ConvexBoundOptions& options)
    : graph_(graph), platform_(platform), options_(options) {}

void ConvexBound::suggest(const std::vector<Stage>& stages) {
  std::vector<std::vector<GroupId>> sets;
  for (const Stage& stage : stages) sets.push_back(stage.groups);
  if (lp_) return lp_->suggest(sets);
  suggested_.insert(suggested_.end(), sets.begin(), sets.end());
}

bool ConvexBound::too_large() const { return graph_.size() > ConvexOrder::kMostPoints || (lp_ && lp_->too_large()); }

void ConvexBound::start(Budget& budget) {
  ConfigurationModel model = model_of(graph_, platform_);
  model.staged = true;
  std::vector<GroupId> order = narrow_order(graph_, model.order, options_.seed, &budget);
  budget.spend(graph_.size());
  lp_.reset(new ConfigurationLp(convex_lp(std::move(model), std::move(order), options_, budget)));
  lp_->suggest(suggested_);
  suggested_.clear();
}

void ConvexBound::tile(double limit, Budget& budget) {
  for (const std::vector<GroupId>& order : orders_) lp_->suggest(tiling_sets(lp_->model(), order, limit, budget));
  tiled_for_ = limit;
}

template <class Ask>
Refutation ConvexBound::ask(double limit, Budget& budget, Ask ask_lp) {
  if (!(limit > 0) || graph_.size() > ConvexOrder::kMostPoints || graph_.size() == 0) return Refutation::LpFeasible;
  try {
    if (!lp_) start(budget);
    if (limit != tiled_for_) tile(limit, budget);
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
