// SPDX-License-Identifier: Apache-2.0
// What labels leave open, by cases: branch and bound.
//
// A case is a set of facts (block_model.h): groups known to be on hosts, or on accelerators with a number, or on some
// accelerator together. Sweeps of labels (latency_labels.h) forward and backward bound the latency of its splits, add
// facts, or rule it out. What stays is divided by the place of one group: a host, each accelerator in use, or the next
// unused one of each class, for the accelerators of a class are all alike. A case in which every group has its place is
// a split, which is handed over. The case with the least bound is next, so the least bound of all open cases is a bound
// for all splits. Exact, for graphs of a few dozen groups, or a gap that is nearly closed. Several cases may be
// examined at once, by several threads: those with the least bounds. Tests: tests/solve/latency_bound_test.cpp,
// latency_threads_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "partita/solve/latency/latency_labels.h"
#include "partita/solve/latency/latency_value.h"

namespace partita::detail {

class LatencyBranching {
 public:
  // Somebody who knows the best split so far.
  struct Incumbent {
    std::function<double()> value;  // infinite if there is none
    std::function<void(const std::vector<LatencyValue::Place>&)> offer;
  };

  // All splits that are better than the best known must agree with the facts. The instance must outlive it.
  // Throws OutOfTime. The budget must outlive it.
  LatencyBranching(const LatencyInstance& instance, const LatencyFacts& facts, const Budget* budget = nullptr);

  // Works until the slice ends, no case is left, or the open cases fill the memory; at so many cases at once.
  void improve(const Incumbent& incumbent, Budget& slice, std::size_t at_once = 1);

  // No split has a latency below this and below the value.
  double bound() const;
  // No case is left: no split is better than the best.
  bool finished() const { return open_.empty() && now_.empty(); }

 private:
  struct Case {
    double bound = 0;
    std::size_t depth = 0;
    LatencyFacts facts;
    EdgeLabels labels[2];  // forward, reversed
  };
  static bool later(const Case& a, const Case& b);

  // A case at hand, and how far its sweeps have come.
  struct Examined : Case {
    explicit Examined(Case&& of) : Case(std::move(of)) {}
    std::unique_ptr<BlockModel> model;
    std::unique_ptr<LatencyLabels> sweep;
    int sweeps = 0;
    bool done = false;
  };
  // False if the slice ended first. It then goes on where it stopped. Changes nothing but the case.
  bool examine(Examined& now, double limit, Budget& slice) const;
  GroupId undecided(const Examined& now) const;
  void divide(const Case& now, GroupId g);
  std::vector<LatencyValue::Place> places(const Case& now) const;

  const LatencyInstance& instance_;
  const Budget* budget_;
  const NodeReach reach_;
  std::vector<Case> open_;  // a heap, the least bound on top
  std::vector<std::unique_ptr<Examined>> now_;
};

}  // namespace partita::detail
