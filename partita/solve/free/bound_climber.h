// SPDX-License-Identifier: Apache-2.0
// Raises the bound of free or contiguous splits, one limit after the other.
//
// The first limit tried is just below the best value, for if it is refuted the split is optimal; what comes then,
// limit_ladder.h decides. The devices of good splits are columns of the LP. Where loads are maxima, each of a few weights
// (load_weights.h) makes an LP of its own; they climb in turns, and one that can do no more drops out.
//
// On plain platforms limits are tried on smaller graphs first (shrunk_free.h), which decide sooner; where one has
// allowed a limit, the next larger one climbs too, and the whole graph in the end.
//
// Where the LP allows the limit just below the best value, a tree of cases (pair_tree.h) goes on: first for a while, and
// again when no other limit is left to try. It may also come across a better split.
// What the LP of the whole graph allows, at whatever limit, is also tried to be made a split by dives (price_and_dive.h).
// Once no other limit is left, dives from limits between that and the best value take turns with the tree.
//
// Where nothing was refuted for a while and much is open, rounds take too long for turns and patience of that kind. Then
// one smaller graph, the one with the fewest states, climbs alone from far below (far_climber).
//
// A refutation counts only if somebody else agrees (ProofCheck). Tests: tests/solve/free_bound_test.cpp,
// classes_bound_test.cpp, convex_bound_test.cpp.
#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "partita/solve/configuration/limit_ladder.h"
#include "partita/solve/configuration/pair_tree.h"
#include "partita/solve/free/free.h"
#include "partita/solve/free/shrunk_free.h"
#include "partita/util/dice.h"

namespace partita::detail {

class BoundClimber {
 public:
  // All must outlive it. With an order, for splits whose devices hold convex sets.
  BoundClimber(const FreeInstance& instance, const ConvexOrder& order, const FreeOptions& options,
               const ProofCheck& check, Budget& budget);

  // Where the search for prices begins, if not at the groups' times.
  void start_from(GroupPrices prices) { first_prices_ = std::move(prices); }

  struct News {
    Refutation answer = Refutation::Undecided;
    std::optional<ProofTree> proof;  // of a limit that was refuted, verified
    std::optional<FreeSplit> split;  // memory and shape are for others to check, unless it has a value
  };
  // Works at one limit below the value of the best split, which is above 0, for as many ticks; nothing if there is none
  // left, which may be otherwise for a better split. May throw OutOfTime, and must not be asked any more then.
  std::optional<News> climb(const FreeSplit& best, double bound, std::uint64_t ticks);

  // Nothing more can be refuted below this value. Any thread may ask.
  bool finished(double value) const {
    const double from = finished_from_;
    return value >= from && from < kNotYet;
  }
  void give_up() {
    far_.reset();
    climbers_.clear();
  }
  // Finer buckets, where a check asks for them: whoever checks a proof may put labels into buckets in another way.
  bool holds(ProofTree& proof);

 private:
  static constexpr double kNotYet = std::numeric_limits<double>::infinity();

  // One choice of weights, and how far its LP has come.
  struct Climber {
    Climber(const LoadWeights& given, const LimitLadder::Patience& patience) : weights(given), ladder(patience) {}
    bool without_followers() const { return dose && dose->followers; }

    LoadWeights weights;
    std::optional<ShrinkDose> dose;   // of shrink; none: the whole graph
    const Climber* before = nullptr;  // begins once this one has met its end
    bool met_its_end = false;         // its relaxation has allowed a limit, or its graph is not worth having
    bool skipped = false;             // the latter
    bool far = false;                 // climbs from far below, where the others got nowhere
    std::optional<ShrunkFree> small;
    std::vector<GroupId> order;  // of its graph, for the trellises
    std::unique_ptr<ConfigurationLp> lp;
    std::unique_ptr<PairTree> tree;
    std::uint64_t tree_ticks = 0;  // spent on it
    std::uint64_t dive_ticks = 0;  // spent on dives
    int vain_dives = 0;            // since the best value is what it is
    LimitLadder ladder;
    double suggested = std::numeric_limits<double>::infinity();  // value of the last split whose devices the LP knows
    int too_large = 0;                                           // limits at which the trellis was
    int unproved = 0;                                            // refutations in a row that did not pass the check
  };

  // The interval that is open.
  struct Open {
    double value = 0, bound = 0;
  };
  Climber* next_climber(const Open& open);
  Climber* far_climber(const Open& open);
  bool make_far_climber();
  bool has_tree_to_climb(const Climber& climber, const Open& open) const;
  bool is_over(const Climber& climber, const Open& open) const;
  bool smaller_one_gets_on(const Climber& climber, const Open& open) const;
  std::uint64_t first_tree_ticks() const;
  bool is_small();
  bool some_graph_is_wide() const;
  bool make_graph(Climber& climber, double value);
  void make_lp(Climber& climber);
  Trellis::Size trellis_size(const Climber& climber) const;
  News climb_tree(Climber& climber, std::uint64_t ticks);
  News climb_ladder(Climber& climber, double limit, const Open& open, std::uint64_t ticks);
  bool may_dive(const Climber& climber) const;
  bool has_dive_left(const Climber& climber, const Open& open) const;
  News dive_between(Climber& climber, double value, std::uint64_t ticks);
  std::optional<FreeSplit> dive(Climber& climber, double limit, double value, std::uint64_t ticks);
  FreeSplit evened_out(FreeSplit split, Budget& slice);
  FreeSplit split_of(const Climber& climber, const std::vector<SetInUse>& sets) const;
  static FreeProof told_of_whole(const Climber& climber, FreeProof proof);

  const FreeInstance& instance_;
  const ConvexOrder& convex_order_;
  const FreeOptions& options_;
  const ProofCheck& check_;
  Budget& budget_;
  GroupPrices first_prices_;
  std::vector<GroupId> order_;  // of the whole graph, in which few nets are open at a time
  std::vector<std::unique_ptr<Climber>> climbers_;
  std::unique_ptr<Climber> far_;
  bool any_refuted_ = false;
  std::size_t turn_ = 0, last_turn_ = 0;
  bool little_is_open_ = false;
  std::uint64_t vain_check_ticks_ = 0;  // spent on proofs that did not pass
  Dice dice_;
  std::atomic<double> finished_from_ = kNotYet;  // for values as large
};

}  // namespace partita::detail
