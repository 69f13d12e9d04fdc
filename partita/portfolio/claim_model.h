// SPDX-License-Identifier: Apache-2.0
// The configuration LP of a claim, in the check's own numbers.
//
// Whoever makes a certificate with steps has to find prices for what the *check* makes of the steps. So the LP is
// asked of just that: groups, transfers and order are those of the check's instance, after its steps. A load of L
// units becomes a time of L + 1 within a limit of 2^40, which the LP scales, rounding down and taking one off as the
// check does, to L again; memory likewise. So a set has the same integer load here and there, and what the LP proves
// the check finds too. Nothing rests on that: a certificate is handed out only if it passes the check.
#pragma once

#include <optional>
#include <vector>

#include "partita/check/claim_instance.h"
#include "partita/model/certificate.h"
#include "partita/model/problem.h"
#include "partita/model/split.h"
#include "partita/reduce/stage_graph.h"
#include "partita/solve/configuration/configuration_lp.h"

namespace partita::detail {

class ClaimModel {
 public:
  // Of what the check made of a claim about staged splits.
  ClaimModel(const Problem& problem, ClaimInstance claim);

  static constexpr double kLimit = static_cast<double>(kLoadUnits);

  // Groups along the order, with the least times and costs of all accelerators.
  const StageGraph& graph() const { return graph_; }

  ConfigurationModel configuration() const;
  std::vector<GroupId> order(std::uint64_t seed, Budget& budget) const;
  // The same as a question to presolve, where accelerators are equal, in the check's own units; and by group of that
  // graph the id of a node of it.
  struct Question {
    StagePlatform platform;
    StageGraph graph;
    IdVector<GroupId, std::int64_t> node;
  };
  Question question() const;
  // The devices' sets of a split.
  std::vector<std::vector<GroupId>> sets_of(const Split& split) const;

  std::int64_t node_of(GroupId v) const { return claim_.groups[claim_group_[v]].node; }
  // The certificate gets the proof's prices and leaves.
  void write(const ProofTree& proof, Certificate& certificate) const;

 private:
  bool is_host(std::size_t c) const { return platform().classes[claim_.devices[c]].kind == DeviceKind::Host; }
  const Platform& platform() const { return problem_->workload->platform; }
  Group group_on(std::size_t g, std::size_t c) const;
  std::vector<Net> nets_on(std::size_t c) const;

  const Problem* problem_;
  ClaimInstance claim_;
  StageGraph graph_;
  IdVector<GroupId, std::size_t> claim_group_;  // by group of the graph
  std::vector<GroupId> group_;                  // the other way round
  std::vector<std::size_t> classes_;            // of the claim's devices: accelerators first
};

}  // namespace partita::detail
