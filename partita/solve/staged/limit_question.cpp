// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/limit_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "partita/reduce/clone_relaxation.h"
#include "partita/reduce/presolve.h"
#include "partita/util/parallel.h"
#include "partita/util/statistics.h"

namespace partita::detail {
namespace {

template <class Question, class Change>
void change_views(Question& question, Change change) {
  if constexpr (std::is_same_v<Question, PassQuestion>) {
    for (Threshold& one : question.pass) change(one);
    change(question.both);
  } else {
    change(question);
  }
}

// With one host: no host at all, or a host after 0, 1, ... accelerators. Empty with none or several.
template <class Question>
std::vector<Question> host_cases(const Question& question) {
  const Threshold& whole = view(question, 0);
  if (whole.platform.hosts != 1 || whole.host_case) return {};
  std::vector<Question> cases(1, question);
  change_views(cases[0], [](Threshold& one) { one.platform.hosts = 0; });
  for (int f = 0; f <= whole.platform.accelerators; ++f) {
    cases.push_back(question);
    change_views(cases.back(), [&](Threshold& one) { one.host_case = {f, f}; });
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
template <class Graphs>
SearchResult search(Presolved<Graphs>& small, const QuestionOf<Graphs>& question, const LimitOptions& options,
                    Budget& budget) {
  // One bucket tells apart nothing but the empty set and the whole.
  const int buckets = options.settings.windows ? options.settings.search_buckets : 1;
  // By default as fine as the finest of presolve, whose windows then need not be made again.
  const bool same = buckets == PresolveSettings::kMostRefined * options.presolve.window_buckets;
  const Threshold& whole = view(question, 0);
  const int accelerators = whole.platform.accelerators;
  const bool backwards = whole.host_case && 2 * whole.host_case->most < accelerators;
  if (!backwards)
    return search_ideals(small.graph, question, buckets, same ? std::move(small.places) : ViewPlaces<Graphs>{}, budget);
  QuestionOf<Graphs> mirrored = question;
  change_views(mirrored, [&](Threshold& one) { one.host_case = {0, accelerators - whole.host_case->most}; });
  SearchResult result = search_ideals(reversed(small.graph), mirrored, buckets, {}, budget);
  std::reverse(result.split.stages.begin(), result.split.stages.end());
  for (Stage& stage : result.split.stages) {
    for (GroupId& v : stage.groups) v = GroupId(small.graph.size() - 1 - v.index());
  }
  return result;
}

std::string text_of(const Threshold& question) { return fmt::format("limit {:.7g}", question.limit); }
std::string text_of(const PassQuestion& question) {
  return fmt::format("forward {:.7g}, backward {:.7g}", question.pass[0].limit, question.pass[1].limit);
}

template <class Graphs>
class LimitQuestion {
 public:
  using Question = QuestionOf<Graphs>;

  LimitQuestion(const Graphs& graphs, std::uint64_t slice, Budget& budget, const SearchLog& log,
                const LimitOptions& options)
      : graphs_(graphs), slice_(slice), budget_(budget), log_(log), options_(options) {}

  LimitAnswer ask(const Question& question) {
    LimitAnswer reply;
    reply.answer = ask_one(question, reply);
    if (reply.answer == Answer::Unknown && options_.settings.host_cases && !budget_.exhausted()) {
      for (const Question& one : host_cases(question)) {
        reply.answer = ask_one(one, reply);
        if (reply.answer != Answer::No) break;
      }
    }
    return reply;
  }

 private:
  Answer ask_one(const Question& question, LimitAnswer& reply) {
    Budget budget(budget_, slice_);
    Presolved<Graphs> small = presolve(graphs_, question, options_.presolve, budget);
    if (small.infeasible) return Answer::No;
    if constexpr (kPassesOf<Graphs> == 1) {
      const CloneRelaxation relaxed =
          options_.settings.clone_relaxation ? relax_clones(small.graph) : CloneRelaxation();
      if (relaxed.changed()) {
        Technique relaxation(budget, "staged.clone_relaxation", "limits decided");
        const Answer answer = ask_relaxed(small, relaxed, question, budget, reply);
        relaxation.yield(answer != Answer::Unknown);
        if (answer != Answer::Unknown) return answer;
      }
    }
    Technique exact(budget, "staged.search", "limits decided");
    const SearchResult result = search(small, question, options_, budget);
    exact.yield(result.answer != Answer::Unknown);
    tell(question, small.graph.size(), result, "");
    reply.out_of_memory = result.out_of_memory;
    if (result.answer == Answer::Yes) offer(reply, small.lift, result.split);
    return result.answer;
  }

  // No: neither has the graph a split. Yes: here is one. Unknown also if the relaxed graph has one that serves for
  // nothing.
  Answer ask_relaxed(const Presolved<StageGraph>& small, const CloneRelaxation& relaxed, const Threshold& question,
                     Budget& budget, LimitAnswer& reply) {
    for (const Threshold& one : relaxed_questions(question)) {
      Presolved<StageGraph> smaller = presolve(relaxed.graph, one, options_.presolve, budget);
      if (smaller.infeasible) continue;
      const SearchResult result = search(smaller, one, options_, budget);
      tell(one, smaller.graph.size(), result, "relaxed ");
      if (result.answer == Answer::No) continue;
      if (result.answer == Answer::Unknown) return Answer::Unknown;
      std::vector<Stage> stages = lift_relaxed(small.graph, relaxed, lift_stages(smaller.lift, result.split.stages));
      const double value = largest_load(small.graph, stages);
      offer(reply, small.lift, {value, std::move(stages)});
      return value <= question.limit ? Answer::Yes : Answer::Unknown;
    }
    return Answer::No;
  }

  static void offer(LimitAnswer& reply, const Lift& lift, const StagedSplit& split) {
    if (reply.split && reply.split->value <= split.value) return;
    reply.split = StagedSplit{split.value, lift_stages(lift, split.stages)};
  }

  template <class AnyQuestion>
  void tell(const AnyQuestion& question, std::size_t groups, const SearchResult& result, const char* what) const {
    static constexpr const char* kWords[] = {"yes", "no", "undecided"};
    const auto& host_case = view(question, 0).host_case;
    log_(groups, fmt::format("{}{}{}: {} ({} ideals, {} steps)", what, text_of(question),
                             host_case ? fmt::format(", host after {}", host_case->most) : "",
                             kWords[static_cast<int>(result.answer)], result.ideals, result.visited));
  }

  const Graphs& graphs_;
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
  const Presolved<StageGraph> small = presolve(graph, question, options, budget);
  return small.infeasible || some_group_fits_nowhere(small.graph, question);
}

// Side by side, where there are threads; none is begun once one was not refuted.
bool refutes_all(const StageGraph& graph, const std::vector<Threshold>& cases, Effort effort, const Budget& budget,
                 const PresolveSettings& options) {
  std::atomic<bool> all = true;
  for_each(budget, cases.size(), [&](std::size_t i, std::size_t) {
    if (all && !refutes_one(graph, cases[i], effort, budget, options)) all = false;
  });
  return all;
}

}  // namespace

template <class Graphs>
LimitAnswer ask_limit(const Graphs& graphs, const QuestionOf<Graphs>& question, std::uint64_t slice, Budget& budget,
                      const SearchLog& log, const LimitOptions& options) {
  return LimitQuestion<Graphs>(graphs, slice, budget, log, options).ask(question);
}

template LimitAnswer ask_limit(const StageGraph&, const Threshold&, std::uint64_t, Budget&, const SearchLog&,
                               const LimitOptions&);
template LimitAnswer ask_limit(const PassGraphs&, const PassQuestion&, std::uint64_t, Budget&, const SearchLog&,
                               const LimitOptions&);

bool relaxation_refutes(const StageGraph& graph, const Threshold& question, Effort effort, const Budget& budget,
                        const LimitOptions& options) {
  if (refutes_one(graph, question, effort, budget, options.presolve)) return true;
  if (effort == Effort::Quick || !options.settings.host_cases) return false;
  const std::vector<Threshold> cases = host_cases(question);
  return !cases.empty() && refutes_all(graph, cases, effort, budget, options.presolve);
}

}  // namespace partita::detail
