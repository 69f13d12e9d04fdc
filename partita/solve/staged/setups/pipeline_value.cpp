// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/setups/pipeline_value.h"

#include <algorithm>

namespace partita::detail {

StageSums stage_sums(const SetupGraph& graph, const SetupRules& rules, const Segment& segment, ClassId device_class,
                     std::span<const GroupId> groups) {
  StageSums sums;
  std::vector<Word> held(words_for(graph.size()), 0);
  std::vector<NetId> nets;
  for (GroupId v : groups) {
    sums.add(graph, device_class, v);
    set_bit(held, v.index());
    nets.insert(nets.end(), graph.nets_of(v).begin(), graph.nets_of(v).end());
  }
  const std::size_t tariff = rules.classes[device_class].tariff;
  if (!rules.classes[device_class].pays()) return sums;
  std::sort(nets.begin(), nets.end());
  nets.erase(std::unique(nets.begin(), nets.end()), nets.end());
  for (NetId e : nets) {
    bool near = false;  // a member elsewhere in the segment
    for (GroupId v : graph.members(e)) near = near || (segment.holds(v) && !test_bit(held, v.index()));
    const GroupId producer = graph.producer(e);
    if (producer.valid() && test_bit(held, producer.index())) {
      sums.out[graph.pass(e)] += std::max(segment.prices(tariff, e).far, near ? segment.prices(tariff, e).near : 0);
    } else if (producer.valid() || near) {
      sums.in[graph.pass(e)] += segment.prices(tariff, e).in;
    }
  }
  return sums;
}

namespace {

struct Held {
  double load = 0;  // the largest
  double weights = 0;
};

void take_groups(const std::vector<PipelinePart>& parts, std::vector<Word>& into) {
  for (const PipelinePart& part : parts) {
    for (GroupId v : part.groups) set_bit(into, v.index());
    take_groups(part.parts, into);
  }
}

Held measure(const SetupGraph& graph, const SetupRules& rules, const Segment& segment,
             const std::vector<PipelinePart>& parts) {
  Held total;
  std::vector<Word> begin = segment.begin();
  for (const PipelinePart& part : parts) {
    const ClusterMember& member = rules.clusters[segment.type()].members[part.member];
    std::vector<Word> end = begin;
    take_groups({part}, end);
    Held held;
    if (member.is_cluster()) {
      held = measure(graph, rules, segment.inside(rules, member.inside, begin, end, false), part.parts);
      held.load =
          shared_load(rules, held.load, part.replicas, sync_load(rules, segment.factor(), part.replicas, held.weights));
    } else {
      const StageSums sums = stage_sums(graph, rules, segment, member.device_class, part.groups);
      const Setup setup{part.member, member.device_class, part.replicas, part.recompute};
      held = {stage_load(rules, graph.passes(), segment.factor(), setup, sums), sums.memory.weights};
    }
    total.load = std::max(total.load, held.load);
    total.weights += held.weights;
    begin = std::move(end);
  }
  return total;
}

}  // namespace

double pipeline_value(const SetupGraph& graph, const SetupRules& rules, const std::vector<PipelinePart>& parts) {
  return measure(graph, rules, Segment(graph, rules), parts).load;
}

}  // namespace partita::detail
