// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/windows.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "partita/util/max_flow.h"
#include "partita/util/parallel.h"
#include "partita/util/row_sums.h"

namespace partita::detail {
namespace {

// Small graphs have few ideals to tell apart.
int most_useful_buckets(const StageGraph& graph) {
  return static_cast<int>(std::min<std::size_t>(4 * graph.size() + 1, 4096));
}

}  // namespace

Windows::Windows(const StageGraph& graph, const Threshold& question, const Options& options, const Budget& budget)
    : Places(question.platform.accelerators, std::clamp(options.buckets, 1, most_useful_buckets(graph))),
      graph_(graph),
      question_(question),
      options_(options),
      budget_(budget),
      by_memory_(options.measure == Measure::Memory) {
  assert(graph.has_closure());
  total_ = by_memory_ ? graph.total_memory() : graph.total_accelerator_time();
  tolerance_ = 1e-9 * total_;
  lower_.assign(places(), 0);
  upper_.assign(places(), 0);
  for (int b = 1; b <= buckets_; ++b) {
    lower_[b] = total_ * (b - 1) / buckets_;
    upper_[b] = total_ * b / buckets_;
  }
  lower_[last_place()] = upper_[last_place()] = total_;
  for (GroupId v : graph.all()) {
    const Group& g = graph.group(v);
    if (!question.fits_host(g) || weight(v) <= 0) continue;
    host_exchange_ = std::max(host_exchange_, g.host_time > 0 ? weight(v) / g.host_time : kInfiniteCapacity);
  }
  find_forced();
  bound_pairs();
  feasible_ = reach(Flows::None);
  if (feasible_ && options_.flows) feasible_ = reach(Flows::All);
}

void Windows::find_forced() {
  const RowSums<double> measure_of(graph_.size(), [&](std::size_t v) { return weight(GroupId(v)); });
  possible_.assign(places(), 1);
  entry_.assign(graph_.size(), 0);
  exit_.assign(graph_.size(), 0);
  for (GroupId v : graph_.all()) {
    const double most_without = total_ - measure_of(graph_.descendants(v)) + tolerance_;
    const double least_with = measure_of(graph_.ancestors(v)) - tolerance_;
    int entry = 1;
    while (entry <= buckets_ && lower_[entry] <= most_without) ++entry;
    int exit = buckets_;
    while (exit >= 1 && upper_[exit] >= least_with) --exit;
    entry_[v] = entry;
    exit_[v] = exit;
    // A group that is longer than a bucket leaves buckets in which it would have to be both in and out: no ideal is
    // there.
    for (int place = entry; place <= exit; ++place) possible_[place] = 0;
  }
}

// Calls decide(place, flows) for places 0..count-1, in any order; it must not touch what others do. With several threads,
// those which known flows leave open (false) are looked at again, side by side.
template <class Decide>
void Windows::decide_places(int count, Flows flows, Decide decide) const {
  constexpr std::uint64_t kTicksPerGroup = 4;  // of a flow
  const Flows first = flows == Flows::All && threads_of(budget_) > 1 ? Flows::Known : flows;
  std::vector<int> open;
  for (int place = 0; place < count; ++place) {
    if (!decide(place, first)) open.push_back(place);
  }
  if (worth_sharing(budget_, kTicksPerGroup * graph_.size() * open.size())) {
    for_each(budget_, open.size(), [&](std::size_t i, std::size_t) { decide(open[i], flows); });
  } else {
    for (const int place : open) decide(place, flows);
  }
}

void Windows::bound_pairs() {
  pairs_.assign(static_cast<std::size_t>(places()) * places(), Pair{});
  const auto rows = static_cast<std::size_t>(buckets_) + 1;
  if (worth_sharing(budget_, graph_.size() * rows)) {
    for_each(budget_, rows, [&](std::size_t from, std::size_t) { bound_pairs_from(static_cast<int>(from)); });
  } else {
    for (int from = 0; from <= buckets_; ++from) bound_pairs_from(from);
  }
}

// One sweep over `to` from `from` on. A group that is not in at `from` starts as outer (out at `to`), gets undecided
// once `to` passes its exit, and becomes core at its entry if it is surely out at `from`. So each changes side at most
// twice.
void Windows::bound_pairs_from(int from) {
  std::vector<std::vector<GroupId>> freed(places() + 1), entering(places() + 1);
  IdVector<NetId, int> outer(graph_.net_count(), 0), core(graph_.net_count(), 0);
  for (GroupId v : graph_.all()) {
    const bool always_outer = entry_[v] <= from;
    if (!always_outer && exit_[v] < from) continue;  // undecided at every `to`
    for (NetId e : graph_.nets_of(v)) ++outer[e];
    if (always_outer) continue;
    freed[exit_[v] + 1].push_back(v);
    entering[entry_[v]].push_back(v);
  }
  double sealed = 0;  // cost of the nets with core and outer members
  double core_time = 0, host_time = 0, memory = 0;
  bool accelerator_can = true, host_can = true;
  for (int to = from; to <= last_place(); ++to) {
    // At to == from, catch up with all exits so far: they are at `from` or later by the test above, so there are none.
    for (GroupId v : freed[to]) {
      for (NetId e : graph_.nets_of(v)) {
        if (--outer[e] == 0 && core[e] > 0) sealed -= graph_.cost(e);
      }
    }
    for (GroupId v : entering[to]) {
      const Group& g = graph_.group(v);
      core_time += g.accelerator_time;
      host_time += g.host_time;
      memory += g.memory;
      accelerator_can = accelerator_can && g.on_accelerator;
      host_can = host_can && g.on_host;
      for (NetId e : graph_.nets_of(v)) {
        if (core[e]++ == 0 && outer[e] > 0) sealed += graph_.cost(e);
      }
    }
    Pair& p = pair(from, to);
    const double between = lower_[to] - upper_[from] - 2 * tolerance_;
    p.load = std::max({0.0, by_memory_ ? 0 : between, core_time}) + std::max(0.0, sealed - 1e-12 * question_.limit);
    p.host_time = host_time;
    p.memory = by_memory_ ? std::max(between, memory) : memory;
    p.accelerator_can = accelerator_can;
    p.host_can = host_can &&
                 (between <= 0 || host_exchange_ == kInfiniteCapacity || between <= host_exchange_ * question_.limit);
  }
}

bool Windows::host_step(int from, int to) const {
  if (question_.platform.hosts == 0 || to < from) return false;
  const Pair& p = pair(from, to);
  return p.host_can && p.host_time <= question_.limit && p.memory <= question_.platform.host_memory;
}

bool Windows::accelerator_step(int from, int to) {
  bool open = false;
  return step_possible(false, from, to, options_.flows ? Flows::All : Flows::None, open);
}

// With Flows::Known, a step that a flow has yet to decide on does not count, and `open` tells.
bool Windows::step_possible(bool host, int from, int to, Flows flows, bool& open) {
  if (host) return host_step(from, to);
  if (to < from) return false;
  Pair& p = pair(from, to);
  if (!p.accelerator_can || p.load > question_.limit || p.memory > question_.platform.accelerator_memory) return false;
  if (flows == Flows::None) return true;
  if (p.flow_state == 0 && flows == Flows::Known) {
    open = true;
    return false;
  }
  if (p.flow_state == 0) p.flow_state = !budget_.exhausted() && cut_exceeds(from, to, question_.limit - p.load) ? 2 : 1;
  return p.flow_state == 1;
}

// Is the minimum cut between core and outer groups, over the nets not yet counted as sealed, above `room`?
// The undecided groups' precedence is left out, which only makes the cut smaller.
bool Windows::cut_exceeds(int from, int to, double room) {
  enum class Side : char { Undecided, Core, Outer };
  const auto side = [&](GroupId v) {
    if (entry_[v] <= from || exit_[v] >= to) return Side::Outer;
    return entry_[v] <= to && exit_[v] >= from ? Side::Core : Side::Undecided;
  };
  constexpr std::size_t kSource = 0, kSink = 1;
  std::vector<std::size_t> vertex(graph_.size(), 0);
  std::vector<NetId> open;
  std::size_t vertices = 2;
  bool source_used = false, sink_used = false;
  for (NetId e : graph_.nets()) {
    bool core = false, outer = false, undecided = false;
    for (GroupId v : graph_.members(e)) {
      const Side s = side(v);
      core |= s == Side::Core;
      outer |= s == Side::Outer;
      undecided |= s == Side::Undecided;
    }
    if ((core && outer) || !undecided) continue;
    open.push_back(e);
    source_used |= core;
    sink_used |= outer;
    for (GroupId v : graph_.members(e)) {
      if (side(v) == Side::Undecided && vertex[v.index()] == 0) vertex[v.index()] = vertices++;
    }
  }
  if (!source_used || !sink_used) return false;
  MaxFlow flow(vertices + 2 * open.size());
  for (NetId e : open) {
    const std::size_t in = vertices++, out = vertices++;
    flow.add_arc(in, out, graph_.cost(e));
    bool core = false, outer = false;
    for (GroupId v : graph_.members(e)) {
      const Side s = side(v);
      core |= s == Side::Core;
      outer |= s == Side::Outer;
      if (s != Side::Undecided) continue;
      flow.add_arc(vertex[v.index()], in, kInfiniteCapacity);
      flow.add_arc(out, vertex[v.index()], kInfiniteCapacity);
    }
    if (core) flow.add_arc(kSource, in, kInfiniteCapacity);
    if (outer) flow.add_arc(out, kSink, kInfiniteCapacity);
  }
  const double margin = 1e-11 * question_.limit;
  return flow.run(kSource, kSink, room + 2 * margin, 1e-13 * question_.limit) > room + margin;
}

// Levels hold what fewer devices hold too, so in a case the host need only follow the last level before it.
bool Windows::host_may_follow(int hosts, int accelerators) const {
  return question_.host_may_follow(hosts, accelerators) &&
         question_.accelerators_with_host(accelerators) == accelerators;
}

// Forward from the empty set, backward from the whole set; a place is allowed for given device counts if both meet
// there.
bool Windows::reach(Flows flows) {
  const int k = question_.platform.accelerators, l = question_.platform.hosts;
  // The places to look at: all at first, then only those which the cheaper pass left.
  std::vector<std::vector<char>> candidates = std::move(allowed_);
  if (candidates.empty()) candidates.assign((l + 1) * (k + 1), possible_);

  std::vector<std::vector<char>> from_start((l + 1) * (k + 1), std::vector<char>(places(), 0));
  // A device may stay unused, but for the host of a case that is about its use.
  const bool host_may_idle = !question_.host_case;
  const auto extend = [&](std::vector<char>& to_set, const std::vector<char>& candidate,
                          const std::vector<char>& from_set, bool host) {
    decide_places(places(), flows, [&](int to, Flows known) {  // of all steps, those to this place
      if (to_set[to] || !candidate[to]) return true;
      to_set[to] = from_set[to] && (!host || host_may_idle);
      bool open = false;
      // The nearest places first: short steps are likely to be possible, and one is enough.
      for (int from = std::min(to, buckets_); from >= 0 && !to_set[to]; --from) {
        if (from_set[from] && step_possible(host, from, to, known, open)) to_set[to] = 1;
      }
      return to_set[to] || !open;
    });
  };
  for (int c = 0; c <= l; ++c) {
    for (int f = 0; f <= k; ++f) {
      std::vector<char>& here = from_start[level(c, f)];
      here[0] = c == 0 || host_may_idle;
      if (f > 0 && question_.accelerator_may_follow(c, f - 1))
        extend(here, candidates[level(c, f)], from_start[level(c, f - 1)], false);
      if (c > 0 && host_may_follow(c - 1, f)) extend(here, candidates[level(c, f)], from_start[level(c - 1, f)], true);
    }
  }
  allowed_.assign((l + 1) * (k + 1), std::vector<char>(places(), 0));
  for (int c = l; c >= 0; --c) {
    for (int f = k; f >= 0; --f) {
      std::vector<char>& here = allowed_[level(c, f)];
      const std::vector<char>& reached = from_start[level(c, f)];
      here[last_place()] = reached[last_place()] && (c > 0 || host_may_idle);
      const auto can_go_on = [&](int place, const std::vector<char>& next, bool host, Flows known, bool& open) {
        if (next[place] && (!host || host_may_idle)) return true;
        for (int to = place; to <= last_place(); ++to) {
          if (next[to] && step_possible(host, place, to, known, open)) return true;
        }
        return false;
      };
      decide_places(buckets_ + 1, flows, [&](int place, Flows known) {  // of all steps, those from this place
        if (!reached[place]) return true;
        bool open = false;
        here[place] = (question_.accelerator_may_follow(c, f) &&
                       can_go_on(place, allowed_[level(c, f + 1)], false, known, open)) ||
                      (host_may_follow(c, f) && can_go_on(place, allowed_[level(c + 1, f)], true, known, open));
        return here[place] || !open;
      });
    }
  }
  return allowed_[level(0, 0)][0] || graph_.size() == 0;
}

std::pair<int, int> Places::places_of(double measure) const {
  if (total_ <= 0) return {1, buckets_};
  const auto bucket = [&](double x) { return std::clamp(static_cast<int>(x / total_ * buckets_) + 1, 1, buckets_); };
  return {bucket(measure - tolerance_), bucket(measure + tolerance_)};
}

std::pair<int, int> Places::allowed_range(int hosts, int accelerators) const {
  int first = 1, last = buckets_;
  while (first <= last && !allowed(hosts, accelerators, first)) ++first;
  while (first <= last && !allowed(hosts, accelerators, last)) --last;
  return {first, last};
}

std::size_t Windows::join_never_separated(UnionFind<GroupId>& merge) const {
  std::vector<int> boundaries_before(places() + 1,
                                     0);  // allowed places below each place, the empty and whole set apart
  for (int place = 1; place <= last_place(); ++place) {
    bool any = false;
    for (const std::vector<char>& level : allowed_) any = any || (place <= buckets_ && level[place]);
    boundaries_before[place + 1] = boundaries_before[place] + any;
  }
  const int all = boundaries_before[last_place()];
  std::vector<GroupId> first(all + 1);
  std::size_t joins = 0;
  for (GroupId v : graph_.all()) {
    const int out = boundaries_before[exit_[v] + 1];
    if (out != boundaries_before[entry_[v]]) continue;  // some boundary may or may not take v in
    if (first[out].valid()) {
      joins += merge.join(first[out], v);
    } else {
      first[out] = v;
    }
  }
  return joins;
}

bool Windows::can_be_on_host(GroupId v) const {
  if (!question_.fits_host(graph_.group(v))) return false;
  const int k = question_.platform.accelerators, l = question_.platform.hosts;
  for (int c = 0; c < l; ++c) {
    for (int f = 0; f <= k; ++f) {
      if (!host_may_follow(c, f)) continue;
      for (int from = 0; from < entry_[v] && from <= buckets_; ++from) {
        if (!allowed(c, f, from)) continue;
        for (int to = std::max(from, exit_[v] + 1); to <= last_place(); ++to) {
          if (allowed(c + 1, f, to) && host_step(from, to)) return true;
        }
      }
    }
  }
  return false;
}

}  // namespace partita::detail
