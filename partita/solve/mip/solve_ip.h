// SPDX-License-Identifier: Apache-2.0
// The best split by integer programming, for every shape of max-load and gpipe and for latency.
//
// 1. A split to start from, if the caller has one. It tells the size of the numbers, and with it a unit of time in
//    which the solver's absolute tolerances mean something.
// 2. The formulation of the shape (formulation.h), with the start's value as limit of the objective, handed to the
//    backend. The limit lets the solver rule out much at once: the paper's BERT-6, contiguous, is proved in 10 s with
//    it and is 2.7 % away after 15 s without. It also takes away all that costs more than the start, and what is
//    negligible beside it is left out, so that the coefficients are no further apart than a solver can hold. Without a
//    start they may be, and then the solver is not asked.
// 3. The better of the start and the backend's solutions, each decoded and measured again, by the caller or in the
//    formulation, so that nothing the solver says can make a split look better or more legal than it is.
// The bound is the solver's, and a claim in floating point: kBoundMargin of it is subtracted before anybody relies on
// it. It is not a certificate. A claim that a split at hand refutes is dropped, and said to be refuted.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "partita/model/problem.h"
#include "partita/model/settings/mip.h"
#include "partita/model/split.h"
#include "partita/solve/mip/backend.h"
#include "partita/util/budget.h"
#include "partita/util/progress.h"

namespace partita::detail {

// Relative. Just below what `optimal` allows for (kOptimalGap), so that a solver's proof of optimality still counts as
// one. The solvers' own tolerances, in the unit of time chosen here, come to about 1e-8.
inline constexpr double kBoundMargin = 9e-7;

// Between the coefficients of a row or a column. CBC was seen to claim what is false from 1e11 on.
inline constexpr double kMostCoefficientRatio = 1e9;

struct IpOptions {
  double gap = 0;                             // stop once (value - bound) / value is at most this
  std::optional<Split> start = std::nullopt;  // a legal split to start from; staged ones need their order
  double bound = 0;                           // known otherwise: stop at a split that meets it up to the gap
  // What a split costs, as `check` says; nothing if it is illegal. Asked of every split before it is believed. Empty:
  // what the formulation says.
  std::function<std::optional<double>(const Split&)> measure = {};
  MipSettings settings = {};
};

struct IpOutcome {
  std::optional<Split> split;
  double value = 0;         // of the split
  double bound = 0;         // the solver's claim, or 0: IpOptions::bound may be better
  bool infeasible = false;  // the solver claims that there is no split, and none is known
  std::string proof;        // of the bound
  std::string failure;      // why the solver's answer is missing or not believed, if so
  bool unsuitable = false;  // the solver was not asked: numbers too far apart, a program too large; `failure` says it
};

// Throws InputError(Unsupported) as formulate() does.
IpOutcome solve_ip(const Problem& problem, MipBackend& backend, const IpOptions& options, Budget& budget,
                   const Sink& sink);

}  // namespace partita::detail
