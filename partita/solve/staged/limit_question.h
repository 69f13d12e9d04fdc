// SPDX-License-Identifier: Apache-2.0
// One question, one answer: is there a staged split of the graph with every load within the limits?
//
// `Graphs` is a StageGraph, with one limit on every load, or PassGraphs, with a limit on each pass and on both
// together. Smaller graphs whose loads are no larger are asked first (reduce/shrink.h), and only if these say yes without
// a real split to show, or take too long, the graph itself. Once a search was undecided, boundaries of
// stages are looked at before each search (before_search.h). With one host and no answer in time, it is asked again case
// by case:
// no host, and a host after 0, 1, 2, ... accelerators; a case is narrower and often quick.
// Tests: tests/solve/limit_question_test.cpp, gpipe_search_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "partita/solve/staged/before_search.h"
#include "partita/solve/staged/ideal_search.h"

namespace partita::detail {

struct LimitAnswer {
  Answer answer = Answer::Unknown;
  std::optional<StagedSplit> split;  // of the graph given: within the limits if Yes, else just a split met on the way
  bool out_of_memory = false;        // if Unknown: more time would not help
};

// Told of every search: the number of groups searched, and what came of it.
using SearchLog = std::function<void(std::size_t, const std::string&)>;

// What questions about one graph have shown so far, so that none is asked in vain again: of a shrunk graph that has a
// split within some limits, no larger ones are asked.
class ShrunkAnswers {
 public:
  static constexpr std::size_t kKinds = 4;

  template <class Question>  // Threshold or PassQuestion, always the same
  bool may_say_no(std::size_t kind, const Question& question) const {
    const Limits asked = limits_of(question);
    return std::none_of(yes_[kind].begin(), yes_[kind].end(), [&](const Limits& yes) { return within(yes, asked); });
  }
  template <class Question>
  void said_yes(std::size_t kind, const Question& question) {
    const Limits limits = limits_of(question);
    std::erase_if(yes_[kind], [&](const Limits& yes) { return within(limits, yes); });
    yes_[kind].push_back(limits);
  }

 private:
  using Limits = std::array<double, kViewsOf<PassGraphs>>;  // by view; one limit is that of all

  template <class Question>
  static Limits limits_of(const Question& question) {
    Limits limits;
    for (std::size_t v = 0; v < limits.size(); ++v) limits[v] = view(question, v).limit;
    return limits;
  }
  static bool within(const Limits& a, const Limits& b) {
    return std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return x <= y; });
  }

  std::array<std::vector<Limits>, kKinds> yes_;
};

// "No" holds for splits within limit * (1 - kRoundingSlack). Each search may use `slice` ticks of the budget. `known` is
// of earlier questions about the same graph and devices.
template <class Graphs>
LimitAnswer ask_limit(const Graphs& graphs, const QuestionOf<Graphs>& question, std::uint64_t slice, Budget& budget,
                      const SearchLog& log, const LimitOptions& options = {}, ShrunkAnswers* known = nullptr);

enum class Effort { Quick, Full };

// Can presolve and windows alone say no? Never says so just because the budget ended.
bool relaxation_refutes(const StageGraph& graph, const Threshold& question, Effort effort, const Budget& budget,
                        const LimitOptions& options = {});

// The shrunk graph for this limit and smaller ones, if it is much smaller. Windows see more where less floats, so it
// mostly tells as much as the graph itself, and sooner.
std::optional<StageGraph> much_smaller(const StageGraph& graph, const Threshold& question, const Budget& budget);
// The same as relaxation_refutes, where the graph asked is a shrunk one: true if the one that it was made of has no
// split.
bool relaxation_refutes_shrunk(const StageGraph& shrunk, const Threshold& question, const Budget& budget,
                               const LimitOptions& options = {});

}  // namespace partita::detail
