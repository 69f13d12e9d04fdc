// SPDX-License-Identifier: Apache-2.0
// The last finish where host nodes must share a few cores: the list scheduling that docs/formats.md defines, for one
// split. Time moves from finish to finish; what then follows in no time is settled first; then free cores take the
// ready host nodes with the longest ways to the end. O((units + edges) log units), without allocating.
//
// Times and ways are compared as they are computed, so where two are equal but for rounding, `check` may see the other
// one first, and with it another value. Tests: tests/solve/latency_value_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace partita::detail {

class CoreSchedule {
 public:
  using Unit = std::uint32_t;

  CoreSchedule(std::size_t units, std::size_t cores) : cores_(cores), way_(units, 0), open_(units, 0) {}

  // `order` is all units, each after those it waits for. Units tells of each unit:
  //   double duration(Unit), bool on_host(Unit), Unit rank(Unit): its place in the input, if on a host,
  //   for_each_next(Unit, visit): the units that wait for it.
  template <class Units>
  double last_finish(const Units& units, std::span<const Unit> order) {
    find_ways(units, order);
    ready_.clear();
    running_.clear();
    free_ = cores_;
    last_ = 0;
    for (const Unit unit : order) {
      if (open_[unit] == 0) pending_.push_back(unit);
    }
    // Followers are counted down when a unit is settled, so the first ones must be known before.
    settle(units, 0);
    double now = 0;
    while (true) {
      while (!running_.empty() && running_.front().first <= now) {
        std::pop_heap(running_.begin(), running_.end(), std::greater<>());
        const Unit unit = running_.back().second;
        running_.pop_back();
        if (units.on_host(unit)) ++free_;
        count_down(units, unit);
        settle(units, now);
      }
      for (; free_ > 0 && !ready_.empty(); --free_) {
        std::pop_heap(ready_.begin(), ready_.end(), sooner_);
        const Unit unit = ready_.back().unit;
        ready_.pop_back();
        start(units, unit, now);
      }
      if (running_.empty()) return last_;
      now = running_.front().first;
    }
  }

 private:
  struct Waiting {
    double way;
    Unit rank, unit;
  };
  struct Sooner {
    bool operator()(const Waiting& a, const Waiting& b) const {
      return a.way != b.way ? a.way < b.way : a.rank > b.rank;
    }
  };

  // And how many units each one waits for.
  template <class Units>
  void find_ways(const Units& units, std::span<const Unit> order) {
    for (const Unit unit : order) open_[unit] = 0;
    for (std::size_t i = order.size(); i > 0; --i) {
      const Unit unit = order[i - 1];
      double longest = 0;
      units.for_each_next(unit, [&](Unit next) {
        longest = std::max(longest, way_[next]);
        ++open_[next];
      });
      way_[unit] = longest + units.duration(unit);
    }
  }

  template <class Units>
  void count_down(const Units& units, Unit unit) {
    units.for_each_next(unit, [&](Unit next) {
      if (--open_[next] == 0) pending_.push_back(next);
    });
  }

  template <class Units>
  void start(const Units& units, Unit unit, double now) {
    const double finish = now + units.duration(unit);
    last_ = std::max(last_, finish);
    running_.emplace_back(finish, unit);
    std::push_heap(running_.begin(), running_.end(), std::greater<>());
  }

  // All units in pending_ have what they wait for, and so have soon those that wait for units without duration.
  template <class Units>
  void settle(const Units& units, double now) {
    while (!pending_.empty()) {
      const Unit unit = pending_.back();
      pending_.pop_back();
      if (!(units.duration(unit) > 0)) {
        last_ = std::max(last_, now);
        count_down(units, unit);
      } else if (units.on_host(unit)) {
        ready_.push_back({way_[unit], units.rank(unit), unit});
        std::push_heap(ready_.begin(), ready_.end(), sooner_);
      } else {
        start(units, unit, now);
      }
    }
  }

  std::size_t cores_, free_ = 0;
  double last_ = 0;
  std::vector<double> way_;  // from the start of each unit to the end, with cores enough
  std::vector<Unit> open_;   // by unit: how many it still waits for
  std::vector<Unit> pending_;
  std::vector<Waiting> ready_;                    // for a core, as a heap
  std::vector<std::pair<double, Unit>> running_;  // and when they finish, as a heap
  Sooner sooner_;
};

}  // namespace partita::detail
