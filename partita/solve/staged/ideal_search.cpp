// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/ideal_search.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

#include "partita/solve/staged/ideal_table.h"
#include "partita/solve/staged/stage_enumerator.h"
#include "partita/util/parallel.h"
#include "partita/util/within_limits.h"

namespace partita::detail {
namespace {

template <class Graphs>
class IdealSearch {
 public:
  IdealSearch(const Graphs& graphs, const QuestionOf<Graphs>& question, const ViewPlaces<Graphs>& places,
              Budget& budget)
      : graphs_(graphs),
        whole_question_(question),
        places_(places),
        graph_(view(graphs, 0)),
        question_(view(question, 0)),
        budget_(budget),
        table_(graphs.size()),
        walkers_(threads_of(budget)),
        k_(question_.platform.accelerators),
        l_(question_.platform.hosts),
        levels_((k_ + 1) * (l_ + 1)) {
    walker(0);
  }

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
    for (const auto& one : walkers_) result.visited += one ? one->source.visited() : 0;
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
  struct Devices {
    int hosts, accelerators;
  };
  // An ideal met by a walk, which has yet to be entered into the table; its bits are with the walker.
  struct Met {
    std::uint64_t hash;
    Amounts amount;
    bool host;
  };
  // What a thread walks with.
  struct Walker {
    StageEnumerator<Graphs> source;
    std::vector<Word> scratch;
    std::vector<Word> bits;  // of all that it met in this round
    std::vector<Met> met;
  };
  // Bases of one level that the threads walk from.
  struct Round {
    std::atomic<std::size_t> end;  // nobody need look at bases from here on: the search ends before
    std::atomic<std::size_t> bytes_met = 0;
  };
  // What came of one base in a round.
  struct Visit {
    bool made = false;  // false: somebody has to walk from there yet
    Answer answer = Answer::No;
    bool host = false;                            // if Yes: the device that takes the rest
    std::size_t walker = 0, first = 0, last = 0;  // what was met
  };
  static constexpr std::uint64_t kTicksPerExpansion = 100;  // a base costs about as much as so many steps of a walk
  static constexpr std::size_t kBasesPerRound = 4096;
  static constexpr std::size_t kBytesPerRound = std::size_t{16} << 20;  // of ideals met: about what caches hold
  static constexpr std::uint32_t kNoParent = static_cast<std::uint32_t>(-1);
  static constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();

  std::vector<std::uint32_t>& level(int c, int f) { return levels_[c * (k_ + 1) + f]; }
  // The fewest accelerators with which an ideal was reached, given the number of hosts.
  std::int32_t& fewest(IdealTable::Index ideal, int c) {
    return fewest_[static_cast<std::size_t>(ideal) * (l_ + 1) + c];
  }
  std::int32_t fewest(IdealTable::Index ideal, int c) const {
    return fewest_[static_cast<std::size_t>(ideal) * (l_ + 1) + c];
  }

  bool reached_with(IdealTable::Index ideal, int c, int f) const {
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

  std::size_t bytes_per_round() const { return std::min(kBytesPerRound, budget_.limits().memory_bytes / 8); }

  // Made when first it is needed: of searches that end soon there are many.
  Walker& walker(std::size_t slot) {
    if (!walkers_[slot]) {
      walkers_[slot].reset(
          new Walker{.source = {graphs_, whole_question_, places_, table_, budget_}, .scratch{}, .bits{}, .met{}});
    }
    return *walkers_[slot];
  }

  Answer expand_level(int c, int f) {
    const std::vector<std::uint32_t>& bases = level(c, f);
    for (std::size_t i = 0; i < bases.size();) {
      const bool share = i + 1 < bases.size() && worth_sharing(budget_, walker(0).source.visited());
      const Answer answer = share ? expand_together(i, {c, f}) : expand(bases[i++], {c, f});
      if (answer != Answer::No) return answer;
    }
    return Answer::No;
  }

  // The devices in use once one more stage follows those of the base; none if it may not.
  std::optional<Devices> after(Devices used, bool host) const {
    const auto [c, f] = used;
    if (host) {
      if (!question_.host_may_follow(c, f)) return std::nullopt;
      return Devices{c + 1, question_.accelerators_with_host(f)};
    }
    if (!question_.accelerator_may_follow(c, f)) return std::nullopt;
    return Devices{c, f + 1};
  }
  bool are_all(Devices used) const { return used.hosts == l_ && used.accelerators == k_; }

  Answer expand(std::uint32_t at, Devices used) {
    if (budget_.exhausted()) return Answer::Unknown;
    Walker& alone = walker(0);
    const IdealTable::Index base = entries_[at].ideal;
    if (superseded(base, used, alone)) return Answer::No;
    budget_.spend(kTicksPerExpansion);
    for (const bool host : {false, true}) {
      const std::optional<Devices> next = after(used, host);
      if (!next) continue;
      // The table grows while it is read, so the base is copied.
      const std::vector<Word> base_bits(table_.bits(base).begin(), table_.bits(base).end());
      if (alone.source.rest_fits(base_bits, host)) return ends_with(at, host);
      if (are_all(*next)) continue;
      const auto take = [&](const Ideal& found) { return enter(found, at, host, *next); };
      if (!alone.source.run({base_bits, table_.hash(base), amounts_[base]}, host, {next->hosts, next->accelerators},
                            take))
        return Answer::Unknown;
    }
    return Answer::No;
  }

  Answer ends_with(std::uint32_t at, bool host) {
    last_ = at;
    last_on_host_ = host;
    return Answer::Yes;
  }

  // An ideal that the devices can hold, the last of them from the base on. False if there is no room for it.
  bool enter(const Ideal& found, std::uint32_t at, bool host, Devices used) {
    bool added;
    const IdealTable::Index ideal = table_.insert(found.bits, found.hash, added);
    if (added) {
      amounts_.push_back(found.amount);
      fewest_.resize(fewest_.size() + l_ + 1, kNever);
    }
    if (!reached_with(ideal, used.hosts, used.accelerators)) keep(ideal, at, host, used.hosts, used.accelerators);
    out_of_memory_ = !budget_.has_room_for(bytes());
    return !out_of_memory_;
  }

  // The same for bases of a level from the i-th on, by all threads: what comes of a base depends on no other of its
  // level. Nobody changes the table while they walk; what they met is then entered in the order of the bases. So all is
  // as if one thread had done it, and the same ideals have the same parents. `i` moves on to the first base not done.
  Answer expand_together(std::size_t& i, Devices used) {
    const std::span<const std::uint32_t> bases =
        std::span(level(used.hosts, used.accelerators))
            .subspan(i)
            .first(std::min(level(used.hosts, used.accelerators).size() - i, kBasesPerRound));
    visits_.assign(bases.size(), {});
    for (const auto& one : walkers_) {
      if (!one) continue;
      one->bits.clear();
      one->met.clear();
    }
    Round round{.end = bases.size()};
    for_each(budget_, bases.size(), [&](std::size_t index, std::size_t slot) {
      if (index >= round.end || round.bytes_met > bytes_per_round()) return;
      Visit& visit = visits_[index];
      visit.walker = slot;
      look_from(entries_[bases[index]].ideal, used, walker(slot), visit, [&](std::size_t bytes) {
        round.bytes_met += bytes;
        return index < round.end && round.bytes_met <= 2 * bytes_per_round();
      });
      if (!visit.made || visit.answer == Answer::No) return;
      std::size_t end = round.end;
      while (index < end && !round.end.compare_exchange_weak(end, index)) {
      }
    });
    // Those that the memory of a round did not suffice for are walked from one by one, or in the next round.
    std::size_t last = bases.size();
    while (last > 1 && !visits_[last - 1].made) --last;
    for (std::size_t index = 0; index < last; ++index, ++i) {
      const Visit& visit = visits_[index];
      const Answer answer = visit.made ? enter_met(visit, bases[index], used) : expand(bases[index], used);
      if (answer != Answer::No) return answer;
    }
    return Answer::No;
  }

  // Into a visit and a walker, of which nobody else knows. `room_for`: may it keep so many bytes more?
  template <class RoomFor>
  void look_from(IdealTable::Index base, Devices used, Walker& walker, Visit& visit, RoomFor room_for) const {
    visit.first = visit.last = walker.met.size();
    visit.made = true;
    visit.answer = Answer::Unknown;
    if (budget_.exhausted()) return;
    visit.answer = Answer::No;
    if (superseded(base, used, walker)) return;
    budget_.spend(kTicksPerExpansion);
    const Ideal from{table_.bits(base), table_.hash(base), amounts_[base]};
    bool fits = true;
    for (const bool host : {false, true}) {
      const std::optional<Devices> next = after(used, host);
      if (!next) continue;
      if (walker.source.rest_fits(from.bits, host)) {
        visit.answer = Answer::Yes;
        visit.host = host;
        break;
      }
      if (are_all(*next)) continue;
      const auto meet = [&](const Ideal& found) {
        const IdealTable::Index known = table_.find(found.bits, found.hash);
        if (known != IdealTable::kNone && reached_with(known, next->hosts, next->accelerators)) return true;
        walker.met.push_back({found.hash, found.amount, host});
        walker.bits.insert(walker.bits.end(), found.bits.begin(), found.bits.end());
        fits = room_for(sizeof(Met) + found.bits.size_bytes());
        return fits;
      };
      if (walker.source.run(from, host, {next->hosts, next->accelerators}, meet)) continue;
      visit.made = fits;
      visit.answer = Answer::Unknown;
      break;
    }
    visit.last = walker.met.size();
  }

  Answer enter_met(const Visit& visit, std::uint32_t at, Devices used) {
    const Walker& by = *walkers_[visit.walker];
    const std::size_t words = words_for(graph_.size());
    for (std::size_t m = visit.first; m < visit.last; ++m) {
      const Met& met = by.met[m];
      const Ideal found{std::span(by.bits).subspan(m * words, words), met.hash, met.amount};
      if (!enter(found, at, met.host, *after(used, met.host))) return Answer::Unknown;
    }
    return visit.answer == Answer::Yes ? ends_with(at, visit.host) : visit.answer;
  }

  // Whether an ideal need not be expanded: it was reached with fewer devices, or the ideal with one more group was, and
  // leaving that group to a later stage spares that stage nothing (see StageEnumerator; here the stages may differ).
  bool superseded(IdealTable::Index ideal, Devices used, Walker& walker) const {
    const auto [c, f] = used;
    if (fewest(ideal, c) < f) return true;
    for (int hosts = 0; hosts < c; ++hosts) {
      if (fewest(ideal, hosts) <= f) return true;
    }
    std::vector<Word>& set = walker.scratch;
    set.assign(table_.bits(ideal).begin(), table_.bits(ideal).end());
    const auto inside = [&](GroupId v) { return test_bit(set, v.index()); };
    for (GroupId v : graph_.all()) {
      if (inside(v)) continue;
      const auto before = graph_.predecessors(v);
      if (!std::all_of(before.begin(), before.end(), inside)) continue;
      if (!walker.source.absorbs(set, v)) continue;
      set_bit(set, v.index());
      const IdealTable::Index larger = table_.find(set, table_.hash(ideal) ^ table_.key(v.index()));
      reset_bit(set, v.index());
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

  const Graphs& graphs_;
  const QuestionOf<Graphs>& whole_question_;
  const ViewPlaces<Graphs>& places_;
  const StageGraph& graph_;
  const Threshold& question_;
  Budget& budget_;
  IdealTable table_;
  std::vector<std::unique_ptr<Walker>> walkers_;  // by slot of a thread; the first is there always
  const int k_, l_;
  std::vector<std::vector<std::uint32_t>> levels_;
  std::vector<Entry> entries_;
  std::vector<Amounts> amounts_;      // by ideal
  std::vector<std::int32_t> fewest_;  // by ideal and hosts
  std::vector<Visit> visits_;         // of this round
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
