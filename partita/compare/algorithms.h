// SPDX-License-Identifier: Apache-2.0
// Every algorithm by name: our solvers, and the baselines that they are compared with.
//
// An entry says which questions it has an answer to, and which splits it searches. compare() runs them and has their
// splits measured by `check`, so that all are judged by the same independent eye. A new baseline is one function
// and one line in the table of algorithms.cpp. Tests: tests/portfolio/algorithms_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "partita/model/problem.h"
#include "partita/model/result.h"
#include "partita/model/split.h"
#include "partita/util/budget.h"
#include "partita/util/progress.h"

namespace partita {

struct AlgorithmOptions {
  std::uint64_t seed = 1;
  int threads = 1;
  std::optional<SplitListing> expert;  // what the algorithm `expert` hands over
};

struct AlgorithmEntry {
  enum class For { Everything, Throughput, Latency };

  std::string_view name;
  std::string_view summary;  // one line, for people
  bool baseline = false;
  For objectives = For::Everything;
  // Throughput: the shape of the splits that it searches, and that its bound is of. Nothing: it does not mind shapes.
  std::optional<Shape> shape;
  // Why it has no answer to some question of its objectives; empty where it has one. Null: it always has.
  std::string (*refusal)(const Problem& problem, const AlgorithmOptions& options) = nullptr;
  // A baseline's result is its split, and perhaps a word on it as the proof. Precondition: no refusal.
  Result (*run)(const Problem& problem, const AlgorithmOptions& options, Budget& budget, const Sink& sink) = nullptr;
};

// In the order in which tables show them: solvers, then baselines.
std::span<const AlgorithmEntry> algorithms();

// Null if there is none of that name.
const AlgorithmEntry* find_algorithm(std::string_view name);

// Whether it is for the problem's objective at all.
bool serves(const AlgorithmEntry& algorithm, const Problem& problem);

// Why it has no answer to the question; empty where it has one.
std::string refusal(const AlgorithmEntry& algorithm, const Problem& problem, const AlgorithmOptions& options);

// Why a comparison leaves it out unless it is named; empty where it is shown. Besides refusals: a solver whose splits
// may not have the shape that was asked for, and `auto` where it is the same search as another entry.
std::string left_out(const AlgorithmEntry& algorithm, const Problem& problem, const AlgorithmOptions& options);

}  // namespace partita
