// SPDX-License-Identifier: Apache-2.0
// The best split and the best bound that a portfolio has, whichever of its solvers they come from.
//
// Solvers differ in what they measure: one knows free splits alone, one counts transfers in its own way, one rounds. So
// every split is measured here by `check`, for the problem that was asked, and what a solver tells on its way is passed
// on in terms of that problem. Everything is kept in the plan, which is complete after settle(). Tests:
// tests/portfolio/.
#pragma once

#include <optional>
#include <string>

#include "partita/model/problem.h"
#include "partita/portfolio/plan.h"
#include "partita/solve/mip/solve_ip.h"
#include "partita/util/budget.h"
#include "partita/util/progress.h"

namespace partita::detail {

class BestSoFar {
 public:
  // All must outlive it.
  BestSoFar(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan)
      : problem_(problem), options_(options), budget_(budget), sink_(sink), plan_(plan) {}

  const Split& split() const { return *plan_.result.split; }  // found() only
  double value() const { return plan_.result.value; }         // infinite without a split
  double bound() const { return plan_.result.bound; }
  const std::string& proof() const { return plan_.result.proof; }
  bool found() const { return plan_.result.split.has_value(); }
  // No time is left, or nothing to do.
  bool done() const;

  // True if the split is legal and better than the best. It is kept with its order if it is staged, without one if not.
  bool offer(Split split);
  // True if it is news: a better bound, or one of our own in place of a foreign solver's word. A certificate goes with
  // the bound that it is for.
  bool raise_bound(double bound, std::string proof, bool unverified = false,
                   std::optional<Certificate> certificate = std::nullopt);
  void no_split_exists(std::string proof, std::string reason);

  // What a solver tells, with a value and a bound that hold for the problem and nothing worse than what is known.
  void pass_on(const Progress& progress, double value, double bound) const;
  // What is known now.
  void tell(Progress::Event event, std::size_t groups, const std::string& detail) const;

  // Whether there are few enough to look at every one, probably.
  bool few_splits() const;
  // Looks at every split: then the best is known, or that there is none. Of larger problems, only those without a split
  // so far, whose limits may leave little choice. A second or so.
  void try_every_split();
  // The integer program, started from the split and ended by the first solution that meets the bound. Takes all the
  // time that is left. Its bound is kept, as unverified, only where our own leaves the question open; that there is no
  // split is believed only where every split was looked at.
  IpOutcome ask_integer_program();

  // Value, bound and status, or why there is no split. A foreign solver's bound that the split refutes is withdrawn.
  void settle();

 private:
  const Problem& problem_;
  const PlanOptions& options_;
  Budget& budget_;
  const Sink& sink_;
  Plan& plan_;
  bool measured_ = false;  // plan_.report is that of the split
};

}  // namespace partita::detail
