// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/limit_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "partita/reduce/presolve.h"
#include "partita/reduce/shrink.h"
#include "partita/solve/staged/before_search.h"
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

// What to ask of a graph that lost groups, so that "no" to all means "no" to the question. A stage of lost groups alone
// is empty there. So in a case, fewer accelerators may come before the host, and the host itself may hold nothing.
template <class Question>
std::vector<Question> relaxed_questions(const Question& question) {
  if (!view(question, 0).host_case) return {question};
  Question fewer_before = question, empty_host = question;
  change_views(fewer_before, [](Threshold& one) { one.host_case->least = 0; });
  change_views(empty_host, [](Threshold& one) {
    one.host_case.reset();
    one.platform.hosts = 0;
  });
  return {fewer_before, empty_host};
}

// What every split that answers yes answers yes to at least one of. Empty where there are no cases.
std::vector<Threshold> relaxed_host_cases(const Threshold& question) {
  std::vector<Threshold> cases;
  for (const Threshold& one : host_cases(question)) {
    // All cases share that of an empty host, which is the first.
    cases.push_back(relaxed_questions(one).front());
  }
  return cases;
}

constexpr std::size_t kBeforePresolve = std::size(kShrinkDoses);  // the largest dose for the graph as it was given
static_assert(kBeforePresolve + 1 == ShrunkAnswers::kKinds);
constexpr std::size_t kItself = ShrunkAnswers::kKinds;  // not shrunk

// Worth asking before the graph itself is asked.
template <class Graphs>
bool is_smaller(const Shrunk<Graphs>& shrunk, const Graphs& graphs) {
  return 8 * shrunk.removed.size() > graphs.size();
}

// Worth asking before the graph itself is presolved.
template <class Graphs>
bool is_much_smaller(const Shrunk<Graphs>& shrunk, const Graphs& graphs) {
  return 4 * shrunk.removed.size() > graphs.size();
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

// In every view.
template <class Graphs>
bool within_limits_of(const Graphs& graphs, const QuestionOf<Graphs>& question, const std::vector<Stage>& stages) {
  for (std::size_t v = 0; v < kViewsOf<Graphs>; ++v) {
    if (largest_load(view(graphs, v), stages) > view(question, v).limit) return false;
  }
  return true;
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
                const LimitOptions& options, ShrunkAnswers* known)
      : graphs_(graphs), slice_(slice), budget_(budget), log_(log), options_(options), known_(known) {}

  LimitAnswer ask(const Question& question) {
    LimitAnswer reply;
    reply.answer = ask_one(question, reply);
    SearchHistory* const history = options_.history;
    if (reply.answer == Answer::Unknown && history && !history->undecided) {
      history->undecided = true;
      too_hard_ = false;
      if (options_.settings.boundaries && !budget_.exhausted()) reply.answer = ask_one(question, reply);
    }
    if (reply.answer == Answer::Unknown && options_.settings.host_cases && !budget_.exhausted()) {
      known_ = nullptr;  // that is about all splits, not about those of a case
      for (const Question& one : host_cases(question)) {
        reply.answer = ask_one(one, reply);
        if (reply.answer != Answer::No) break;
      }
    }
    return reply;
  }

 private:
  // Cheap refutations first: the smallest graph, straight from the graph given; then presolve of the graph itself, and
  // what it can be shrunk to after that, which loses less; then the graph itself.
  Answer ask_one(const Question& question, LimitAnswer& reply) {
    Budget budget(budget_, slice_);
    too_hard_ = false;
    Answer answer = ask_much_smaller(question, budget, reply);
    if (answer != Answer::Unknown) return answer;
    Presolved<Graphs> small = presolved(graphs_, question, budget);
    if (small.infeasible) return Answer::No;
    answer = ask_shrunk(small, question, budget, reply);
    if (answer != Answer::Unknown) return answer;
    if (refuted_before_search(small, kItself, question, options_, budget)) return Answer::No;
    Technique exact(budget, "staged.search", "limits decided");
    const SearchResult result = search(small, question, options_, budget);
    exact.yield(result.answer != Answer::Unknown);
    tell(question, small.graph.size(), result, "");
    reply.out_of_memory = result.out_of_memory;
    if (result.answer == Answer::Yes) offer(reply, small.lift, result.split, true);
    return result.answer;
  }

  Answer ask_much_smaller(const Question& question, Budget& budget, LimitAnswer& reply) {
    if (!shrinks() || !may_say_no(kBeforePresolve, question)) return Answer::Unknown;
    Technique relaxation(budget, "staged.shrink", "limits decided");
    const Shrunk<Graphs> shrunk = shrink(graphs_, question, kShrinkDoses[0], budget);
    if (!is_much_smaller(shrunk, graphs_)) return Answer::Unknown;
    Lift as_given(graphs_.size());
    for (GroupId v : as_given.all()) as_given[v] = v;
    Budget half(budget, slice_ / 2);
    const Answer answer = ask_smaller(graphs_, as_given, shrunk, kBeforePresolve, question, half, reply);
    relaxation.yield(answer != Answer::Unknown);
    too_hard_ = half.exhausted();
    return answer;
  }

  // Of two passes, only once a search was undecided: a shrunk graph says no less often there, and most searches are
  // short. [InceptionV3, training, layers: 3.9 s instead of 6.7.]
  bool shrinks() const {
    const bool worth_it = kViewsOf<Graphs> == 1 || !options_.history || options_.history->undecided;
    return options_.settings.shrink && worth_it;
  }

  bool may_say_no(std::size_t kind, const Question& question) const {
    return !known_ || known_->may_say_no(kind, question);
  }

  // The smallest graph first. Its "no" is one; if it has a split that serves for nothing, the next loses less. If it
  // takes too long, so would the next; then the other half of the slice is for views alone and for the graph itself.
  Answer ask_shrunk(const Presolved<Graphs>& small, const Question& question, Budget& budget, LimitAnswer& reply) {
    if (!shrinks()) return Answer::Unknown;
    Technique relaxation(budget, "staged.shrink", "limits decided");
    std::size_t removed = 0;
    for (std::size_t i = 0; i < std::size(kShrinkDoses); ++i) {
      if (!may_say_no(i, question) || (too_hard_ && !kShrinkDoses[i].views_only())) continue;
      const Shrunk<Graphs> shrunk = shrink(small.graph, question, kShrinkDoses[i], budget);
      if (!shrunk.changed() || shrunk.removed.size() == removed) continue;
      if (!kShrinkDoses[i].views_only() && !is_smaller(shrunk, small.graph)) continue;
      removed = shrunk.removed.size();
      Budget half(budget, !kShrinkDoses[i].views_only() ? slice_ / 2 : slice_);
      const Answer answer = ask_smaller(small.graph, small.lift, shrunk, i, question, half, reply);
      relaxation.yield(answer != Answer::Unknown);
      if (answer != Answer::Unknown) return answer;
      too_hard_ = half.exhausted();
    }
    return Answer::Unknown;
  }

  // No: neither has the graph a split. Yes: here is one. Unknown also if the shrunk graph has one that serves for
  // nothing.
  Answer ask_smaller(const Graphs& large, const Lift& lift, const Shrunk<Graphs>& shrunk, std::size_t kind,
                     const Question& question, Budget& budget, LimitAnswer& reply) {
    for (const Question& one : relaxed_questions(question)) {
      Presolved<Graphs> smaller = presolved(shrunk.graph, one, budget);
      if (smaller.infeasible || refuted_before_search(smaller, kind, one, options_, budget)) continue;
      const SearchResult result = search(smaller, one, options_, budget);
      tell(one, smaller.graph.size(), result, "shrunk, ");
      if (result.answer == Answer::No) continue;
      if (result.answer == Answer::Unknown) return Answer::Unknown;
      if (known_) known_->said_yes(kind, question);
      std::vector<Stage> stages = lift_shrunk(large, shrunk, lift_stages(smaller.lift, result.split.stages));
      if (!legal_stages(view(large, 0), view(question, 0).platform, stages)) return Answer::Unknown;
      const bool serves = within_limits_of(large, question, stages);
      const double value = pass_value(large, stages).sum();
      offer(reply, lift, {value, std::move(stages)}, serves);
      return serves ? Answer::Yes : Answer::Unknown;
    }
    return Answer::No;
  }

  // Its ticks do not count for the slice, which is for what comes after it, but for whoever takes turns with the search.
  Presolved<Graphs> presolved(const Graphs& graphs, const Question& question, const Budget& budget) {
    budget_.spend(kPresolveTicksPerGroup * view(graphs, 0).size());
    return presolve(graphs, question, options_.presolve, budget);
  }

  // One that answers yes goes before any met on the way: of two passes, it may cost more in the sum.
  static void offer(LimitAnswer& reply, const Lift& lift, const StagedSplit& split, bool serves) {
    if (!serves && reply.split && reply.split->value <= split.value) return;
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
  ShrunkAnswers* known_;   // may be null
  bool too_hard_ = false;  // a shrunk graph was not decided in half a slice
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

// Side by side, where there are threads; none is begun once one was not refuted. No cases: nothing refuted.
bool refutes_all(const StageGraph& graph, const std::vector<Threshold>& cases, const Budget& budget,
                 const PresolveSettings& options) {
  std::atomic<bool> all = !cases.empty();
  for_each(budget, cases.size(), [&](std::size_t i, std::size_t) {
    if (all && !refutes_one(graph, cases[i], Effort::Full, budget, options)) all = false;
  });
  return all;
}

}  // namespace

template <class Graphs>
LimitAnswer ask_limit(const Graphs& graphs, const QuestionOf<Graphs>& question, std::uint64_t slice, Budget& budget,
                      const SearchLog& log, const LimitOptions& options, ShrunkAnswers* known) {
  return LimitQuestion<Graphs>(graphs, slice, budget, log, options, known).ask(question);
}

template LimitAnswer ask_limit(const StageGraph&, const Threshold&, std::uint64_t, Budget&, const SearchLog&,
                               const LimitOptions&, ShrunkAnswers*);
template LimitAnswer ask_limit(const PassGraphs&, const PassQuestion&, std::uint64_t, Budget&, const SearchLog&,
                               const LimitOptions&, ShrunkAnswers*);

bool relaxation_refutes(const StageGraph& graph, const Threshold& question, Effort effort, const Budget& budget,
                        const LimitOptions& options) {
  if (refutes_one(graph, question, effort, budget, options.presolve)) return true;
  if (effort == Effort::Quick || !options.settings.host_cases) return false;
  return refutes_all(graph, host_cases(question), budget, options.presolve);
}

std::optional<StageGraph> much_smaller(const StageGraph& graph, const Threshold& question, const Budget& budget) {
  Shrunk<StageGraph> shrunk = shrink(graph, question, kShrinkDoses[0], budget);
  if (!is_much_smaller(shrunk, graph)) return std::nullopt;
  return std::move(shrunk.graph);
}

bool relaxation_refutes_shrunk(const StageGraph& shrunk, const Threshold& question, const Budget& budget,
                               const LimitOptions& options) {
  return refutes_one(shrunk, question, Effort::Full, budget, options.presolve) ||
         (options.settings.host_cases && refutes_all(shrunk, relaxed_host_cases(question), budget, options.presolve));
}

}  // namespace partita::detail
