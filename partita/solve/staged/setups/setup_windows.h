// SPDX-License-Identifier: Apache-2.0
// Windows (reduce/windows.h) for stages that can run in several ways: a relaxation of the question that sees of an
// ideal only how much work it holds.
//
// Work is that of work_capacity.h: the least time on any class. Place 0 is the empty ideal, place B + 1 the whole
// graph, places 1..B are equal intervals of the work of an ideal I. At a place some groups are surely in I, and some
// surely not:
//     I without v holds at most work(V) - work(descendants of v),   I with v holds at least work(ancestors of v).
// A stage from an ideal at place a to one at place b surely holds the core (out at a, in at b), surely none of the
// outer groups (in at a, or out at b), and at least the work between the two places. So each sum that stage_cost.h asks
// for is at least that over the core, compute moreover at least what the class needs for the work between, and
// transfers at least the nets that have a member in the core and one outside. Load and memory rise with every sum. So a
// setup whose load or memory is too high by these sums takes no ideal at a to any at b.
//
// Transfers. A net with a core and an outer member is paid for: as out if its producer is in the core, as in if it is
// outer. If the producer is undecided it is one or the other, which is the same where they are added up, and is left
// out with duplex. Where nets are not told apart by producers, all are counted as in, as everywhere.
//
// Clusters. A run of stages in a cluster goes from a place s to a place t. What the device exchanges with groups surely
// in at s, or surely out at t, leaves the cluster, and costs at least the least factor and latency of the clusters
// around it (`far`); all else at least `near`, the less of these and the cluster's own. Readers' ways differ, and a producer pays
// the longest: so of the nets that the core sends, those read behind s and those read beyond t may be the same, and the
// more costly kind counts; those that it receives have one producer each, so both kinds count. For all s and t it is
// then known whether a cluster can take an ideal at s to one at t; for the cluster around it, that is one step. r
// copies of a cluster have r times the limit; what they exchange is left out.
//
// Samples in flight. The devices from here to the end of the pipeline are at least the members in use in the cluster,
// this stage's included, for every cluster in use has a device in use.
//
// Forward from the empty ideal and backward from the whole one, vector by vector of members in use (device_counts.h):
// the places that an ideal held by such a vector can have are its windows. Nobody is kept within them, so if the whole
// graph is not reached, no pipeline within the limit exists. Sums are rounded, so all of this may be trusted for limits
// below the given one by kRoundingSlack. Cost: O(places * pins), with clusters O(places^2 * pins), and one load for
// each step and pair of places (and, in clusters, for each s and t around them). Tests:
// tests/solve/setup_search_test.cpp.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "partita/solve/staged/setups/device_counts.h"
#include "partita/solve/staged/setups/steps.h"
#include "partita/solve/staged/setups/work_capacity.h"
#include "partita/util/budget.h"
#include "partita/util/union_find.h"

namespace partita::detail {

class SetupWindows {
 public:
  // Whether there are few enough vectors to look at all of them.
  static bool worthwhile(const SetupRules& rules);

  // Preconditions: graph.order().has_closure(), worthwhile(rules). When the budget ends, what is undecided counts as
  // possible.
  SetupWindows(const SetupGraph& graph, const SetupRules& rules, const WorkMeasure& measure, double limit, int buckets,
               const Budget& budget);

  // False: no pipeline within the limit exists.
  bool feasible() const { return feasible_; }
  int last_place() const { return buckets_ + 1; }
  // The places at which the ideal, which holds so much work, can be: rounding allowed for.
  std::pair<int, int> places_of(std::span<const Word> ideal, double work) const;
  double lowest(int place) const { return lower_[place]; }
  double highest(int place) const { return upper_[place]; }
  double tolerance() const { return tolerance_; }  // on the work of ideals

  // v is in every ideal at place entry(v) or later, and in none at place exit(v) or earlier.
  int entry(GroupId v) const { return entry_[v]; }
  int exit(GroupId v) const { return exit_[v]; }

  // The vectors of a cluster of this type that can hold an ideal at the place, together with what is behind the
  // cluster.
  std::span<const Word> allowed(std::size_t type, int place) const { return allowed_[type].row(index(place)); }
  // Whether a step of steps_in(rules, type) can lead from a place to another, where each device of the cluster has
  // `copies` with those of all clusters around it.
  bool may_step(std::size_t type, int copies, std::size_t step, int from, int to) const;

  // Whether some stage on devices of the class can hold the group.
  bool can_be_on(ClassId c, GroupId v) const { return farthest_[c][index(entry_[v]) - 1] > exit_[v]; }
  // Joins groups that lie on the same side of every boundary between stages. Returns the number of joins.
  std::size_t join_never_separated(UnionFind<GroupId>& merge) const;

 private:
  struct Transfers {
    std::array<Traffic, 2> in{}, out{};  // by pass
  };
  struct Pair {  // what is surely so of a stage between two places
    Transfers transfers;
    GroupMemory memory;
    double work = 0;  // between them
  };
  struct Outside {  // what surely is not in a cluster
    std::vector<char> group;
    IdVector<NetId, char> net;                // has a member there
    IdVector<NetId, std::uint32_t> received;  // in which sweep
    std::uint32_t sweep = 0;
  };
  // A cluster type, where all devices have so many copies.
  struct Level {
    std::size_t type;
    int copies;
    std::vector<Link> near, far;  // by tariff
    DeviceCounts counts;
    std::vector<Step> steps;
    std::vector<std::size_t> inside;      // by step: which level, for clusters
    std::vector<std::vector<int>> most;   // by step and pair: devices in use with which it is possible; 0: never
    std::vector<char> run, marked;        // by from and to
    std::vector<char> forward, backward;  // by vector and place: scratch
  };

  static std::size_t index(int place) { return static_cast<std::size_t>(place); }
  std::size_t between(int from, int to) const { return index(from) * (index(buckets_) + 2) + index(to); }
  std::size_t pair(int from, int to) const { return first_pair_[index(from)] + index(to - from); }
  bool has_pair(int from, int to) const {
    return index(to - from) < first_pair_[index(from) + 1] - first_pair_[index(from)];
  }

  void find_places();
  void bound_pairs();
  void bound_pairs_from(int from, int last);
  int last_useful(int from) const;
  void price_ways();
  void follow(int from, Outside& outside, std::vector<Transfers>& sums) const;
  std::size_t add_level(std::size_t type, int copies);
  void bound_steps(Level& level) const;
  // `sums` has the transfers, and all else is filled in.
  double load(const Level& level, const Step& step, std::size_t pair, StageSums sums) const;
  bool affordable(const Level& level, std::size_t step, std::size_t pair, int begin, int end) const;
  int most_devices(const Level& level, std::size_t step, int from, int to, int begin, int end) const;
  void reach(Level& level, int begin, int end) const;
  bool ends_at(const Level& level, int end) const;
  void find_runs(Level& level);
  void mark(std::size_t level, int begin, int end);

  const SetupGraph& graph_;
  const SetupRules& rules_;
  const WorkMeasure& measure_;
  const double limit_;
  const Budget& budget_;
  const int buckets_;
  double tolerance_ = 0;
  int most_copies_ = 1;
  std::vector<double> lower_, upper_;       // by place
  IdVector<GroupId, int> entry_, exit_;     // surely in from place entry on; surely out up to place exit
  std::vector<char> possible_;              // by place: can any ideal be there?
  std::vector<std::size_t> first_pair_;     // by place
  std::vector<std::vector<GroupId>> core_;  // by place: the core of stages from there, in the order of entry
  std::vector<Pair> pairs_;
  std::vector<ClassTime> times_;                         // by pair and class: of the core
  std::vector<std::vector<Transfers>> behind_, beyond_;  // by place and pair: nets that surely leave a cluster there
  std::vector<Level> levels_;                            // those inside before those around them
  std::map<std::pair<std::size_t, int>, std::size_t> level_of_;
  std::vector<BitMatrix> allowed_;                // by type: place and vector
  std::vector<char> boundary_;                    // by place: some stage may end there
  IdVector<ClassId, std::vector<int>> farthest_;  // by place: where a stage that begins there or before it may end
  bool feasible_ = false;
};

}  // namespace partita::detail
