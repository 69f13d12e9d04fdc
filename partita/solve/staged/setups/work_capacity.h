// SPDX-License-Identifier: Apache-2.0
// How much work devices can do within a limit, and which numbers of devices leave enough for what is left.
//
// The work of a group is its least time on any class. A device of class c that computes for a time t does at most what
// a fractional knapsack of size t can hold: times on c are the sizes, work is the worth. Transfers and copies only take
// time away. So an ideal is of no use with devices in use that leave less capacity than the work outside it.
#pragma once

#include <span>
#include <vector>

#include "partita/reduce/setup_instance.h"
#include "partita/solve/staged/setups/device_counts.h"

namespace partita::detail {

// Work by group, and the most of it that each class can do in a given time.
class WorkMeasure {
 public:
  // Precondition: graph.order().has_closure().
  WorkMeasure(const SetupGraph& graph, const SetupRules& rules);

  double work(GroupId v) const { return work_[v]; }
  double work_to(GroupId v) const { return work_to_[v]; }  // of the group and its ancestors
  double total() const { return total_; }
  double most(ClassId c, double time) const;
  // The least time that a class needs for so much work; infinite if there is not so much that it can run.
  double least_time(ClassId c, double work) const;
  double tolerance() const { return 1e-10 * total_; }

 private:
  struct Filled {
    double time, work;  // of the knapsack so far
  };
  IdVector<GroupId, double> work_, work_to_;
  double total_ = 0;
  IdVector<ClassId, std::vector<Filled>> filling_;
};

// For one cluster and one limit: the work that is left to do, by vector of members in use.
class WorkCapacity {
 public:
  WorkCapacity(const WorkMeasure& measure, const SetupRules& rules, std::size_t type, const DeviceCounts& counts,
               double limit);

  double left(std::size_t vector) const { return left_[vector]; }
  // The vectors that leave at least so much.
  std::span<const Word> enough(double work) const;

 private:
  std::vector<double> left_;
  std::vector<double> steps_;  // rising
  BitMatrix enough_;           // row i: vectors with left_ >= steps_[i]; the last is empty
};

}  // namespace partita::detail
