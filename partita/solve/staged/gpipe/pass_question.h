// SPDX-License-Identifier: Apache-2.0
// One limit for each pass, one answer: is there a staged split whose forward loads, backward loads and loads of both
// passes together are all within their limits? Presolve, then the search over ideals; with one host and no answer in
// time, case by case, as in limit_question.h.
#pragma once

#include <optional>

#include "partita/reduce/pass_graphs.h"
#include "partita/solve/staged/ideal_search.h"

namespace partita {

struct PassLimits {
  double forward = 0, backward = 0, both = 0;
};

struct PassAnswer {
  Answer answer = Answer::Unknown;
  std::vector<Stage> stages;   // if Yes
  bool out_of_memory = false;  // if Unknown: more time would not help
};

// Told of every search: the number of groups searched, and what came of it.
using PassLog = std::function<void(std::size_t, const std::string&)>;

// Precondition: graphs.both.has_closure(). "No" holds for splits within limit * (1 - kRoundingSlack) each. Each search
// may use `slice` ticks of the budget.
PassAnswer ask_passes(const PassGraphs& graphs, const StagePlatform& platform, const PassLimits& limits,
                      std::uint64_t slice, Budget& budget, const PassLog& log);

// The search alone, without presolve.
PassAnswer search_passes(const PassGraphs& graphs, const PassQuestion& question, int window_buckets, Budget& budget);

}  // namespace partita
