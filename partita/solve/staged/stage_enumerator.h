// SPDX-License-Identifier: Apache-2.0
// From one ideal, every larger ideal that one more device can reach within the limits.
//
// `Graphs` is a StageGraph, with one limit on every load, or PassGraphs, with a limit on each pass and on both together
// (reduce/pass_graphs.h). All sums are kept once for each pass in arrays of that size, so one limit costs what a walk
// written for one limit would.
//
// The published dynamic program looks at all pairs of ideals. This one walks only over sets that can still become a
// stage: depth first over the groups outside the base in topological order, each included or excluded (with all that
// follows it), cutting a branch as soon as
//   - some view is too heavy already: max(time included, time needed) + cost of nets surely cut > limit;
//   - some window cannot be met, of the work in a view or of memory: too little left to include, or too much included;
//   - what was excluded would have to be absorbed. A group v is absorbing if leaving it to a later stage spares that
//     stage nothing: in each pass, nets of v wholly outside the ideal cost no more than time(v) plus the nets of which
//     v is the last member outside. Then the ideal with v is at least as good as the one without, so the one without
//     is needed only if v does not fit: in some view, final load > limit - what v adds.
// Before the walk, the base itself tells more than its place does: for each target place, groups surely in or out seal
// nets.
//
// Dominance, in full. Let I be reached by a stage S, v a group outside I with all predecessors in I, S + v within all
// limits, and v absorbing. Take a completion from I and move v from its later stage X into S: in each pass, X loses
// time(v) and the nets whose only member outside I is v; it gains at most the nets of v that lay wholly in X, hence
// wholly outside I. No load rises in any pass, so none in both together: I + v has a completion too, and I need not be
// kept. As more groups join the ideal, v only gets more absorbing and adds less, so the test may be made while the walk
// is still open. Chains I, I + v, I + v + w, ... end, so a best one is kept.
// All that prunes is exact only up to rounding, so it may be trusted for splits within limit * (1 - kRoundingSlack).
// Hence v counts as fitting only if the loads of S + v are below that: the ideal that is meant to replace I must not
// itself be in danger. With several limits "v does not fit" is an "or" of several; of all groups excluded one such
// demand is kept while the walk is open, and every one is looked at again at a leaf.
// Tests: tests/solve/stage_enumerator_test.cpp, ideal_search_test.cpp, gpipe_search_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "partita/reduce/windows.h"
#include "partita/solve/staged/ideal_table.h"
#include "partita/util/budget.h"

namespace partita::detail {

template <class Graphs>
class StageEnumerator {
 public:
  static constexpr std::size_t kPasses = kPassesOf<Graphs>, kViews = kViewsOf<Graphs>, kMemory = kViews;
  using Loads = std::array<double, kPasses>;
  // Of a set of groups: accelerator time in each view, then memory. This is what windows measure.
  using Amounts = std::array<double, kViews + 1>;
  struct Ideal {
    std::span<const Word> bits;
    std::uint64_t hash;
    Amounts amount;
  };
  // Devices used, the one that takes the stage included.
  struct Level {
    int hosts, accelerators;
  };
  // Returns false to stop.
  using Visit = std::function<bool(const Ideal&)>;

  // All that is given must outlive this. Costs should be capped (cap_costs), each view's by its own limit.
  StageEnumerator(const Graphs& graphs, const QuestionOf<Graphs>& question, const ViewPlaces<Graphs>& places,
                  const IdealTable& table, Budget& budget);

  // Calls `visit` for each ideal larger than the base that one accelerator (or host) can reach and that no other such
  // ideal dominates, at the places that the windows allow for the level. The whole graph is not among them: see
  // rest_fits. False if the budget ended or `visit` stopped.
  bool run(const Ideal& base, bool host, Level level, const Visit& visit);

  // Whether one accelerator (or host) can hold all that is outside the base.
  bool rest_fits(std::span<const Word> base, bool host) const;

  // Whether leaving v to a later stage spares that stage nothing, once all that is in `ideal` is placed. Precondition:
  // v is outside, its predecessors inside.
  bool absorbs(std::span<const Word> ideal, GroupId v) const;

  std::uint64_t visited() const { return visited_; }  // steps of all walks

 private:
  struct Weights {
    Loads host_time{};
    Amounts amount{};
  };
  // A group that the walk decides on.
  struct Candidate {
    Loads load_time;  // on the device in question
    Amounts amount;
    GroupId group;
    std::uint32_t first_net = 0, last_net = 0;      // in candidate_nets_
    std::uint32_t first_below = 0, last_below = 0;  // candidates that follow it, in below_
  };
  struct LocalNet {
    double cost;
    std::uint32_t pass;
    std::int32_t size, base = 0, in = 0, out = 0, open = 0;  // members: all; in the base; included; excluded; undecided
    bool surely_cut() const { return in > 0 && base + out > 0; }
    double open_cost() const { return surely_cut() || open == 0 ? 0 : cost; }
  };
  struct Absorption {
    Loads later{};   // cost that the later stage may gain when the group goes: nets wholly outside the ideal
    Loads spared{};  // what it surely loses
    Loads added{};   // load that this stage gains
    bool absorbs() const;
  };
  // All sums of a walk. Saved and restored as a whole, not subtracted: sums that are taken back exactly cannot drift.
  struct Sums {
    Loads load_time{}, cut{}, open_load{}, open_cut{};  // open: of what is undecided
    Amounts amount{}, open{};
    std::array<double, kViews> required;  // the final load must exceed this in some view
  };
  struct Frame {
    std::uint32_t candidate;
    bool including;
    std::uint32_t excluded_before;  // size of excluded_ at entry
    Sums sums;
  };
  // Where the stage may end, by one measure.
  struct Aim {
    const Places* places = nullptr;  // none: anywhere
    std::vector<std::vector<GroupId>> by_entry, by_exit;
    std::vector<char> target;  // by place
    int first = 0, last = 0;   // of the targets that are looked for
  };

  static double in_view(const Loads& load, std::size_t v);
  static std::size_t pass_of(const LocalNet& net) { return kPasses == 1 ? 0 : net.pass; }
  static double accelerator_time(const Amounts& amount, std::size_t p) { return amount[kFirstPass<Graphs> + p]; }
  bool too_heavy(const Loads& load, const std::array<double, kViews>& limit) const;
  const StageGraph& pass(std::size_t p) const { return view(graphs_, kFirstPass<Graphs> + p); }
  Loads loads_of(std::span<const GroupId> groups, bool host) const;

  void find_targets(const Ideal& base, Level level, std::size_t v);
  bool aim_at(const Ideal& base, std::size_t measure, int first, int last);
  bool prepare(const Ideal& base);
  void index_nets(std::span<const Word> base);
  bool walk(const Ideal& base, const Visit& visit);
  bool on_target(const Amounts& amount) const;
  bool excludes_too_much() const;
  bool hopeless() const;
  void include(std::uint32_t candidate);
  void exclude_with_followers(std::uint32_t candidate);
  void meets(const LocalNet& net, std::int32_t own_side, std::int32_t far_side);
  void exclude_one(std::uint32_t candidate);
  Absorption absorption(const Candidate& c) const;
  void undo(const Frame& frame);
  bool dominated() const;
#ifdef PARTITA_PARANOID
  bool agrees_with_recomputed_load(const Ideal& base) const;
#endif

  const Graphs& graphs_;
  const StageGraph& graph_;  // the whole
  const Threshold whole_;
  const IdealTable& table_;
  Budget& budget_;
  std::array<double, kViews> limit_, trusted_limit_;
  IdVector<GroupId, Weights> weights_;
  IdVector<GroupId, double> ancestors_time_;
  std::array<Aim, kViews + 1> aims_;

  // Of the current base.
  bool host_ = false;
  double memory_limit_ = 0;
  bool memory_free_ = false;  // all that is outside the base would fit one device's memory
  Amounts least_, most_;      // that the stage must and may hold

  // Of the current walk.
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
  std::uint64_t exclusions_ = 0;            // not yet paid for
  std::uint64_t visited_ = 0;

  std::array<IdVector<NetId, std::int32_t>, kViews> core_members_, outer_members_;  // scratch for find_targets
};

}  // namespace partita::detail
