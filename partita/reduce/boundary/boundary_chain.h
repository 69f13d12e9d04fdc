// SPDX-License-Identifier: Apache-2.0
// Where the boundaries of stages can be: how much work their ideals hold, and how much they may pay.
//
// Ideals are sorted into places by the work they hold: the empty set, the whole graph, and equal intervals of work for
// all others. For class i (net_spans.h), f_i(p) is at most the boundary cost of any ideal at place p that matters
// (profile.h); it is 0 for the empty and the whole set. A stage S of an accelerator from an ideal I at place a to one,
// I', at place b then has, by the theorem of net_spans.h,
//     x(S) <= allowance(a, b) = the least, over the classes, of max(W_i - 1, T - f_i(a) - f_i(b)),
// and T itself if there is no class. A host pays no transfers; it holds at most host_work (whole_weights.h).
//
// Levels are counts of devices used, as in windows.h. By induction over levels, with I' from I by one more device,
//     most(level, b) = max over a of most(level - device, a) + allowance(a, b)
// is at least the work of each ideal at b that the level reaches; a place is reached if that is not below the place.
// Backwards likewise, least(level, a) is at most the work of each ideal at a from which the rest can be held by the
// devices that are left. Work is carried on exactly, places are only where f is looked up. If the empty set with no
// device used is not alive (reached, and least <= most), no split is within the limit.
//
// Room. A boundary I of a split within the limit with work w, d its cost in class i, ends a stage that begins at some
// I0 at place a. If the stage is an accelerator's, then w - x(I0) < W_i or w - x(I0) + f_i(a) + d <= T; so
//     w <= max over a of most(a) + W_i - 1   or   d <= max over a of most(a) + T - f_i(a) - w,
// over the places a that are alive one device earlier, with a step to p. Behind a host d may be anything, and a class
// says nothing of stages shorter than W_i. The stage that begins at I says the same with least, from the other side. If
// devices stay unused between the two stages, what the second says is handed on backwards, to the level at which I is
// reached, where both hold.
#pragma once

#include <vector>

#include "partita/reduce/boundary/net_spans.h"
#include "partita/reduce/boundary/profile.h"

namespace partita::detail {

struct BoundaryCosts {
  Whole threshold = 0;          // W
  std::vector<Whole> at_place;  // f; kMostWhole where there is no ideal that matters
};

class BoundaryChain {
 public:
  // Places that wide. The constructor finds nothing yet: say what the classes charge, then look.
  BoundaryChain(const WholeWeights& weights, const Threshold& question, Whole width);

  int last_place() const { return buckets_ + 1; }
  void add_class(Whole threshold, const std::vector<ProfileLabel>& ends);
  // False: no split within the limit exists. Throws OutOfTime.
  bool find_windows(TimeWatch& watch);
  // After find_windows said true: what the boundaries of a class may pay, at any level.
  class Rooms;
  Rooms rooms_of(std::size_t class_index, TimeWatch& watch) const;

 private:
  Whole low(int place) const { return place == 0 ? 0 : place == last_place() ? weights_.total : (place - 1) * width_; }
  Whole high(int place) const {
    return place == 0 ? 0 : place == last_place() ? weights_.total : std::min(place * width_ - 1, weights_.total);
  }
  std::pair<int, int> places_of(const ProfileLabel& label) const {
    return {static_cast<int>(label.least / width_) + 1, static_cast<int>(label.most / width_) + 1};
  }
  std::size_t level(int hosts, int accelerators) const {
    return static_cast<std::size_t>(hosts) * (question_.platform.accelerators + 1) + accelerators;
  }
  std::size_t levels() const { return level(question_.platform.hosts, question_.platform.accelerators) + 1; }
  bool host_may_follow(int hosts, int accelerators) const {
    return question_.host_may_follow(hosts, accelerators) &&
           question_.accelerators_with_host(accelerators) == accelerators;
  }
  bool alive(std::size_t level, int place) const { return least_[level][place] != kMostWhole; }
  Whole allowance(int from, int to) const;
  void find_most(TimeWatch& watch);
  void find_least(TimeWatch& watch);

  const WholeWeights& weights_;
  const Threshold& question_;
  const Whole width_;
  const int buckets_;
  const bool host_may_idle_;
  std::vector<BoundaryCosts> classes_;
  std::vector<char> possible_;                    // by place
  std::vector<std::vector<Whole>> most_, least_;  // by level, then place; -1 and kMostWhole where there is nothing
};

// What one side of a boundary asks of it. Work that is `free` or farther from the other end is bound by nothing.
class BoundaryChain::Rooms {
 public:
  // The most that an ideal of the label may pay; -1 if it is no boundary at all.
  Whole of(const ProfileLabel& label) const;

 private:
  friend class BoundaryChain;
  Rooms(const BoundaryChain& chain, const BoundaryCosts& costs) : chain_(chain), costs_(costs) {}
  struct Side {
    std::vector<std::vector<Whole>> free, bound;  // by level, then place
  };
  void look_back(TimeWatch& watch);
  void look_ahead(TimeWatch& watch);

  const BoundaryChain& chain_;
  const BoundaryCosts& costs_;
  Side before_, after_;
};

}  // namespace partita::detail
