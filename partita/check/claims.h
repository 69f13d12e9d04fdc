// SPDX-License-Identifier: Apache-2.0
// What a result claims, in words that say no more than was proved: of which splits a bound speaks, and why it holds.
#pragma once

#include <string>

#include "partita/model/problem.h"
#include "partita/model/result.h"

namespace partita::detail {

// The splits that a question looks at, as in "no ... is below": "staged split", "contiguous split"; "split" where any
// is allowed, and for latency, which has no shapes.
std::string split_kind(Objective objective, Shape shape);

// Precondition: result.split. "optimal among staged splits", "optimal among all splits"; "best found" without a proof.
// A proof that rests on a foreign solver's word says so.
std::string claim_text(const Problem& problem, const Result& result);

// "no staged split is below 1.82413 ms"; empty where nothing is known.
std::string bound_text(const Problem& problem, const Result& result);

// Why the bound holds, for people who know no algorithms: "searched all: nothing better exists". Empty where nothing
// was proved. Proofs that have no plain words are returned as they are.
std::string plain_proof(const Result& result);

}  // namespace partita::detail
