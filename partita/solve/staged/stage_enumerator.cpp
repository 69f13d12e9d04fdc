// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/stage_enumerator.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "partita/reduce/never.h"
#include "partita/solve/staged/staged_split.h"

namespace partita::detail {
namespace {

enum State : char { kUndecided, kIn, kOut };
constexpr std::uint64_t kStepsPerLook = 4096;  // between looks at the clock
// A step is a tick, and so are three groups left out: on wide graphs a step leaves out dozens.
constexpr std::uint64_t kExclusionsPerTick = 3;
constexpr std::int32_t kNotCandidate = -1, kOutside = -2, kForced = -3;

template <std::size_t N>
void add(std::array<double, N>& to, const std::array<double, N>& more) {
  for (std::size_t i = 0; i < N; ++i) to[i] += more[i];
}
template <std::size_t N>
void subtract(std::array<double, N>& from, const std::array<double, N>& less) {
  for (std::size_t i = 0; i < N; ++i) from[i] -= less[i];
}

}  // namespace

template <class Graphs>
StageEnumerator<Graphs>::StageEnumerator(const Graphs& graphs, const QuestionOf<Graphs>& question,
                                         const ViewPlaces<Graphs>& places, const IdealTable& table, Budget& budget)
    : graphs_(graphs),
      graph_(view(graphs, 0)),
      whole_(view(question, 0)),
      table_(table),
      budget_(budget),
      weights_(graphs.size()),
      ancestors_time_(graphs.size(), 0),
      candidate_of_(graphs.size(), kNotCandidate) {
  for (std::size_t v = 0; v < kViews; ++v) {
    const StageGraph& graph = view(graphs, v);
    limit_[v] = view(question, v).limit;
    trusted_limit_[v] = limit_[v] * (1 - kRoundingSlack);
    core_members_[v].assign(graph.net_count(), 0);
    outer_members_[v].assign(graph.net_count(), 0);
    for (GroupId u : graph.all()) weights_[u].amount[v] = graph.accelerator_time(u);
    if (!places.time[v]) continue;
    Aim& aim = aims_[v];
    aim.places = &*places.time[v];
    aim.by_entry.resize(aim.places->places() + 1);
    aim.by_exit.resize(aim.places->places() + 1);
    for (GroupId u : graph.all()) {
      aim.by_entry[aim.places->entry(u)].push_back(u);
      aim.by_exit[aim.places->exit(u)].push_back(u);
    }
  }
  if (places.memory) aims_[kMemory].places = &*places.memory;
  for (std::size_t p = 0; p < kPasses; ++p) {
    local_net_[p].assign(pass(p).net_count(), -1);
    for (GroupId u : graph_.all()) weights_[u].host_time[p] = pass(p).host_time(u);
  }
  for (GroupId v : graph_.all()) {
    weights_[v].amount[kMemory] = graph_.group(v).memory;
    for_each_bit(graph_.ancestors(v),
                 [&](std::size_t u) { ancestors_time_[v] += graph_.accelerator_time(GroupId(u)); });
  }
}

template <class Graphs>
inline double StageEnumerator<Graphs>::in_view(const Loads& load, std::size_t v) {
  if constexpr (kPasses == 1) {
    return load[0];
  } else {
    return v == 0 ? load[0] + load[1] : load[v - 1];
  }
}

template <class Graphs>
inline bool StageEnumerator<Graphs>::too_heavy(const Loads& load, const std::array<double, kViews>& limit) const {
  for (std::size_t v = 0; v < kViews; ++v) {
    if (in_view(load, v) > limit[v]) return true;
  }
  return false;
}

template <class Graphs>
inline bool StageEnumerator<Graphs>::Absorption::absorbs() const {
  for (std::size_t p = 0; p < kPasses; ++p) {
    if (later[p] > spared[p]) return false;
  }
  return true;
}

template <class Graphs>
typename StageEnumerator<Graphs>::Loads StageEnumerator<Graphs>::loads_of(std::span<const GroupId> groups,
                                                                          bool host) const {
  Loads load;
  for (std::size_t p = 0; p < kPasses; ++p)
    load[p] = host ? host_load(pass(p), groups) : accelerator_load(pass(p), groups);
  return load;
}

template <class Graphs>
bool StageEnumerator<Graphs>::rest_fits(std::span<const Word> base, bool host) const {
  std::vector<GroupId> rest;
  double memory = 0;
  for (GroupId v : graph_.all()) {
    if (test_bit(base, v.index())) continue;
    const Group& g = graph_.group(v);
    if (!(host ? g.on_host : g.on_accelerator)) return false;
    memory += g.memory;
    rest.push_back(v);
  }
  if (memory > (host ? whole_.platform.host_memory : whole_.platform.accelerator_memory)) return false;
  return !too_heavy(loads_of(rest, host), limit_);
}

template <class Graphs>
bool StageEnumerator<Graphs>::absorbs(std::span<const Word> ideal, GroupId v) const {
  for (std::size_t p = 0; p < kPasses; ++p) {
    const StageGraph& graph = pass(p);
    double later = 0, spared = graph.accelerator_time(v);
    for (NetId e : graph.nets_of(v)) {
      std::size_t outside = 0;
      for (GroupId u : graph.members(e)) outside += !test_bit(ideal, u.index());
      if (outside == graph.members(e).size()) later += graph.cost(e);
      if (outside == 1) spared += graph.cost(e);
    }
    if (later > spared) return false;
  }
  return true;
}

// The same sweep as in Windows, but from this very base instead of from all ideals at its place.
template <class Graphs>
void StageEnumerator<Graphs>::find_targets(const Ideal& from_base, Level level, std::size_t v) {
  Aim& aim = aims_[v];
  const Places& places = *aim.places;
  const StageGraph& graph = view(graphs_, v);
  IdVector<NetId, std::int32_t>&core_members = core_members_[v], &outer_members = outer_members_[v];
  const std::span<const Word> base = from_base.bits;
  const double limit = limit_[v], held = from_base.amount[v], tolerance = places.tolerance();
  aim.target.assign(places.places(), 0);
  const bool empty_base = std::all_of(base.begin(), base.end(), [](Word w) { return w == 0; });
  const int from = empty_base ? 1 : places.places_of(held).first;
  std::fill(core_members.begin(), core_members.end(), 0);
  std::fill(outer_members.begin(), outer_members.end(), 0);
  double core_time = 0, core_host_time = 0, memory = 0, sealed = 0;
  bool can_run = true;
  const auto enter_core = [&](GroupId u) {
    if (test_bit(base, u.index())) return;
    const Group& g = graph.group(u);
    core_time += g.accelerator_time;
    core_host_time += g.host_time;
    memory += g.memory;
    can_run = can_run && (host_ ? g.on_host : g.on_accelerator);
    for (NetId e : graph.nets_of(u)) {
      if (core_members[e]++ == 0 && outer_members[e] > 0) sealed += graph.cost(e);
    }
  };
  for (GroupId u : graph.all()) {
    if (!test_bit(base, u.index()) && places.exit(u) < from) continue;
    for (NetId e : graph.nets_of(u)) ++outer_members[e];
  }
  for (int place = 0; place < from; ++place) {
    for (GroupId u : aim.by_entry[place]) enter_core(u);
  }
  for (int to = from; to < places.last_place(); ++to) {
    if (to > from) {
      for (GroupId u : aim.by_exit[to - 1]) {
        if (test_bit(base, u.index())) continue;
        for (NetId e : graph.nets_of(u)) {
          if (--outer_members[e] == 0 && core_members[e] > 0) sealed -= graph.cost(e);
        }
      }
    }
    for (GroupId u : aim.by_entry[to]) enter_core(u);
    const double work = std::max(core_time, places.lowest(to) - held - tolerance);
    if (!host_ && work > limit) break;
    if (host_ && (core_host_time > limit || memory > memory_limit_)) break;
    if (!can_run) break;
    const bool affordable = host_ || (work + sealed <= limit * (1 + 1e-12) && memory <= memory_limit_);
    aim.target[to] = affordable && places.allowed(level.hosts, level.accelerators, to);
  }
}

// From now on stages that end at targets from `first` to `last` are looked for. False if there is none.
template <class Graphs>
bool StageEnumerator<Graphs>::aim_at(const Ideal& base, std::size_t measure, int first, int last) {
  Aim& aim = aims_[measure];
  while (first <= last && !aim.target[first]) ++first;
  while (first <= last && !aim.target[last]) --last;
  if (first > last) return false;
  aim.first = first;
  aim.last = last;
  least_[measure] = aim.places->lowest(first) - base.amount[measure] - aim.places->tolerance();
  most_[measure] = aim.places->highest(last) - base.amount[measure] + aim.places->tolerance();
  return true;
}

template <class Graphs>
bool StageEnumerator<Graphs>::run(const Ideal& base, bool host, Level level, const Visit& visit) {
  host_ = host;
  memory_limit_ = host ? whole_.platform.host_memory : whole_.platform.accelerator_memory;
  least_.fill(-kNever);
  most_.fill(kNever);
  if (const Places* memory = aims_[kMemory].places) {
    std::vector<char>& target = aims_[kMemory].target;
    target.assign(memory->places(), 0);
    for (int place = 1; place < memory->last_place(); ++place)
      target[place] = memory->allowed(level.hosts, level.accelerators, place);
    if (!aim_at(base, kMemory, 1, memory->last_place() - 1)) return true;
  }
  for (std::size_t v = 1; v < kViews; ++v) {
    if (!aims_[v].places) continue;
    find_targets(base, level, v);
    if (!aim_at(base, v, 1, aims_[v].places->last_place() - 1)) return true;
  }
  // The whole's targets may lie in several rows; each is walked by itself, with narrower bounds than all together.
  find_targets(base, level, 0);
  const std::vector<char>& target = aims_[0].target;
  const int end = aims_[0].places->last_place();
  for (int first = 1; first < end;) {
    int last = first;
    while (last < end && target[last]) ++last;
    if (last > first) {
      aim_at(base, 0, first, last - 1);
      if (prepare(base) && !walk(base, visit)) return false;
    }
    first = last + 1;
  }
  return true;
}

// Sorts the groups outside the base into forced, excluded and undecided for the targets, and applies the forced ones.
// False if they already make the targets impossible.
template <class Graphs>
bool StageEnumerator<Graphs>::prepare(const Ideal& from_base) {
  const std::span<const Word> base = from_base.bits;
  const double most_with_ancestors = from_base.amount[0] + most_[0] + aims_[0].places->tolerance();
  candidates_.clear();
  below_.clear();
  excluded_.clear();
  choices_.clear();
  frames_.clear();
  ideal_.assign(base.begin(), base.end());
  hash_ = from_base.hash;
  sums_ = Sums{};
  sums_.required.fill(-kNever);
  included_ = outside_ = 0;
  const auto load_time = [&](const Weights& w) {
    Loads time = w.host_time;
    for (std::size_t p = 0; p < kPasses && !host_; ++p) time[p] = accelerator_time(w.amount, p);
    return time;
  };

  double outside_memory = 0;
  for (GroupId v : graph_.all()) {
    candidate_of_[v] = kNotCandidate;
    if (test_bit(base, v.index())) continue;
    const Group& g = graph_.group(v);
    outside_memory += g.memory;
    ++outside_;
    bool out = !(host_ ? whole_.fits_host(g) : whole_.fits_accelerator(g)) || ancestors_time_[v] > most_with_ancestors;
    bool forced = false;
    for (const Aim& aim : aims_) {
      if (!aim.places) continue;
      out = out || aim.places->exit(v) >= aim.last;
      forced = forced || aim.places->entry(v) <= aim.first;
    }
    for (GroupId u : graph_.predecessors(v)) out = out || candidate_of_[u] == kOutside;
    if (!out) {  // with all that must come along
      Weights sum;
      const auto ancestors = graph_.ancestors(v);
      for (std::size_t w = 0; w < ancestors.size(); ++w) {
        for (Word rest = ancestors[w] & ~base[w]; rest != 0; rest &= rest - 1) {
          const Weights& more = weights_[GroupId(w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest)))];
          add(sum.host_time, more.host_time);
          add(sum.amount, more.amount);
        }
      }
      out = too_heavy(load_time(sum), limit_) || sum.amount[kMemory] > memory_limit_;
      for (std::size_t j = 0; j < sum.amount.size(); ++j) out = out || sum.amount[j] > most_[j];
    }
    if (out && forced) return false;
    const Weights& weights = weights_[v];
    if (out) {
      candidate_of_[v] = kOutside;
    } else if (forced) {
      candidate_of_[v] = kForced;
      set_bit(ideal_, v.index());
      hash_ ^= table_.key(v.index());
      add(sums_.load_time, load_time(weights));
      add(sums_.amount, weights.amount);
      ++included_;
    } else {
      candidate_of_[v] = static_cast<std::int32_t>(candidates_.size());
      candidates_.push_back({load_time(weights), weights.amount, v});
      add(sums_.open_load, candidates_.back().load_time);
      add(sums_.open, weights.amount);
    }
  }
  memory_free_ = outside_memory <= memory_limit_;
  if (sums_.amount[kMemory] > memory_limit_) return false;
  for (Candidate& c : candidates_) {
    c.first_below = static_cast<std::uint32_t>(below_.size());
    for_each_bit(graph_.descendants(c.group), [&](std::size_t w) {
      const std::int32_t other = candidate_of_[GroupId(w)];
      if (other >= 0 && GroupId(w) != c.group) below_.push_back(static_cast<std::uint32_t>(other));
    });
    c.last_below = static_cast<std::uint32_t>(below_.size());
  }
  index_nets(base);
  state_.assign(candidates_.size(), kUndecided);
  return true;
}

template <class Graphs>
void StageEnumerator<Graphs>::index_nets(std::span<const Word> base) {
  nets_.clear();
  candidate_nets_.clear();
  std::array<std::vector<NetId>, kPasses> touched;
  const auto enter = [&](std::size_t p, NetId e) {
    if (local_net_[p][e] >= 0) return;
    const StageGraph& graph = pass(p);
    local_net_[p][e] = static_cast<std::int32_t>(nets_.size());
    touched[p].push_back(e);
    LocalNet net{.cost = graph.cost(e),
                 .pass = static_cast<std::uint32_t>(p),
                 .size = static_cast<std::int32_t>(graph.members(e).size())};
    for (GroupId u : graph.members(e)) {
      if (test_bit(base, u.index())) {
        ++net.base;
      } else if (candidate_of_[u] == kForced) {
        ++net.in;
      } else if (candidate_of_[u] == kOutside) {
        ++net.out;
      } else {
        ++net.open;
      }
    }
    if (net.surely_cut()) sums_.cut[p] += net.cost;
    sums_.open_cut[p] += net.open_cost();
    nets_.push_back(net);
  };
  for (Candidate& c : candidates_) {
    c.first_net = static_cast<std::uint32_t>(candidate_nets_.size());
    for (std::size_t p = 0; p < kPasses; ++p) {
      for (NetId e : pass(p).nets_of(c.group)) {
        enter(p, e);
        candidate_nets_.push_back(static_cast<std::uint32_t>(local_net_[p][e]));
      }
    }
    c.last_net = static_cast<std::uint32_t>(candidate_nets_.size());
  }
  for (GroupId v : graph_.all()) {
    if (candidate_of_[v] != kForced) continue;
    for (std::size_t p = 0; p < kPasses; ++p) {
      for (NetId e : pass(p).nets_of(v)) enter(p, e);
    }
  }
  for (std::size_t p = 0; p < kPasses; ++p) {
    for (NetId e : touched[p]) local_net_[p][e] = -1;
    if (host_) sums_.cut[p] = sums_.open_cut[p] = 0;
  }
}

// What excluding more only makes worse: the cut is too dear, or what is left to include too little.
template <class Graphs>
bool StageEnumerator<Graphs>::excludes_too_much() const {
  const Sums& s = sums_;
  for (std::size_t v = 0; v < kViews; ++v) {
    const double time = in_view(s.load_time, v);
    if ((host_ ? time : std::max(time, least_[v])) + in_view(s.cut, v) > limit_[v]) return true;
  }
  for (std::size_t j = 0; j < s.amount.size(); ++j) {
    if (s.amount[j] + s.open[j] < least_[j]) return true;
  }
  return false;
}

template <class Graphs>
bool StageEnumerator<Graphs>::hopeless() const {
  const Sums& s = sums_;
  if (s.amount[kMemory] > memory_limit_ || excludes_too_much()) return true;
  for (std::size_t j = 0; j < s.amount.size(); ++j) {
    if (s.amount[j] > most_[j]) return true;
  }
  Loads most = s.load_time;
  add(most, s.open_load);
  add(most, s.cut);
  add(most, s.open_cut);
  for (std::size_t v = 0; v < kViews; ++v) {
    if (in_view(most, v) >= s.required[v]) return false;
  }
  return true;
}

// An undecided member of the net goes to those on its own side, with others on the far one. Mostly nothing changes: the
// net is surely cut already, or is not yet and still has undecided members.
template <class Graphs>
void StageEnumerator<Graphs>::meets(const LocalNet& net, std::int32_t own_side, std::int32_t far_side) {
  const bool gets_cut = own_side == 0 && far_side > 0;
  const bool last_on_one_side = far_side == 0 && net.open == 1;
  if (host_ || !(gets_cut || last_on_one_side)) return;
  sums_.open_cut[pass_of(net)] -= net.cost;
  if (gets_cut) sums_.cut[pass_of(net)] += net.cost;
}

template <class Graphs>
void StageEnumerator<Graphs>::include(std::uint32_t index) {
  const Candidate& c = candidates_[index];
  state_[index] = kIn;
  set_bit(ideal_, c.group.index());
  hash_ ^= table_.key(c.group.index());
  ++included_;
  add(sums_.load_time, c.load_time);
  add(sums_.amount, c.amount);
  subtract(sums_.open_load, c.load_time);
  subtract(sums_.open, c.amount);
  for (std::uint32_t i = c.first_net; i < c.last_net; ++i) {
    LocalNet& net = nets_[candidate_nets_[i]];
    meets(net, net.in, net.base + net.out);
    ++net.in;
    --net.open;
  }
}

template <class Graphs>
void StageEnumerator<Graphs>::exclude_one(std::uint32_t index) {
  const Candidate& c = candidates_[index];
  state_[index] = kOut;
  excluded_.push_back(index);
  ++exclusions_;
  subtract(sums_.open_load, c.load_time);
  subtract(sums_.open, c.amount);
  for (std::uint32_t i = c.first_net; i < c.last_net; ++i) {
    LocalNet& net = nets_[candidate_nets_[i]];
    meets(net, net.base + net.out, net.in);
    ++net.out;
    --net.open;
  }
}

// What taking the candidate in would change, as things stand: for the later stage that would be left with it, and here.
template <class Graphs>
typename StageEnumerator<Graphs>::Absorption StageEnumerator<Graphs>::absorption(const Candidate& c) const {
  Absorption change{.added = c.load_time};
  for (std::size_t p = 0; p < kPasses; ++p) change.spared[p] = accelerator_time(c.amount, p);
  for (std::uint32_t i = c.first_net; i < c.last_net; ++i) {
    const LocalNet& net = nets_[candidate_nets_[i]];
    const std::size_t p = pass_of(net);
    if (net.in + net.base == 0) change.later[p] += net.cost;
    if (net.in + net.base == net.size - 1) change.spared[p] += net.cost;
    if (host_) continue;
    if (net.in == 0) change.added[p] += net.cost;
    if (net.in == net.size - 1) change.added[p] -= net.cost;
  }
  return change;
}

// All predecessors of the candidate are in the ideal, else it would be excluded already: so the dominance test applies.
// Of hundreds of followers often the first few are too many already; then the rest is left as it is, for the walk turns
// back at once.
template <class Graphs>
void StageEnumerator<Graphs>::exclude_with_followers(std::uint32_t index) {
  const Candidate& c = candidates_[index];
  if (memory_free_ || c.amount[kMemory] <= 0) {
    const Absorption change = absorption(c);
    if (change.absorbs() && trusted_limit_[0] - in_view(change.added, 0) > sums_.required[0]) {
      for (std::size_t v = 0; v < kViews; ++v) sums_.required[v] = trusted_limit_[v] - in_view(change.added, v);
    }
  }
  choices_.push_back(index);
  exclude_one(index);
  for (std::uint32_t i = c.first_below; i < c.last_below; ++i) {
    if (state_[below_[i]] != kUndecided) continue;
    if (excludes_too_much()) return;
    exclude_one(below_[i]);
  }
}

template <class Graphs>
void StageEnumerator<Graphs>::undo(const Frame& frame) {
  const Candidate& c = candidates_[frame.candidate];
  if (frame.including) {
    state_[frame.candidate] = kUndecided;
    reset_bit(ideal_, c.group.index());
    hash_ ^= table_.key(c.group.index());
    --included_;
    for (std::uint32_t i = c.first_net; i < c.last_net; ++i) {
      LocalNet& net = nets_[candidate_nets_[i]];
      --net.in;
      ++net.open;
    }
  } else {
    choices_.pop_back();
    while (excluded_.size() > frame.excluded_before) {
      const Candidate& x = candidates_[excluded_.back()];
      state_[excluded_.back()] = kUndecided;
      excluded_.pop_back();
      for (std::uint32_t i = x.first_net; i < x.last_net; ++i) {
        LocalNet& net = nets_[candidate_nets_[i]];
        --net.out;
        ++net.open;
      }
    }
  }
  sums_ = frame.sums;
}

// Whether a group that was left out could have been absorbed; exact at a leaf, where all is decided.
template <class Graphs>
bool StageEnumerator<Graphs>::dominated() const {
  for (const std::uint32_t index : choices_) {
    const Candidate& c = candidates_[index];
    if (sums_.amount[kMemory] + c.amount[kMemory] > memory_limit_) continue;
    const Absorption change = absorption(c);
    if (!change.absorbs()) continue;
    Loads load = sums_.load_time;
    add(load, sums_.cut);
    add(load, change.added);
    if (!too_heavy(load, trusted_limit_)) return true;
  }
  return false;
}

#ifdef PARTITA_PARANOID
template <class Graphs>
bool StageEnumerator<Graphs>::agrees_with_recomputed_load(const Ideal& base) const {
  std::vector<GroupId> groups;
  for (GroupId v : graph_.all()) {
    if (test_bit(ideal_, v.index()) && !test_bit(base.bits, v.index())) groups.push_back(v);
  }
  const Loads load = loads_of(groups, host_);
  for (std::size_t p = 0; p < kPasses; ++p) {
    if (std::abs(load[p] - sums_.load_time[p] - sums_.cut[p]) > kRoundingSlack * limit_[0] + 1e-300) return false;
  }
  return true;
}
#endif

template <class Graphs>
bool StageEnumerator<Graphs>::on_target(const Amounts& amount) const {
  for (std::size_t j = 0; j < aims_.size(); ++j) {
    const Aim& aim = aims_[j];
    if (!aim.places) continue;
    const auto hit = [&](int place) { return place >= aim.first && place <= aim.last && aim.target[place]; };
    const auto [low, high] = aim.places->places_of(amount[j]);
    if (!hit(low) && !hit(high)) return false;
  }
  return true;
}

template <class Graphs>
bool StageEnumerator<Graphs>::walk(const Ideal& base, const Visit& visit) {
  const auto at_leaf = [&]() -> bool {
    if (included_ == 0 || included_ == outside_ || dominated()) return true;
#ifdef PARTITA_PARANOID
    assert(agrees_with_recomputed_load(base));
#endif
    Ideal found{ideal_, hash_, base.amount};
    add(found.amount, sums_.amount);
    return !on_target(found.amount) || visit(found);
  };
  std::uint64_t steps = 0;
  std::uint32_t next = 0;
  bool going_on = true;
  for (;;) {
    if (++steps % kStepsPerLook == 0) {
      budget_.spend(kStepsPerLook + std::exchange(exclusions_, 0) / kExclusionsPerTick);
      if (budget_.exhausted()) {
        going_on = false;
        break;
      }
    }
    bool backtrack = hopeless();
    if (!backtrack) {
      while (next < candidates_.size() && state_[next] != kUndecided) ++next;
      if (next == candidates_.size()) {
        if (!at_leaf()) {
          going_on = false;
          break;
        }
        backtrack = true;
      }
    }
    if (!backtrack) {
      frames_.push_back({next, true, static_cast<std::uint32_t>(excluded_.size()), sums_});
      include(next);
      continue;
    }
    while (!frames_.empty() && !frames_.back().including) {
      undo(frames_.back());
      frames_.pop_back();
    }
    if (frames_.empty()) break;
    Frame& frame = frames_.back();
    undo(frame);
    frame.including = false;
    exclude_with_followers(frame.candidate);
    next = frame.candidate + 1;
  }
  visited_ += steps;
  budget_.spend(steps % kStepsPerLook + std::exchange(exclusions_, 0) / kExclusionsPerTick);
  return going_on;
}

template class StageEnumerator<StageGraph>;
template class StageEnumerator<PassGraphs>;

}  // namespace partita::detail
