// SPDX-License-Identifier: Apache-2.0
// From one ideal, every larger ideal that one more stage can reach within a limit, for one way of running it.
//
// Depth first over the groups outside the base in topological order, each included or excluded (with all that follows
// it). A set is reported once everything else is excluded; a branch is cut as soon as
//   - the sums of what is surely so (groups included; nets with a member included and one surely outside) exceed the
//     limit or the memory. Where the stage must hold some work yet, its compute counts as at least that;
//   - too little work is left to include for the work that the stage must hold, or too much is included.
// Groups that the windows (setup_windows.h) have in every ideal that is wanted are never excluded, and those that they
// have in none are no candidates.
//
// Dominance. Let J be reached by a stage S, and let v be a group outside J with all predecessors in J such that S + v
// fits too. If leaving v to a later stage spares that stage nothing, whichever way it runs (absorption.h), then J + v
// is at least as good as J, and J is not reported. As more groups join the ideal, v spares less and adds less, so the
// test is made while the walk is still open: a branch is cut once S + v would fit even with all that is undecided. This
// moves v from one device to another. In a segment whose end is known and whose devices are all next to each other,
// both are as far from any third. Elsewhere the later stage may be in another cluster. Then v must harm nobody by
// moving, and S + v must fit even if every transfer goes the longest way; and prices must rise from the inside out, so
// that a cluster is no farther from what comes later than what lies behind it in the pipeline is.
//
// Tests: tests/solve/setup_search_test.cpp, tests/property/setups_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "partita/reduce/stage_cost.h"
#include "partita/solve/staged/setups/absorption.h"
#include "partita/solve/staged/setups/segment.h"
#include "partita/solve/staged/setups/setup_windows.h"
#include "partita/solve/staged/setups/work_capacity.h"
#include "partita/util/budget.h"

namespace partita::detail {

struct StageQuery {
  std::span<const Word> base;
  std::uint64_t hash = 0;
  double base_work = 0;
  Setup setup;
  double limit = 0;
  double least_work = 0;  // that the stage must hold
  double most_work = std::numeric_limits<double>::infinity();
  int in_flight = 0;  // samples, at least
  int most_in_flight = 0;
  const SetupWindows* windows = nullptr;  // that the ideals reached are seen through, from the first place to the last
  int first_place = 0, last_place = 0;
};

struct FoundStage {
  std::span<const Word> ideal;
  std::uint64_t hash;
  double work;  // of the ideal
  const StageSums& sums;
};

class StageWalk {
 public:
  // `keys`: of the ideals' hash, by group.
  StageWalk(const SetupGraph& graph, const SetupRules& rules, const WorkMeasure& measure, const Segment& segment,
            std::span<const std::uint64_t> keys, Budget& budget);

  using Visit = std::function<bool(const FoundStage&)>;
  // Calls `visit` for each; false if it returned false or the budget ended.
  bool run(const StageQuery& query, const Visit& visit);
  std::uint64_t steps() const { return steps_; }  // of all walks

 private:
  enum State : char { kUndecided, kIn, kOut };
  enum class Dominance { None, Near, Anywhere };
  static Dominance dominance_in(const SetupRules& rules, const Segment& segment);
  static double longest_way(const SetupRules& rules, const Segment& segment);
  struct Candidate {
    GroupId group;
    std::uint32_t first_net, last_net;  // in candidate_nets_
    bool forced = false;                // no ideal that is wanted is without it
  };
  struct LocalNet {
    double in_cost, near_cost, far_cost;
    std::int32_t near;     // members in the segment
    std::int32_t in = 0;   // included
    std::int32_t out = 0;  // in the segment, surely outside the stage
    std::int8_t pass;
    bool directed;
    State producer;
    bool is_open() const { return in + out < near; }
  };
  struct Totals {
    StageSums sums;                     // of what is included, and of nets surely cut
    StageSums open;                     // more, at most, if all that is undecided is included
    std::array<double, 2> in{}, out{};  // of nets cut if all that is undecided is excluded
    double work = 0, open_work = 0;
  };
  // One candidate included, and what was decided since.
  struct Frame {
    Totals totals;                              // with it, and without what was excluded since
    std::int32_t candidate;                     // none for the first frame
    std::uint32_t next;                         // to decide
    std::int32_t pending;                       // to exclude, now that the walk with it is done
    std::size_t excluded, choices, absorbable;  // how many there were when the frame began
  };

  bool prepare();
  void index_nets();
  bool walk(const Visit& visit);
  bool report(const Visit& visit);
  bool dominated() const;
  void note_if_absorbable(std::uint32_t index);
  bool surely_dominated() const;
  bool absorbs(GroupId v) const;
  bool surely_fits(StageSums sums) const;
  StageSums sums_with(const Candidate& candidate) const;
  bool hopeless() const;
  void include(std::uint32_t index);
  void exclude(std::uint32_t index);
  void exclude_followers(GroupId v);
  bool all_undecided_follow(GroupId v) const;
  void take_back(std::uint32_t index);
  void leave_frame();
  // Adds (or takes away) what the net surely costs as things stand, and what it may cost more.
  static void count(const LocalNet& net, double sign, StageSums& sums);
  static void count_open(const LocalNet& net, double sign, StageSums& open);
  // The same if all that is undecided were excluded.
  static void count_final(const LocalNet& net, double sign, std::array<double, 2>& in, std::array<double, 2>& out);
  StageSums final_sums() const;

  const SetupGraph& graph_;
  const SetupRules& rules_;
  const WorkMeasure& measure_;
  const Segment& segment_;
  const std::span<const std::uint64_t> keys_;
  Budget& budget_;
  const Dominance dominance_;
  const double longest_way_;  // how much more a transfer may cost than it is counted for

  StageQuery query_;
  double least_compute_ = 0;  // of a stage that holds the least work
  std::vector<Candidate> candidates_;
  std::vector<State> state_;
  struct Pin {
    std::uint32_t net;
    bool produces;
  };
  std::vector<Pin> candidate_nets_;
  std::vector<std::uint32_t> excluded_;
  std::vector<std::uint32_t> choices_;  // of those excluded: for their own sake, not for following another
  std::vector<StageSums> absorbable_;   // of choices that spare later stages nothing: what each would add, at most
  std::vector<LocalNet> nets_;
  IdVector<GroupId, std::int32_t> candidate_of_;
  IdVector<NetId, std::int32_t> local_net_;
  std::vector<Frame> frames_;
  Totals totals_;
  std::vector<Word> ideal_;
  std::uint64_t hash_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<Word> undecided_;  // groups
};

}  // namespace partita::detail
