// SPDX-License-Identifier: Apache-2.0
// What every portfolio does with a solver's answer before it becomes a plan.
#pragma once

#include <string>

#include "partita/model/problem.h"
#include "partita/portfolio/plan.h"
#include "partita/reduce/net_graph.h"
#include "partita/util/budget.h"

namespace partita::detail {

// Measures plan.result.split by `check` and sets value, bound and status. `optimal` needs more than the solver's word:
// the independent check must find the split legal and agree on its value; throws std::logic_error if it does not.
void settle_status(const Problem& problem, double claimed_value, double claimed_bound, Plan& plan);
// The same for a split whose value nobody has claimed.
void settle_status(const Problem& problem, double claimed_bound, Plan& plan);

// The same where plan.report is already what `check` says of the split.
void settle_measured(double claimed_bound, Plan& plan);

// True if some constraint rules out every split; the result then says which.
bool ruled_out(const Problem& problem, const NetGraph& graph, const StagePlatform& platform,
               const IdVector<NodeId, GroupId>& group_of, Result& result);

// The same for any number of classes of devices.
bool ruled_out(const Problem& problem, const IdVector<NodeId, GroupId>& group_of, Result& result);

// The reason where a solver found that no split of the shape exists: everything together, without blaming one thing.
std::string nothing_fits(const Problem& problem, const char* found_by);

// The same, but memory alone where a short look finds a split that minds everything but memory.
std::string why_infeasible(const Problem& problem, const char* found_by, Budget& budget);

// Takes back a foreign solver's bound that some legal split refutes, and an `optimal` that rested on it.
void withdraw_claim(Result& result);

inline constexpr const char* kNoSplitYet = "a limit was reached before any split was found";
inline constexpr const char* kNoMemoryForSplit = "the memory limit was reached before any split was found";

}  // namespace partita::detail
