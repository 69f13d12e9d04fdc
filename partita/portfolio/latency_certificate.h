// SPDX-License-Identifier: Apache-2.0
// A certificate for a bound of latency, whoever proved the bound.
//
// Bounds of latency come from spines, packing, cases and labels; what a certificate can say is labels, with tolls and
// what follows from both (check/label_proof.h). So it is looked for by itself, when the bound is known: at the bound,
// and where that fails at what the labels reached, then between the two. At each limit, labels are found in sweeps
// over all nodes, from both ends in turns, without a toll and with the one that gives the most, until the limit is
// refuted or nothing moves any more. They are found with the code that the check tries them with, in its integers, so
// what is found here holds there; and it is handed out only if `verify` accepts it.
//
// Tests: tests/portfolio/latency_certificate_test.cpp.
#pragma once

#include <optional>

#include "partita/model/certificate.h"
#include "partita/model/problem.h"
#include "partita/model/result.h"
#include "partita/util/budget.h"
#include "partita/util/progress.h"

namespace partita::detail {

// For the bound of the result or one as near below it as can be found within the budget; nothing if there is none. Of
// the result, only the value and the bound are looked at.
std::optional<Certificate> certify_latency(const Problem& problem, const Result& result, Budget& budget,
                                           const Sink& sink);

}  // namespace partita::detail
