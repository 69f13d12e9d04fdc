// SPDX-License-Identifier: Apache-2.0
// answer() leads to one function for each kind of question: which solvers answer it, in which order, and what they hand
// each other. Each fills plan.result (and the certificate where there is one) and has its split measured by `check`.
#pragma once

#include "partita/model/problem.h"
#include "partita/portfolio/plan.h"
#include "partita/util/budget.h"
#include "partita/util/progress.h"

namespace partita::detail {

// The portfolio that fits the question and options.algorithm. Throws InputError(Unsupported) where there is none.
Plan answer(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink);
// The same for a question within another: without the simple split and bound that a limit leaves (first_answer.h),
// which the outer question has anyway. Nothing is told.
Plan answer_within(const Problem& problem, const PlanOptions& options, Budget& budget);

// Staged splits for max-load: the dynamic programs.
void plan_staged(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan);
// Staged splits for max-load where stages can run in several ways: unequal devices, transfers beside compute, copies,
// clusters, memory in flight.
void plan_setups(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan);
// Free and contiguous splits for max-load over any devices and with any transfer mode: search, the configuration LP with
// a certificate, and the integer program.
void plan_free(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan);
// Staged splits for gpipe on a plain platform: the search of its own.
void plan_staged_gpipe(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink,
                       Plan& plan);
// All other splits for gpipe, over any devices and with any transfer mode, copies, clusters and memory in flight
// included: bounds and splits of max-load, annealing, and the integer program.
void plan_gpipe(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan);
// The time of one sample: search and label bounds in turns.
void plan_latency(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan);
// The integer program of any question, started from what the others find.
void plan_ip(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan);

}  // namespace partita::detail
