// SPDX-License-Identifier: Apache-2.0
// A certificate for a bound of staged splits, whoever proved the bound.
//
// Bounds of staged splits come from a search over ideals, from windows, and from the configuration LP on what shrink,
// presolve and boundaries leave. The check retraces most of that in its own way: it has windows and a search of its own
// (check/stage_windows.h, stage_search.h), but nothing of boundaries. So a certificate is looked for by itself, when the
// bound is known: at the bound, then, where that fails, below it in growing steps, and between the highest limit that
// was certified and the lowest that was not. At each limit
//   1. the graph is presolved, as far as the check can retrace it (certified_steps.h);
//   2. and shrunk (reduce/shrink.h), by the largest dose first, unless it is small;
//   3. windows and presolve take turns on what the check makes of these steps (claim_model.h), as they do in the search;
//   4. the check is asked to go through all chains of ideals of what is left;
//   5. if that takes too long, the configuration LP over convex sets is asked of the same;
//   6. then the next dose, which loses less; and at the end a tree of cases. Each dose has its share of the time.
// What is refuted becomes a certificate, and is handed out only if `verify` accepts it. So nothing here can be wrong
// but that no certificate is found, or a lower one than there could be.
//
// Tests: tests/portfolio/staged_certificate_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "partita/model/certificate.h"
#include "partita/model/problem.h"
#include "partita/model/result.h"
#include "partita/reduce/staged_instance.h"
#include "partita/util/budget.h"
#include "partita/util/progress.h"

namespace partita::detail {

struct StagedCertificateOptions {
  std::uint64_t seed = 1;
  std::size_t small_graph = 150;  // up to so many groups nothing is removed: the LP is quick as it is
};

// For the bound of the result or one as near below it as can be found within the budget; nothing if there is none. The
// result must have a split; the instance is that of the problem, whose loads are sums.
std::optional<Certificate> certify_staged(const Problem& problem, const StagedInstance& instance, const Result& result,
                                          const StagedCertificateOptions& options, Budget& budget, const Sink& sink);

// "; its certificate was verified", or how far from the value a certificate of less was: what to add to result.proof.
std::string words_for(const Certificate& certificate, const Result& result);

}  // namespace partita::detail
