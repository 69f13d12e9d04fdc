// SPDX-License-Identifier: Apache-2.0
// Presolve and shrink, as far as the check of certificates can retrace them: each rule as steps that it knows.
//
// *Unaffordable pairs and cuts* are joins, whose reasons the check finds itself. They are asked for a limit that is a
// little higher, so that what is too much here is too much in the check's integers as well.
// *Cheap neighbours* (presolve/cheap_neighbour.h) argue by an exchange, of which the check knows nothing; yet as a
// removal each is the same, and loses nothing. The rule joins v to w if
//     time(v) + cost of the nets of v without w  <=  cost of the nets that are exactly {v, w}.
// So all of v's time can be shifted along {v, w} to w, and what is left of {v, w} pays for w to join all other nets of
// v: w then has the time and the nets that v and w had together. Of memory and hosts the rule asks that v not matter.
// *Shrink* removes groups by the very steps of the check.
// Memory that cannot bind within the limit counts as none (reduce/memory_need.h). Profiles of boundaries are left out:
// their joins have no reason that the check could find.
//
// Tests: tests/portfolio/staged_certificate_test.cpp.
#pragma once

#include <vector>

#include "partita/model/certificate.h"
#include "partita/model/problem.h"
#include "partita/reduce/presolve/cheap_neighbour.h"
#include "partita/reduce/shrink_dose.h"
#include "partita/reduce/staged_instance.h"
#include "partita/util/budget.h"

namespace partita::detail {

class CertifiedSteps {
 public:
  // The instance is that of the problem, and must outlive it, as must the budget.
  CertifiedSteps(const Problem& problem, const StagedInstance& instance, double limit, const Budget& budget);
  // Of any graph; `node` is by group the original id of one of its nodes.
  CertifiedSteps(const StagePlatform& platform, StageGraph graph, IdVector<GroupId, std::int64_t> node, double limit,
                 const Budget& budget);

  // To a fixed point.
  void presolve();
  // All steps so far, and then the removals of this dose, whose groups are not kept.
  std::vector<Certificate::Step> shrunk(const ShrinkDose& dose) const;

  const std::vector<Certificate::Step>& steps() const { return steps_; }
  const StageGraph& graph() const { return graph_; }  // that they leave

 private:
  using Nodes = std::vector<std::int64_t>;

  bool join_pairs();
  bool join_cuts();
  bool join_all(const GroupPairs& pairs);
  bool remove_cheap_ones();
  void contract_to(const UnionFind<GroupId>& merge, const IdVector<GroupId, std::int64_t>& names);

  const StagePlatform platform_;
  const double limit_;
  const Budget& budget_;
  StageGraph graph_;
  IdVector<GroupId, std::int64_t> name_;  // by group: original id of a node that no step removed
  std::vector<Certificate::Step> steps_;
};

}  // namespace partita::detail
