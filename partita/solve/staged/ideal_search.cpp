// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/ideal_search.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "partita/solve/staged/ideal_table.h"
#include "partita/solve/staged/stage_enumerator.h"
#include "partita/util/within_limits.h"

namespace partita::detail {
namespace {

template <class Graphs>
class IdealSearch {
 public:
  IdealSearch(const Graphs& graphs, const QuestionOf<Graphs>& question, const ViewPlaces<Graphs>& places,
              Budget& budget)
      : graph_(view(graphs, 0)),
        question_(view(question, 0)),
        budget_(budget),
        table_(graphs.size()),
        source_(graphs, question, places, table_, budget),
        k_(question_.platform.accelerators),
        l_(question_.platform.hosts),
        levels_((k_ + 1) * (l_ + 1)) {}

  SearchResult run() {
    SearchResult result;
    bool added;
    const std::vector<Word> empty(words_for(graph_.size()), 0);
    table_.insert(empty, 0, added);
    fewest_.assign(l_ + 1, kNever);
    amounts_.emplace_back();
    keep(0, kNoParent, false, 0, 0);
    result.answer = Answer::No;
    for (int c = 0; c <= l_ && result.answer == Answer::No; ++c) {
      for (int f = 0; f <= k_ && result.answer == Answer::No; ++f) result.answer = expand_level(c, f);
    }
    if (result.answer == Answer::Yes) result.split = read_off();
    result.out_of_memory = out_of_memory_;
    result.ideals = table_.size();
    result.visited = source_.visited();
    return result;
  }

 private:
  struct Entry {
    IdealTable::Index ideal;
    std::uint32_t parent;  // an entry, or kNoParent
    bool host;             // the device of the last stage
  };
  using Ideal = typename StageEnumerator<Graphs>::Ideal;
  using Amounts = typename StageEnumerator<Graphs>::Amounts;
  static constexpr std::uint64_t kTicksPerExpansion = 100;  // a base costs about as much as so many steps of a walk
  static constexpr std::uint32_t kNoParent = static_cast<std::uint32_t>(-1);
  static constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();

  std::vector<std::uint32_t>& level(int c, int f) { return levels_[c * (k_ + 1) + f]; }
  // The fewest accelerators with which an ideal was reached, given the number of hosts.
  std::int32_t& fewest(IdealTable::Index ideal, int c) {
    return fewest_[static_cast<std::size_t>(ideal) * (l_ + 1) + c];
  }

  bool reached_with(IdealTable::Index ideal, int c, int f) {
    for (int hosts = 0; hosts <= c; ++hosts) {
      if (fewest(ideal, hosts) <= f) return true;
    }
    return false;
  }

  void keep(IdealTable::Index ideal, std::uint32_t parent, bool host, int c, int f) {
    fewest(ideal, c) = static_cast<std::int32_t>(f);
    level(c, f).push_back(static_cast<std::uint32_t>(entries_.size()));
    entries_.push_back({ideal, parent, host});
  }

  Answer expand_level(int c, int f) {
    for (std::size_t i = 0; i < level(c, f).size(); ++i) {
      const std::uint32_t at = level(c, f)[i];
      if (budget_.exhausted()) return Answer::Unknown;
      if (superseded(entries_[at].ideal, c, f)) continue;
      budget_.spend(kTicksPerExpansion);
      for (const bool host : {false, true}) {
        if (!(host ? question_.host_may_follow(c, f) : question_.accelerator_may_follow(c, f))) continue;
        const Answer answer =
            host ? expand(at, true, c + 1, question_.accelerators_with_host(f)) : expand(at, false, c, f + 1);
        if (answer != Answer::No) return answer;
      }
    }
    return Answer::No;
  }

  Answer expand(std::uint32_t at, bool host, int c, int f) {
    const IdealTable::Index base = entries_[at].ideal;
    // The table grows while it is read, so the base is copied.
    const std::vector<Word> base_bits(table_.bits(base).begin(), table_.bits(base).end());
    if (source_.rest_fits(base_bits, host)) {
      last_ = at;
      last_on_host_ = host;
      return Answer::Yes;
    }
    if (c == l_ && f == k_) return Answer::No;
    const auto take = [&](const Ideal& found) {
      bool added;
      const IdealTable::Index ideal = table_.insert(found.bits, found.hash, added);
      if (added) {
        amounts_.push_back(found.amount);
        fewest_.resize(fewest_.size() + l_ + 1, kNever);
      }
      if (!reached_with(ideal, c, f)) keep(ideal, at, host, c, f);
      out_of_memory_ = !budget_.has_room_for(bytes());
      return !out_of_memory_;
    };
    const bool complete = source_.run({base_bits, table_.hash(base), amounts_[base]}, host, {c, f}, take);
    return complete ? Answer::No : Answer::Unknown;
  }

  // Whether an ideal need not be expanded: it was reached with fewer devices, or the ideal with one more group was, and
  // leaving that group to a later stage spares that stage nothing (see StageEnumerator; here the stages may differ).
  bool superseded(IdealTable::Index ideal, int c, int f) {
    if (fewest(ideal, c) < f) return true;
    for (int hosts = 0; hosts < c; ++hosts) {
      if (fewest(ideal, hosts) <= f) return true;
    }
    scratch_.assign(table_.bits(ideal).begin(), table_.bits(ideal).end());
    const auto inside = [&](GroupId v) { return test_bit(scratch_, v.index()); };
    for (GroupId v : graph_.all()) {
      if (inside(v)) continue;
      const auto before = graph_.predecessors(v);
      if (!std::all_of(before.begin(), before.end(), inside)) continue;
      if (!source_.absorbs(scratch_, v)) continue;
      set_bit(scratch_, v.index());
      const IdealTable::Index larger = table_.find(scratch_, table_.hash(ideal) ^ table_.key(v.index()));
      reset_bit(scratch_, v.index());
      if (larger != IdealTable::kNone && reached_with(larger, c, f)) return true;
    }
    return false;
  }

  StagedSplit read_off() const {
    StagedSplit split;
    const auto stage_between = [&](const std::vector<GroupId>& groups, bool host) {
      split.stages.push_back({host, groups});
    };
    const auto difference = [&](IdealTable::Index from, std::optional<IdealTable::Index> to) {
      std::vector<GroupId> groups;
      for (GroupId v : graph_.all()) {
        const bool in = !to || test_bit(table_.bits(*to), v.index());
        if (in && !test_bit(table_.bits(from), v.index())) groups.push_back(v);
      }
      return groups;
    };
    stage_between(difference(entries_[last_].ideal, std::nullopt), last_on_host_);
    for (std::uint32_t at = last_; entries_[at].parent != kNoParent; at = entries_[at].parent) {
      stage_between(difference(entries_[entries_[at].parent].ideal, entries_[at].ideal), entries_[at].host);
    }
    std::reverse(split.stages.begin(), split.stages.end());
    split.value = largest_load(graph_, split.stages);
    return split;
  }

  std::size_t bytes() const {
    return table_.bytes() + entries_.capacity() * sizeof(Entry) + amounts_.capacity() * sizeof(Amounts) +
           fewest_.capacity() * sizeof(std::int32_t);
  }

  const StageGraph& graph_;
  const Threshold& question_;
  Budget& budget_;
  IdealTable table_;
  StageEnumerator<Graphs> source_;
  const int k_, l_;
  std::vector<std::vector<std::uint32_t>> levels_;
  std::vector<Entry> entries_;
  std::vector<Amounts> amounts_;      // by ideal
  std::vector<std::int32_t> fewest_;  // by ideal and hosts
  std::vector<Word> scratch_;
  std::uint32_t last_ = 0;
  bool last_on_host_ = false;
  bool out_of_memory_ = false;
};

// Builds the windows that are missing. False if one of them shows that there is no split within the limits.
template <class Graphs>
bool complete(ViewPlaces<Graphs>& places, const Graphs& graphs, const QuestionOf<Graphs>& question, int buckets,
              const Budget& budget) {
  const auto build = [&](std::size_t v, Windows::Measure measure, std::optional<Places>& to) {
    if (!to) to = Windows(view(graphs, v), view(question, v), {buckets, measure, true}, budget);
    return to->feasible();
  };
  for (std::size_t v = 0; v < kViewsOf<Graphs>; ++v) {
    if (has_windows(graphs, question, v) && !build(v, Windows::Measure::Time, places.time[v])) return false;
  }
  return view(graphs, 0).total_memory() <= view(question, 0).platform.accelerator_memory ||
         build(0, Windows::Measure::Memory, places.memory);
}

}  // namespace

template <class Graphs>
SearchResult search_ideals(const Graphs& graphs, const QuestionOf<Graphs>& question, int window_buckets,
                           ViewPlaces<Graphs> known, Budget& budget) {
  SearchResult result;
  if (some_group_fits_nowhere(graphs, question) || !complete(known, graphs, question, window_buckets, budget)) {
    result.answer = Answer::No;
    return result;
  }
  result.out_of_memory =
      !within_limits(budget, [&] { result = IdealSearch<Graphs>(graphs, question, known, budget).run(); }) ||
      result.out_of_memory;
  return result;
}

template SearchResult search_ideals(const StageGraph&, const Threshold&, int, ViewPlaces<StageGraph>, Budget&);
template SearchResult search_ideals(const PassGraphs&, const PassQuestion&, int, ViewPlaces<PassGraphs>, Budget&);

}  // namespace partita::detail
