// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/shrunk_free.h"

#include <algorithm>

namespace partita::detail {
namespace {

constexpr double kLeastRemoved = 0.1;  // of the groups: with fewer gone, little is gained

// Precedence along nets, as far as the order of the trace allows.
StageGraph in_order_of_trace(const FreeInstance& instance) {
  const NetGraph& graph = instance.graph;
  IdVector<GroupId, Group> groups;
  for (GroupId v : graph.all()) groups.push_back(graph.group(v));
  std::vector<Net> nets;
  std::vector<std::pair<GroupId, GroupId>> precedence;
  for (NetId e : graph.nets()) {
    nets.push_back({graph.cost(e), {graph.members(e).begin(), graph.members(e).end()}});
    for (const NetTransfer& moved : instance.moved[e]) {
      for (GroupId v : graph.members(e)) {
        if (moved.producer < v) precedence.emplace_back(moved.producer, v);
      }
    }
  }
  return StageGraph(std::move(groups), precedence, std::move(nets));
}

// Where what was removed went to; nothing if it was in no net.
GroupId heir_of(const ShrinkLog::Removal& removal) {
  if (!removal.shifts.empty()) return removal.shifts.front().to;
  return removal.links.empty() ? GroupId() : removal.links.front().a.front();
}

}  // namespace

std::optional<ShrunkFree> ShrunkFree::make(const FreeInstance& instance, const ConvexOrder& order, double limit,
                                           const ShrinkDose& dose, const Budget& budget) {
  const std::size_t groups = instance.graph.size();
  if (groups > kMostGroups || instance.devices.accelerator_classes() == 0) return std::nullopt;
  const StageGraph large = in_order_of_trace(instance);
  auto log = std::make_shared<ShrinkLog>();
  const Shrunk<StageGraph> shrunk = shrink(large, Threshold{instance.stage_platform(), limit}, dose, budget, log.get());
  if (static_cast<double>(shrunk.removed.size()) < kLeastRemoved * static_cast<double>(groups)) return std::nullopt;
  ShrunkFree result;
  result.graph_ = shrunk.graph;
  result.groups_ = groups;
  if (!order.empty()) result.left_ = order_without(order, shrunk.lift, shrunk.graph.size(), &budget);
  if (order.empty() != result.left_.order.empty()) return std::nullopt;  // nothing would be left of the shape
  for (GroupId v : shrunk.lift.all()) {
    if (shrunk.lift[v].valid()) result.kept_.push_back(v);
  }
  result.log_ = std::move(log);
  return result;
}

ConfigurationModel ShrunkFree::model(const FreeInstance& instance) const {
  ConfigurationModel model = model_of(graph_, instance.stage_platform());
  // Also those that would stay empty, which the check of a certificate counts.
  for (std::size_t c = 0; c < model.classes.size(); ++c)
    model.classes[c].count = static_cast<int>(instance.device_class(c).count);
  model.order = left_.order;
  return model;
}

GroupPrices ShrunkFree::without_removed(GroupPrices prices) const {
  if (prices.empty()) return prices;
  for (const ShrinkLog::Removal& removal : log_->removals) {
    const GroupId heir = heir_of(removal);
    if (heir.valid()) prices.of[heir.index()] += prices.of[removal.group.index()];
  }
  std::vector<double> left;
  for (GroupId v : kept_) left.push_back(prices.of[v.index()]);
  prices.of = std::move(left);
  return prices;
}

FreeSplit ShrunkFree::without_removed(const FreeSplit& split) const {
  FreeSplit result{split.value, {}};
  for (GroupId v : kept_) result.device_of.push_back(split.device_of[v]);
  return result;
}

FreeSplit ShrunkFree::with_removed(const FreeSplit& split) const {
  FreeSplit result{0, IdVector<GroupId, DeviceId>(groups_, DeviceId(0))};
  for (std::size_t i = 0; i < kept_.size(); ++i) result.device_of[kept_[i]] = split.device_of[GroupId(i)];
  for (auto removal = log_->removals.rbegin(); removal != log_->removals.rend(); ++removal) {
    const GroupId heir = heir_of(*removal);
    if (heir.valid()) result.device_of[removal->group] = result.device_of[heir];
  }
  return result;
}

FreeProof ShrunkFree::with_removed(FreeProof proof) const {
  const auto in_large = [&](GroupId v) { return kept_[v.index()]; };
  Prices prices(groups_, 0);
  for (GroupId v : proof.prices.all()) prices[in_large(v)] = proof.prices[v];
  proof.prices = std::move(prices);
  for (GroupId& v : proof.order) v = in_large(v);
  for (PairDecision& pair : proof.decisions) pair = {in_large(pair.a), in_large(pair.b), pair.together};
  for (FreeProof::Devices& devices : proof.devices) {
    for (auto& [net, counted] : devices.narrowed) {
      for (GroupId& v : net) v = in_large(v);
      for (GroupId& v : counted) v = in_large(v);
    }
    for (PointId& p : devices.forgotten) p = left_.before[p];
  }
  proof.removed = log_;
  return proof;
}

}  // namespace partita::detail
