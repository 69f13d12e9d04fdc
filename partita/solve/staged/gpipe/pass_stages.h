// SPDX-License-Identifier: Apache-2.0
// From one ideal, every larger ideal that one more device can reach within a limit on each pass.
//
// The walk is that of StageEnumerator, with a pair of loads in place of one: depth first over the groups outside the
// base in topological order, each included or excluded with all that follows it. A branch is cut as soon as
//   - some view (forward, backward, both together) is too heavy: max(time included, time needed) + nets surely cut;
//   - some window cannot be met: each view, and memory where it binds, tells how much an ideal of the level can hold;
//   - a group that was excluded should have been absorbed.
// Dominance asks of v what StageEnumerator asks, in each pass: leaving v to a later stage spares that stage nothing
// forward and nothing backward. Then moving v raises no load in either pass, so none in both together. The stage has to
// have room for v in every view, so "v does not fit" means that some view is too heavy: of all groups excluded one such
// demand is kept while the walk is open, and every one is looked at again at a leaf.
// Tests: tests/solve/gpipe_search_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "partita/reduce/pass_graphs.h"
#include "partita/reduce/windows.h"
#include "partita/solve/staged/ideal_table.h"
#include "partita/solve/staged/stage_source.h"
#include "partita/util/budget.h"

namespace partita {

class PassStages : public StageSource {
 public:
  // The graphs must outlive this. Costs should be capped (cap_costs), each view's by its own limit.
  PassStages(const PassGraphs& graphs, const PassQuestion& question, int window_buckets, const IdealTable& table,
             Budget& budget);

  // False: the windows alone show that no split is within the limits.
  bool feasible() const { return feasible_; }

  bool run(const Base& base, bool host, Level level, const Visit& visit) override;
  bool rest_fits(std::span<const Word> base, bool host) const override;
  bool absorbs(std::span<const Word> ideal, GroupId v) const override;
  std::uint64_t visited() const override { return visited_; }

 private:
  using PassLoads = std::array<double, kPasses>;
  // What is measured of an ideal, with the windows that it has to fit into.
  struct Measure {
    Windows windows;
    IdVector<GroupId, double> weight;
    std::optional<std::size_t> pass;  // none: both, or memory
    bool memory = false;
    // Of the current base and level.
    int first = 0, last = 0;     // places
    double base = 0;             // of the base
    double least = 0, most = 0;  // that the stage must and may hold
  };
  static constexpr std::size_t kMostMeasures = 4;
  using Amounts = std::array<double, kMostMeasures>;

  struct Candidate {
    GroupId group;
    PassLoads load_time;  // on the device in question
    double memory;
    Amounts amount;
    std::uint32_t first_net, last_net;      // in candidate_nets_
    std::uint32_t first_below, last_below;  // candidates that follow it, in below_
  };
  struct LocalNet {
    double cost;
    std::uint32_t pass;
    std::int32_t size, base, in, out, open;  // members: all; in the base; included; excluded; undecided
    bool surely_cut() const { return in > 0 && base + out > 0; }
    bool may_yet_be_cut() const { return !surely_cut() && open > 0; }
  };
  struct Absorption {
    PassLoads later, spared, added;
    bool absorbs() const { return later[0] <= spared[0] && later[1] <= spared[1]; }
  };
  // All sums of a walk; saved and restored as a whole, so that nothing drifts.
  struct Sums {
    PassLoads load_time{}, cut{}, open_load{}, open_cut{};
    Amounts inside{}, open{};
    double memory = 0;
    // A stage that stays below all three ought to have absorbed some group.
    PassLoads demand{};
    double demand_both = 0;
  };
  struct Frame {
    std::uint32_t candidate;
    bool including;
    std::uint32_t excluded_before;
    Sums sums;
  };

  void add_measure(const StageGraph& graph, const Threshold& question, Windows::Measure kind, int buckets,
                   std::optional<std::size_t> pass);
  bool aim(const Base& base, Level level);
  bool prepare(const Base& base);
  void index_nets(std::span<const Word> base);
  bool walk(const Base& base, Level level, const Visit& visit);
  bool hopeless() const;
  bool too_heavy(const PassLoads& load, double slack) const;
  bool allowed(Level level) const;
  void include(std::uint32_t candidate);
  void exclude_one(std::uint32_t candidate);
  void exclude_with_followers(std::uint32_t candidate);
  void undo(const Frame& frame);
  Absorption absorption(const Candidate& c) const;
  bool dominated() const;
  double memory_limit() const {
    return host_ ? question_.both.platform.host_memory : question_.both.platform.accelerator_memory;
  }

  const PassGraphs& graphs_;
  const PassQuestion question_;
  const IdealTable& table_;
  Budget& budget_;
  std::vector<Measure> measures_;
  bool feasible_ = true;

  // Of the current walk.
  bool host_ = false;
  bool memory_free_ = false;  // all that is outside the base would fit one device's memory
  std::vector<Candidate> candidates_;
  std::vector<char> state_;  // by candidate
  std::vector<std::uint32_t> candidate_nets_, below_, excluded_, choices_;
  std::vector<LocalNet> nets_;
  IdVector<GroupId, std::int32_t> candidate_of_;
  std::array<IdVector<NetId, std::int32_t>, kPasses> local_net_;
  std::vector<Word> ideal_;
  std::uint64_t hash_ = 0;
  std::vector<Frame> frames_;
  Sums sums_;
  std::size_t included_ = 0, outside_ = 0;  // groups included; all those outside the base
  std::uint64_t visited_ = 0;
};

}  // namespace partita
