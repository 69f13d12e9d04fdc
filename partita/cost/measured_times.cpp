// SPDX-License-Identifier: Apache-2.0
#include "partita/cost/measured_times.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string_view>

#include "partita/cost/physical_links.h"
#include "partita/util/error.h"

namespace partita::detail {

namespace {

[[noreturn]] void fail(const std::string& problem) {
  throw InputError(ErrorKind::BadField, "CostOptions::measured", problem);
}

}  // namespace

std::vector<MeasuredGroup> measured_groups(const Network& network, const std::vector<MeasuredTime>& measured) {
  std::map<std::string_view, OperatorId> by_name;
  for (OperatorId o : network.operators.all()) by_name.emplace(network.operators[o].name, o);
  IdVector<OperatorId, bool> seen(network.operators.size(), false);
  std::vector<MeasuredGroup> groups;
  for (const MeasuredTime& time : measured) {
    if (!std::isfinite(time.seconds) || time.seconds < 0)
      fail(fmt::format("found a time of {} s; expected one that is finite and not negative", time.seconds));
    MeasuredGroup group{.operators = {}, .seconds = time.seconds};
    for (const std::string& name : time.operators) {
      const auto found = by_name.find(name);
      if (found == by_name.end()) continue;
      if (seen[found->second]) fail(fmt::format("'{}' is in two of the times; expected one for each operator", name));
      seen[found->second] = true;
      group.operators.push_back(found->second);
    }
    if (!group.operators.empty()) groups.push_back(std::move(group));
  }
  if (groups.empty() && !measured.empty()) {
    fail(fmt::format("a profile of another model: none of its {} times is of an operator of {}", measured.size(),
                     network.name));
  }
  return groups;
}

void apply_measured(const std::vector<MeasuredGroup>& groups, ClassId measured_on, NetworkGraph& made) {
  IdVector<NodeId, double> ratio(made.graph.nodes.size(), 1);  // measured by estimated, of forward nodes
  for (const MeasuredGroup& group : groups) {
    std::vector<double> estimated(made.graph.nodes[made.node_of[group.operators.front()]].time.size(), 0);
    for (OperatorId o : group.operators) {
      Node& node = made.graph.nodes[made.node_of[o]];
      for (std::size_t c = 0; c < estimated.size(); ++c) estimated[c] += node.time[c];
      node.time.assign(estimated.size(), 0);
      node.facts.source = CostSource::Measured;
    }
    const double ms = kUnitsPerSecond * group.seconds;
    const double there = estimated[measured_on.index()];
    std::vector<double>& time = made.graph.nodes[made.node_of[group.operators.front()]].time;
    for (std::size_t c = 0; c < estimated.size(); ++c) time[c] = there > 0 ? ms * (estimated[c] / there) : ms;
    if (there > 0)
      for (OperatorId o : group.operators) ratio[made.node_of[o]] = ms / there;
  }
  for (NodeId v : made.graph.nodes.all()) {
    const NodeId forward = made.mirror_of[v];
    if (!forward.valid()) continue;
    for (double& time : made.graph.nodes[v].time) time *= ratio[forward];
  }
}

}  // namespace partita::detail
