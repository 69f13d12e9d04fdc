// SPDX-License-Identifier: Apache-2.0
// A relaxation that sees of a pipeline only where it cuts one chain of groups, and how much work there is in all.
//
// Let g(1) < g(2) < ... < g(m) be groups, each before the next in the order. A stage holds an interval of the chain,
// maybe an empty one. If it holds g(i) to g(j), then it surely holds the core, all v with g(i) <= v <= g(j); and it
// surely lacks the outer groups: g(i-1) is in a stage behind it, and so is all that precedes g(i-1); g(j+1) is in a
// stage beyond it, and so is all that follows g(j+1). So each sum that stage_cost.h asks for is at least that over the
// core, and every net with a core and an outer member is paid for. Load and memory rise with every sum: a setup whose
// load or memory is too high by these sums holds no such interval. Memory is counted with the samples that are in flight
// at the stage, which the devices in use up to here tell exactly.
//
// A stage may hold more, and must where a core group is dear to part with: a softmax and its gradient, say, which no chain
// has both of. Where all is added up, the load is at least the least of time(S) + cut(S) over all sets S that hold the
// core and no outer group, whatever the order. That is a minimum cut between the core and the outer groups, in a network
// in which each group pays its time for being on the side of the core. It is found for the intervals that nothing else
// excludes, for each class once.
//
// What is in no core is not forgotten. Stages compute all the work there is. Where transfers are added to compute, a
// stage that pays for transfers computes for that much less than the limit, and so does at most the work that its class
// does in the time left (work_capacity.h). So the question is: over all ways to cut the chain, on all vectors of devices
// (device_counts.h), is the largest sum of what the stages can do enough for all the work? If not, no pipeline within
// the limit exists.
//
// Windows (setup_windows.h) see boundaries by the work before them. Groups that may be in any of many stages (gradients
// of weights) make that vague: then no window knows which of the heavy groups a stage holds, and so none sees that the
// samples in flight leave no memory for one more of them. A chain of heavy groups sees just that. Any chain will do; the
// one taken has the most work and memory. Cost: O(m pins) and up to m^2 flows once, O(m^2 vectors) for each limit. Rounding: as for windows,
// trusted for limits below the given one by kRoundingSlack. Test: tests/solve/chain_bound_test.cpp.
#pragma once

#include <array>
#include <vector>

#include "partita/reduce/links.h"
#include "partita/reduce/stage_cost.h"
#include "partita/solve/staged/setups/device_counts.h"
#include "partita/solve/staged/setups/work_capacity.h"
#include "partita/util/max_flow.h"

namespace partita::detail {

class ChainBound {
 public:
  // Whether the rules are of the kind it is made for: one cluster, no copies, few vectors of devices.
  static bool worthwhile(const SetupRules& rules);

  // Preconditions: graph.order().has_closure(), worthwhile(rules). All must outlive it.
  ChainBound(const SetupGraph& graph, const SetupRules& rules, const WorkMeasure& measure, double highest_limit);

  // True: no pipeline within the limit exists. Precondition: the limit is at most the highest.
  bool refutes(double limit);

  const std::vector<GroupId>& chain() const { return chain_; }

 private:
  struct Interval {                    // of the chain: what is surely so of a stage that holds just this of it
    std::array<Traffic, 2> traffic{};  // by pass
    GroupMemory memory;
  };
  std::size_t at(std::size_t first, std::size_t last) const { return first * chain_.size() + last; }

  void find_chain();
  void place_groups();
  void sum_up(std::size_t first);
  struct Network {
    MaxFlow flow;
    std::vector<MaxFlow::ArcIndex> from_source, to_sink;  // by group
    std::vector<double> load;                             // by interval; negative: not known yet
  };
  void make_network(ClassId c);
  Traffic traffic(NetId e) const;  // cut off where it is surely too much
  double least_load(ClassId c, std::size_t first, std::size_t last);

  const SetupGraph& graph_;
  const SetupRules& rules_;
  const WorkMeasure& measure_;
  const DeviceCounts counts_;
  const double highest_limit_;
  std::vector<GroupId> chain_;
  // The first of the chain that the group precedes or is (m if there is none), and how many of it there are up to the
  // last that it follows or is.
  IdVector<GroupId, std::size_t> before_, after_;
  std::vector<std::vector<GroupId>> by_before_;
  std::vector<Interval> intervals_;
  IdVector<ClassId, std::vector<ClassTime>> times_;  // of the core, by interval
  IdVector<ClassId, Network> networks_;
};

}  // namespace partita::detail
