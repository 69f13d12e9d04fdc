// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/configuration_lp.h"

#include <algorithm>
#include <limits>

#include "partita/reduce/alike_groups.h"
#include "partita/solve/configuration/configuration_run.h"
#include "partita/solve/configuration/interval_sets.h"

namespace partita::detail {

std::size_t ConfigurationModel::accelerator_classes() const {
  return static_cast<std::size_t>(std::ranges::count_if(classes, [](const Devices& c) { return !c.host; }));
}

ConfigurationModel model_of(const FreeInstance& instance, const LoadWeights& weights, ConvexOrder order) {
  ConfigurationModel model{instance.graph.size(), {}, weights, std::move(order)};
  for (std::size_t c = 0; c < instance.class_count(); ++c) {
    const DeviceTable::Class& from = instance.device_class(c);
    model.classes.push_back(
        {from.host, static_cast<int>(from.count), from.memory, weighted_graph(instance, c, weights)});
  }
  return model;
}

ConfigurationModel model_of(const StageGraph& graph, const StagePlatform& platform) {
  ConfigurationModel model = model_of(static_cast<const NetGraph&>(graph), platform);
  model.order = order_of_groups(graph);
  if (graph.has_closure()) model.alike = alike_groups(graph);
  return model;
}

ConfigurationModel model_of(const NetGraph& graph, const StagePlatform& platform) {
  ConfigurationModel model{graph.size(), {}, list_load_weights(TransferMode::Sum, false)[0], {}};
  const auto most = static_cast<int>(std::min<std::size_t>(graph.size(), 1u << 20));  // more devices would stay empty
  IdVector<GroupId, Group> on_accelerator(graph.size()), on_host(graph.size());
  for (GroupId v : graph.all()) {
    const Group& g = graph.group(v);
    on_accelerator[v] = {g.accelerator_time, 0, g.memory, g.on_accelerator, false};
    on_host[v] = {g.host_time, 0, g.memory, g.on_host, false};
  }
  if (platform.accelerators > 0) {
    std::vector<Net> nets;
    for (NetId e : graph.nets()) nets.push_back({graph.cost(e), {graph.members(e).begin(), graph.members(e).end()}});
    model.classes.push_back({false, std::min(platform.accelerators, most), platform.accelerator_memory,
                             NetGraph(std::move(on_accelerator), std::move(nets))});
  }
  if (platform.hosts > 0) {
    model.classes.push_back(
        {true, std::min(platform.hosts, most), platform.host_memory, NetGraph(std::move(on_host), {})});
  }
  return model;
}

GroupPrices prices_by_time(const ConfigurationModel& model) {
  GroupPrices prices{{}, std::vector<double>(model.classes.size(), 0)};
  for (GroupId v : ids<GroupId>(model.classes.empty() ? 0 : model.groups))
    prices.of.push_back(model.classes[0].graph.accelerator_time(v));
  return prices;
}

ConfigurationLp::ConfigurationLp(ConfigurationModel model, GroupPrices first_prices, std::vector<GroupId> order,
                                 const Trellis::Size& size)
    : model_(std::move(model)),
      accelerators_(model_.accelerator_classes()),
      order_(std::move(order)),
      size_(size),
      inner_(std::move(first_prices)) {}

ConfigurationLp::~ConfigurationLp() = default;

void ConfigurationLp::suggest(const std::vector<std::vector<GroupId>>& sets) {
  for (std::vector<GroupId> set : sets) {
    if (set.empty()) continue;
    std::sort(set.begin(), set.end());
    columns_.push_back(std::move(set));
  }
}

void ConfigurationLp::suggest(const FreeSplit& split) {
  std::vector<std::vector<GroupId>> sets;
  for (GroupId v : split.device_of.all()) {
    const std::size_t d = split.device_of[v].index();
    if (d >= sets.size()) sets.resize(d + 1);
    sets[d].push_back(v);
  }
  std::size_t with_columns = 0;
  for (const ConfigurationModel::Devices& c : model_.classes) {
    if (!c.host || !model_.order.empty()) with_columns += static_cast<std::size_t>(c.count);
  }
  if (sets.size() > with_columns) sets.resize(with_columns);
  suggest(sets);
}

Refutation ConfigurationLp::refute(double limit, Budget& budget, const std::vector<PairDecision>& decisions,
                                   const std::vector<ConvexOrder::Edge>& precedence) {
  if (!run_ || !run_->is_about(limit, decisions, precedence)) {
    run_.reset();  // before its successor takes as much memory
    if (!model_.order.empty() && limit != seeded_for_) {
      for (std::size_t c = 0; c < accelerators_; ++c)
        suggest(interval_sets(model_.classes[c].graph, model_.classes[c].memory, model_.order, limit, &budget));
      seeded_for_ = limit;
    }
    run_ = std::make_unique<Run>(*this, limit, decisions, precedence, budget);
  }
  return run_->go(budget);
}

void ConfigurationLp::tell_apart() {
  if (apart_) return;
  apart_ = true;
  run_.reset();
}

const ConvexOrder& ConfigurationLp::order_asked() const { return run_ ? run_->order() : model_.order; }

bool ConfigurationLp::too_large() const { return run_ && run_->too_large(); }

double ConfigurationLp::shortfall() const { return run_ ? run_->shortfall() : std::numeric_limits<double>::infinity(); }

std::vector<SetInUse> ConfigurationLp::solution() const { return run_ ? run_->solution() : std::vector<SetInUse>(); }

}  // namespace partita::detail
