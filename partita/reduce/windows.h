// SPDX-License-Identifier: Apache-2.0
// A relaxation of the staged question that sees of an ideal only how much accelerator time (or memory) it holds.
//
// The ideals of the graph are sorted into places: place 0 is the empty set, place B + 1 the whole graph, and
// places 1..B are equal intervals ("buckets") of x(I) = accelerator time of I. At a given place some groups are surely
// in the ideal and some are surely not:
//     I without v holds at most x(V) - x(descendants of v),    I with v holds at least x(ancestors of v).
// A stage from an ideal at place a to one at place b then surely holds the core (out at a, in at b), surely not the
// outer groups (in at a, or out at b), and at least the difference of the two places in work. This gives a lower bound
// on its load,
//     max(work between the places, time(core)) + minimum cut of the nets between core and outer groups,
// and, with device counts, the places that can be boundaries of stages at all: the windows.
//
// The same with x(I) = memory of I, where one device's memory bounds the difference of two places, sees what time does
// not where memory binds; both may be used side by side.
//
// If the end cannot be reached, no split within the limit exists, whatever the number of ideals. Otherwise the windows
// prune the search, tell which groups are never separated, and which can be on a host. Reaching costs O(places * pins)
// and one small flow for each pair of places that nothing cheaper decides; places are shared among the budget's threads.
// Tests: tests/reduce/windows_test.cpp (against all ideals of small graphs), tests/property.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "partita/reduce/pass_graphs.h"
#include "partita/reduce/threshold.h"
#include "partita/util/bit_matrix.h"
#include "partita/util/budget.h"
#include "partita/util/union_find.h"

namespace partita::detail {

// What the search needs to know of windows: where ideals are, and where they may be. Needs neither graph nor budget, so
// it can be handed on.
class Places {
 public:
  // False: no split within the limit exists.
  bool feasible() const { return feasible_; }

  int places() const { return last_place() + 1; }
  int last_place() const { return buckets_ + 1; }
  // Can an ideal at this place be what `hosts` hosts and `accelerators` accelerators hold together (or fewer devices)?
  bool allowed(int hosts, int accelerators, int place) const { return allowed_[level(hosts, accelerators)][place]; }
  // The first and the last allowed place of a level, the empty and the whole set left out; first > last if there is
  // none.
  std::pair<int, int> allowed_range(int hosts, int accelerators) const;

  // The places at which an ideal with this measure can be, rounding allowed for. Not for the empty and the whole set,
  // which have places of their own.
  std::pair<int, int> places_of(double measure) const;
  double lowest(int place) const { return lower_[place]; }
  double highest(int place) const { return upper_[place]; }
  double tolerance() const { return tolerance_; }  // on measures of ideals

  // v is in every ideal at place entry(v) or later, and in none at place exit(v) or earlier. Places from entry(v) to
  // exit(v), should there be any, have no ideals.
  int entry(GroupId v) const { return entry_[v]; }
  int exit(GroupId v) const { return exit_[v]; }

 protected:
  Places(int accelerators, int buckets) : accelerators_(accelerators), buckets_(buckets) {}

  std::size_t level(int hosts, int accelerators) const {
    return static_cast<std::size_t>(hosts) * (accelerators_ + 1) + accelerators;
  }

  int accelerators_, buckets_;
  double total_ = 0;  // measure of the whole graph
  double tolerance_ = 0;
  std::vector<double> lower_, upper_;       // by place
  IdVector<GroupId, int> entry_, exit_;     // surely in from place entry on; surely out up to place exit
  std::vector<std::vector<char>> allowed_;  // by level, then place
  bool feasible_ = false;
};

class Windows : public Places {
 public:
  enum class Measure { Time, Memory };
  struct Options {
    int buckets = 64;
    Measure measure = Measure::Time;
    bool flows = true;  // also use minimum cuts, not only the nets whose fate is sealed
  };

  // Precondition: graph.has_closure(). When the budget ends, undecided pairs of places count as possible.
  Windows(const StageGraph& graph, const Threshold& question, const Options& options, const Budget& budget);

  // Can one accelerator (or one host) take an ideal at place `from` to one at place `to`?
  bool accelerator_step(int from, int to);
  bool host_step(int from, int to) const;

  // Joins groups that lie on the same side of every allowed boundary. Returns the number of joins.
  std::size_t join_never_separated(UnionFind<GroupId>& merge) const;
  // Whether some step of a host can hold the group.
  bool can_be_on_host(GroupId v) const;

 private:
  struct Pair {                                    // what is surely true of a step between two places
    double load = 0;                               // lower bound for an accelerator, by time and sealed nets
    double host_time = 0;                          // of the core
    double memory = 0;                             // of the core
    bool accelerator_can = true, host_can = true;  // support of the core
    char flow_state = 0;                           // 0: not tried, 1: possible, 2: impossible
  };
  Pair& pair(int from, int to) { return pairs_[static_cast<std::size_t>(from) * (buckets_ + 2) + to]; }
  const Pair& pair(int from, int to) const { return pairs_[static_cast<std::size_t>(from) * (buckets_ + 2) + to]; }

  double weight(GroupId v) const { return by_memory_ ? graph_.group(v).memory : graph_.group(v).accelerator_time; }
  enum class Flows { None, Known, All };  // which are used: those that are there already, or others too
  template <class Decide>
  void decide_places(int count, Flows flows, Decide decide) const;
  void find_forced();
  void bound_pairs();
  void bound_pairs_from(int from);
  bool cut_exceeds(int from, int to, double room);
  bool reach(Flows flows);
  bool host_may_follow(int hosts, int accelerators) const;
  bool step_possible(bool host, int from, int to, Flows flows, bool& open);

  const StageGraph& graph_;
  const Threshold question_;
  const Options options_;
  const Budget& budget_;
  const bool by_memory_;
  double host_exchange_ = 0;    // most measure that a host can take per unit of its own time
  std::vector<char> possible_;  // by place: can any ideal be there?
  std::vector<Pair> pairs_;
};

// The windows of each view of the graphs, and of memory where it binds.
template <class Graphs>
struct ViewPlaces {
  std::array<std::optional<Places>, kViewsOf<Graphs>> time;
  std::optional<Places> memory;
};

// Whether windows can say anything of the view: one without work has none, for all its ideals hold the same.
template <class Graphs>
bool has_windows(const Graphs& graphs, const QuestionOf<Graphs>& question, std::size_t v) {
  return v == 0 || (view(graphs, v).total_accelerator_time() > 0 && view(question, v).limit > 0);
}

}  // namespace partita::detail
