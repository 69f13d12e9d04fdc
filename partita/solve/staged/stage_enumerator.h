// SPDX-License-Identifier: Apache-2.0
// From one ideal, every larger ideal that one more device can reach within the limit.
//
// The published dynamic program looks at all pairs of ideals. This one walks only over sets that can still become a
// stage: depth first over the groups outside the base in topological order, each included or excluded (with all that
// follows it), cutting a branch as soon as
//   - the load is too high already: max(time included, time needed) + cost of nets surely cut > limit;
//   - the target windows cannot be met: too little time left to include, or too much included;
//   - what was excluded would have to be absorbed. A group v is absorbing if leaving it to a later stage spares that
//   stage
//     nothing: nets of v wholly outside the ideal cost no more than time(v) plus the nets of which v is the last member
//     outside. Then the ideal with v is at least as good as the one without, so the one without is needed only if v
//     does not fit: final load > limit - what v adds.
// Before the walk, the base itself tells more than its place does: for each target place, groups surely in or out seal
// nets.
//
// Dominance, in full. Let I be reached by a stage S, v a group outside I with all predecessors in I, load(S + v) <=
// limit, and v absorbing. Take a completion from I and move v from its later stage X into S: X loses time(v) and the
// nets whose only member outside I is v; it gains at most the nets of v that lay wholly in X, hence wholly outside I.
// No load rises, so I + v has a completion too, and I need not be kept. As more groups join the ideal, v only gets more
// absorbing and adds less, so the test may be made while the walk is still open. Chains I, I + v, I + v + w, ... end,
// so a best one is kept. All that prunes is exact only up to rounding, so it may be trusted for splits within limit *
// (1 - kRoundingSlack). Hence v counts as fitting only if load(S + v) is below that: the ideal that is meant to replace
// I must not itself be in danger. Tests: tests/solve/ideal_search_test.cpp, tests/property.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "partita/reduce/windows.h"
#include "partita/solve/staged/ideal_table.h"
#include "partita/solve/staged/stage_source.h"
#include "partita/util/budget.h"

namespace partita {

class StageEnumerator : public StageSource {
 public:
  // `windows` measure time; `memory_windows` may be null where memory does not bind.
  StageEnumerator(const StageGraph& graph, const Threshold& question, const Windows& windows,
                  const Windows* memory_windows, const IdealTable& table, Budget& budget);

  bool run(const Base& base, bool host, Level level, const Visit& visit) override;
  bool rest_fits(std::span<const Word> base, bool host) const override;
  bool absorbs(std::span<const Word> ideal, GroupId v) const override;
  std::uint64_t visited() const override { return visited_; }

 private:
  // A group that the walk decides on.
  struct Candidate {
    double time;       // accelerator time, which is what windows measure
    double load_time;  // time on the device in question
    double memory;
    GroupId group;
    std::uint32_t first_net, last_net;      // in candidate_nets_
    std::uint32_t first_below, last_below;  // candidates that follow it, in below_
  };
  struct LocalNet {
    double cost;
    std::int32_t size, base, in, out, open;  // members: all; in the base; included; excluded; undecided
  };
  struct Absorption {
    double later;   // cost that the later stage may gain when the group goes: nets wholly outside the ideal
    double spared;  // what it surely loses
    double added;   // load that this stage gains
    bool absorbs() const { return later <= spared; }
  };
  struct Frame {
    std::uint32_t candidate;
    bool including;
    std::uint32_t excluded_before;  // size of excluded_ at entry
    double time, load_time, memory, cut, open_time, open_load, open_memory, open_cut, required;
  };

  void find_targets(const Base& base, bool host, Level level);
  bool prepare(const Base& base, bool host, int first_place, int last_place);
  void index_nets(std::span<const Word> base);
  bool walk(const Base& base, Level level, int first_place, int last_place, const Visit& visit);
  bool allowed_by_memory(Level level, double memory) const;
  bool hopeless() const;
  void include(std::uint32_t candidate);
  void exclude_with_followers(std::uint32_t candidate);
  void exclude_one(std::uint32_t candidate);
  Absorption absorption(const Candidate& c) const;
  void undo(Frame& frame);
  bool dominated() const;
#ifdef PARTITA_PARANOID
  bool agrees_with_recomputed_load(const Base& base) const;
#endif
  double open_cut_of(const LocalNet& net) const {
    return (net.in > 0 && net.base + net.out > 0) || net.open == 0 ? 0 : net.cost;
  }

  const StageGraph& graph_;
  const Threshold question_;
  const Windows& windows_;
  const Windows* memory_windows_;
  const IdealTable& table_;
  Budget& budget_;
  std::vector<std::vector<GroupId>> by_entry_, by_exit_;
  IdVector<GroupId, double> ancestors_time_;

  // Of the current base.
  std::vector<char> target_;  // by place
  bool host_ = false;
  bool memory_free_ = false;     // all that is outside the base would fit one device's memory
  double least_ = 0, most_ = 0;  // time that the stage must and may hold
  double least_memory_ = 0, most_memory_ = 0;
  int first_memory_place_ = 0, last_memory_place_ = 0;

  // Of the current walk.
  std::vector<Candidate> candidates_;
  std::vector<char> state_;  // by candidate
  std::vector<std::uint32_t> candidate_nets_, below_, excluded_, choices_;
  std::vector<LocalNet> nets_;
  IdVector<GroupId, std::int32_t> candidate_of_;
  IdVector<NetId, std::int32_t> local_net_;
  std::vector<Word> ideal_;
  std::uint64_t hash_ = 0;
  std::vector<Frame> frames_;
  double time_ = 0, load_time_ = 0, memory_ = 0, cut_ = 0;
  double open_time_ = 0, open_load_ = 0, open_memory_ = 0, open_cut_ = 0;  // of what is undecided
  double required_ = 0;                                                    // the final load must exceed this
  std::size_t included_ = 0;
  std::uint64_t visited_ = 0;

  // Scratch for find_targets.
  IdVector<NetId, std::int32_t> core_members_, outer_members_;
};

}  // namespace partita
