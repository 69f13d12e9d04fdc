// SPDX-License-Identifier: Apache-2.0
// Raises the bound of staged splits by the configuration LP over convex sets, turn by turn.
//
// Each limit is asked of what shrink, presolve and boundaries leave of the graph (convex_bound.h): the raw graphs are
// mostly too wide for the LP, the shrunk ones mostly are not. The largest dose of shrink comes first; where the LP
// allows the limit there, or a smaller one before, or the shrunk graph is seen to have a split within it, the next dose
// loses less, and the graph as it is, which comes last, nothing. Which limit to try, and with how much patience,
// limit_ladder.h decides: first just below the best value, for if that one is refuted the split is optimal. A limit
// that is undecided when a turn ends goes on where it stopped. Where one is given up, a lower one that its prices seem
// to refute already is asked of the same graph, for what is made for one limit serves for every smaller one; so are all
// limits not far below the one that the graph was made for, where no larger dose may refute them. Prices that come down
// from a higher limit get near a proof much sooner than those that begin afresh. Limits that the LP allows are asked
// again by a tree of cases (pair_tree.h), in every other turn.
//
// The LP itself knows no order of the sets and no cases of the host, which the search over ideals does; it minds
// neither how many ideals there are. So the two take turns, and share value and bound.
// Tests: tests/solve/sets_climber_test.cpp.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "partita/reduce/presolve.h"
#include "partita/reduce/shrink.h"
#include "partita/solve/configuration/convex_bound.h"
#include "partita/solve/configuration/limit_ladder.h"
#include "partita/solve/staged/before_search.h"

namespace partita::detail {

class SetsClimber {
 public:
  // All must outlive it.
  SetsClimber(const StagePlatform& platform, const StagedSettings& settings, const PresolveSettings& presolve)
      : platform_(platform), options_{settings, presolve, &history_} {}
  SetsClimber(const SetsClimber&) = delete;
  SetsClimber& operator=(const SetsClimber&) = delete;

  // Works at one limit between bound and value, the LP for as many ticks, and what makes its graphs for as many of its
  // own. Returns the limit if it was refuted, else 0. Every split better than `value` must be one of `graph`, which
  // needs its closure and need not be the same each time.
  double climb(const StageGraph& graph, double value, double bound, std::uint64_t ticks, Budget& budget);

  // Neither the LP nor cases can do more between this bound and this value.
  bool finished(double value, double bound) const {
    return by_lp_.ladder.exhausted(value, bound) && by_cases_.ladder.exhausted(value, bound);
  }

 private:
  // With more open than this, what a turn gains on the way up is worth more than one more try just below the value.
  // [Two towers, training: 9.7 % open after a minute instead of 13.4 %.]
  static constexpr LimitLadder::Patience kSetsPatience{.far = 0.03};
  // Cases refute limits that are little above what the LP does: where much is open, none just below the value.
  static constexpr LimitLadder::Patience kCasesPatience{.far = 0.03, .far_at_first = true};

  // The graphs of the doses, from the smallest on, and then the graph as it is.
  static constexpr std::size_t kWhole = std::size(kConvexDoses), kGraphs = kWhole + 1;
  static bool takes_of_spine(std::size_t dose) { return dose < kWhole && kConvexDoses[dose].takes_of_spine(); }
  static bool takes_views_alone(std::size_t dose) { return dose < kWhole && kConvexDoses[dose].views_only(); }

  // One way up: which limit is asked, and the graph of the dose at hand.
  struct Way {
    bool by_cases = false;
    LimitLadder ladder{by_cases ? kCasesPatience : kSetsPatience};
    bool met_its_end = false;  // the relaxation has allowed a limit, of a graph that was not too wide
    double limit = 0;
    double made_for = 0;  // the limit that the graph was made for
    std::size_t dose = 0;
    // Groups that the last dose removed, and nets that it left: narrow graphs have fewer of the same groups.
    std::optional<std::pair<std::size_t, std::size_t>> made = {};
    // From these limits on, the LP has nothing to say about the graphs of the doses: it allowed them.
    std::array<double, kGraphs> allowed_from = no_limits();
    std::array<bool, kGraphs> too_wide = {};  // so that this is no more than a guess
    Presolved<StageGraph> small = {};
    std::unique_ptr<ConvexBound> bound = {};  // of `small`

    void begin(double next);
    bool ended_too_wide() const { return dose < kGraphs && too_wide[dose]; }
    static std::array<double, kGraphs> no_limits();
  };

  Way& next_way(double value, double bound);
  Refutation ask(Way& way, const StageGraph& graph, std::uint64_t ticks, Budget& budget) const;
  Refutation prepare(Way& way, const StageGraph& graph, Budget& budget) const;
  bool loses_too_much(std::size_t dose) const;
  bool has_split_within(const StageGraph& graph, double limit, Budget& budget) const;

  const StagePlatform& platform_;
  SearchHistory history_{.undecided = true};  // else nobody would ask the LP
  const LimitOptions options_;
  Way by_lp_{.by_cases = false}, by_cases_{.by_cases = true};
  bool cases_next_ = false;
};

}  // namespace partita::detail
