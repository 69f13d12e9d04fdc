// SPDX-License-Identifier: Apache-2.0
// Several algorithms on one problem, side by side: what each found, as `check` measured it.
//
// A split is measured for the question that was asked, whatever its algorithm had in mind: one that breaks a rule keeps
// its value and says which rule. Ratios are to the best value of a legal split, so a split that breaks a rule may be
// below 1. A bound is of the shape that its algorithm searches, which may be narrower than the question's.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "partita/model/problem.h"
#include "partita/model/result.h"

namespace partita {

struct AlgorithmRun {
  enum class Outcome {
    Split,          // found one, legal or not
    NoSplit,        // ran, and found none; `reason` says why
    Infeasible,     // proved that there is none
    NotApplicable,  // has no answer to this question; `reason` says why
    Interrupted,    // was not begun any more
  };

  std::string algorithm;
  bool baseline = false;  // somebody else's idea, or nobody's
  Outcome outcome = Outcome::NotApplicable;
  std::string reason;  // why there is no split
  double seconds = 0;  // wall time, without measuring the split

  // Outcome::Split:
  std::optional<Split> split;
  double value = std::numeric_limits<double>::infinity();
  bool legal = false;
  std::string fault;                    // not legal: which rules are broken and by how much, in a few words
  std::vector<std::string> violations;  // the same in full, one line each; the first few
  std::size_t violation_count = 0;
  std::optional<Shape> shape;  // throughput: the narrowest that the split has

  // What was proved, if anything:
  double bound = 0;
  std::optional<Shape> bound_shape;  // throughput: of which splits
  bool optimal = false;              // the value is the best of those
  std::string proof;                 // how; of a baseline, what else is to be said
  bool unverified = false;           // as in Result: a foreign solver's word

  bool ran() const { return outcome != Outcome::NotApplicable && outcome != Outcome::Interrupted; }
  double gap() const;  // (value - bound) / value; 1 without a split, 0 for a value of 0
};

struct Comparison {
  std::string name;     // of the workload
  std::string subject;  // the workload and its devices in one line
  std::size_t nodes = 0;
  std::size_t edges = 0;
  Objective objective = Objective::MaxLoad;
  Shape shape = Shape::Staged;
  std::vector<AlgorithmRun> runs;
  std::string time_unit = {};  // of values and bounds, as in Workload

  // The smallest value of a legal split; infinite if there is none.
  double best() const;
  // value / best(); nothing where either is missing. Two values of 0 are equal.
  std::optional<double> ratio(const AlgorithmRun& run) const;
  // All runs as one answer to the question: the first of the best legal splits, and the best bound that holds for the
  // question's shape. `seconds` is the time of all.
  Result answer() const;
  // Some algorithm proved that there is no legal split, and none found one.
  bool infeasible() const;
};

// One algorithm over several workloads: the geometric mean of its ratios.
struct MeanRatio {
  double ratio = 0;
  std::size_t workloads = 0;  // with a ratio
  bool legal = true;          // all of those splits are
};

// Nothing if no workload has a ratio, or one of them is 0.
std::optional<MeanRatio> mean_ratio(const std::vector<Comparison>& comparisons, const std::string& algorithm);

// True if every split of shape `a` also has shape `b`.
bool implies(Shape a, Shape b);

const char* to_string(AlgorithmRun::Outcome outcome);

}  // namespace partita
