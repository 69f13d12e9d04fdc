// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/limit_question.h"

#include <fmt/format.h>

#include <algorithm>

#include "partita/reduce/clone_relaxation.h"
#include "partita/reduce/presolve.h"
#include "partita/util/statistics.h"

namespace partita {
namespace {

// With one host: no host at all, or a host after 0, 1, ... accelerators. Empty with none or several.
std::vector<Threshold> host_cases(const Threshold& question) {
  std::vector<Threshold> cases;
  if (question.platform.hosts != 1 || question.host_case) return cases;
  cases.push_back(question);
  cases.back().platform.hosts = 0;
  for (int f = 0; f <= question.platform.accelerators; ++f) {
    cases.push_back(question);
    cases.back().host_case = {f, f};
  }
  return cases;
}

// What to ask of a graph that lost its views, so that "no" to all means "no" to the question. A stage of views alone is
// empty there. So in a case, fewer accelerators may come before the host, and the host itself may hold nothing.
std::vector<Threshold> relaxed_questions(const Threshold& question) {
  if (!question.host_case) return {question};
  Threshold fewer_before = question, empty_host = question;
  fewer_before.host_case->least = 0;
  empty_host.host_case.reset();
  empty_host.platform.hosts = 0;
  return {fewer_before, empty_host};
}

// A host near the start is searched for from the end: what a last device holds is just what is left, while a first one
// may hold any of many sets of cheap groups.
SearchResult search(const StageGraph& graph, const Threshold& question, int buckets, Budget& budget) {
  const int accelerators = question.platform.accelerators;
  const bool backwards = question.host_case && 2 * question.host_case->most < accelerators;
  if (!backwards) return search_ideals(graph, question, buckets, budget);
  Threshold mirrored = question;
  mirrored.host_case = {0, accelerators - question.host_case->most};
  SearchResult result = search_ideals(reversed(graph), mirrored, buckets, budget);
  std::reverse(result.split.stages.begin(), result.split.stages.end());
  for (Stage& stage : result.split.stages) {
    for (GroupId& v : stage.groups) v = GroupId(graph.size() - 1 - v.index());
  }
  return result;
}

class LimitQuestion {
 public:
  LimitQuestion(const StageGraph& graph, std::uint64_t slice, Budget& budget, const SearchLog& log,
                const LimitOptions& options)
      : graph_(graph), slice_(slice), budget_(budget), log_(log), options_(options) {}

  LimitAnswer ask(const Threshold& question) {
    LimitAnswer reply;
    reply.answer = ask_one(question, reply);
    if (reply.answer == Answer::Unknown && options_.settings.host_cases && !budget_.exhausted()) {
      for (const Threshold& one : host_cases(question)) {
        reply.answer = ask_one(one, reply);
        if (reply.answer != Answer::No) break;
      }
    }
    return reply;
  }

 private:
  Answer ask_one(const Threshold& question, LimitAnswer& reply) {
    Budget budget(budget_, slice_);
    const Presolved small = presolve(graph_, question, options_.presolve, budget);
    if (small.infeasible) return Answer::No;
    const CloneRelaxation relaxed = options_.settings.clone_relaxation ? relax_clones(small.graph) : CloneRelaxation();
    if (relaxed.changed()) {
      Technique relaxation(budget, "staged.clone_relaxation", "limits decided");
      const Answer answer = ask_relaxed(small, relaxed, question, budget, reply);
      relaxation.yield(answer != Answer::Unknown);
      if (answer != Answer::Unknown) return answer;
    }
    Technique exact(budget, "staged.search", "limits decided");
    const SearchResult result = search(small.graph, question, buckets(), budget);
    exact.yield(result.answer != Answer::Unknown);
    tell(question, small.graph, result, "");
    reply.out_of_memory = result.out_of_memory;
    if (result.answer == Answer::Yes) offer(reply, small.lift, result.split);
    return result.answer;
  }

  // No: neither has the graph a split. Yes: here is one. Unknown also if the relaxed graph has one that serves for
  // nothing.
  Answer ask_relaxed(const Presolved& small, const CloneRelaxation& relaxed, const Threshold& question, Budget& budget,
                     LimitAnswer& reply) {
    for (const Threshold& one : relaxed_questions(question)) {
      const Presolved smaller = presolve(relaxed.graph, one, options_.presolve, budget);
      if (smaller.infeasible) continue;
      const SearchResult result = search(smaller.graph, one, buckets(), budget);
      tell(one, smaller.graph, result, "relaxed ");
      if (result.answer == Answer::No) continue;
      if (result.answer == Answer::Unknown) return Answer::Unknown;
      std::vector<Stage> stages = lift_relaxed(small.graph, relaxed, lift_stages(smaller.lift, result.split.stages));
      const double value = largest_load(small.graph, stages);
      offer(reply, small.lift, {value, std::move(stages)});
      return value <= question.limit ? Answer::Yes : Answer::Unknown;
    }
    return Answer::No;
  }

  // One bucket tells apart nothing but the empty set and the whole.
  int buckets() const { return options_.settings.windows ? options_.settings.search_buckets : 1; }

  static void offer(LimitAnswer& reply, const Lift& lift, const StagedSplit& split) {
    if (reply.split && reply.split->value <= split.value) return;
    reply.split = StagedSplit{split.value, lift_stages(lift, split.stages)};
  }

  void tell(const Threshold& question, const StageGraph& graph, const SearchResult& result, const char* what) const {
    static constexpr const char* kWords[] = {"yes", "no", "undecided"};
    const std::string host = question.host_case ? fmt::format(", host after {}", question.host_case->most) : "";
    log_(graph.size(), fmt::format("{}limit {:.7g}{}: {} ({} ideals, {} steps)", what, question.limit, host,
                                   kWords[static_cast<int>(result.answer)], result.ideals, result.visited));
  }

  const StageGraph& graph_;
  const std::uint64_t slice_;
  Budget& budget_;
  const SearchLog& log_;
  const LimitOptions& options_;
};

bool refutes_one(const StageGraph& graph, const Threshold& question, Effort effort, const Budget& budget,
                 PresolveSettings options) {
  if (effort == Effort::Quick) {
    options.unaffordable_cut = false;
    options.window_rounds = std::min(options.window_rounds, 1);
  }
  const Presolved small = presolve(graph, question, options, budget);
  return small.infeasible || some_group_fits_nowhere(small.graph, question);
}

}  // namespace

LimitAnswer ask_limit(const StageGraph& graph, const Threshold& question, std::uint64_t slice, Budget& budget,
                      const SearchLog& log, const LimitOptions& options) {
  return LimitQuestion(graph, slice, budget, log, options).ask(question);
}

bool relaxation_refutes(const StageGraph& graph, const Threshold& question, Effort effort, const Budget& budget,
                        const LimitOptions& options) {
  if (refutes_one(graph, question, effort, budget, options.presolve)) return true;
  if (effort == Effort::Quick || !options.settings.host_cases) return false;
  const std::vector<Threshold> cases = host_cases(question);
  return !cases.empty() && std::all_of(cases.begin(), cases.end(), [&](const Threshold& one) {
    return refutes_one(graph, one, effort, budget, options.presolve);
  });
}

}  // namespace partita
