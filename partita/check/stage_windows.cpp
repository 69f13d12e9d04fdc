// SPDX-License-Identifier: Apache-2.0
#include "partita/check/stage_windows.h"

#include <algorithm>

#include "partita/check/knapsack.h"
#include "partita/util/max_flow.h"
#include "partita/util/row_sums.h"
#include "partita/util/wide_int.h"

namespace partita::detail {
namespace {

enum FlowState : char { kNotAsked, kWithin, kAbove };

int buckets_for(const StageClaim& claim, int places) {
  return std::clamp(places, 1,
                    static_cast<int>(std::min<std::size_t>(4 * claim.size() + 1, StageWindows::kMostPlaces)));
}

// Of those that can hold something.
int useful(const StageClaim& claim, StageClaim::Kind kind) {
  return static_cast<int>(std::min(claim.size(), static_cast<std::size_t>(claim.count[kind])));
}

}  // namespace

double StageWindows::bytes_for(const StageClaim& claim, int places) {
  const double all = buckets_for(claim, places) + 2, hosts = useful(claim, StageClaim::kHost);
  const double levels = (hosts + 1) * (useful(claim, StageClaim::kAccelerator) + 1.0);
  return all * (all * (sizeof(Step) + 1) + 3 * levels);
}

StageWindows::StageWindows(const StageClaim& claim, Measure measure, int places, Budget& budget)
    : claim_(claim),
      budget_(budget),
      by_memory_(measure == Measure::Memory),
      buckets_(buckets_for(claim, places)),
      count_{useful(claim, StageClaim::kHost), useful(claim, StageClaim::kAccelerator)} {
  make_places();
  find_host_share();
  find_steps();
  find_places(false);
  if (feasible()) find_places(true);
}

void StageWindows::make_places() {
  const RowSums<Int> work(claim_.size(), [&](std::size_t v) { return measure_of(v); });
  for (std::size_t v = 0; v < claim_.size(); ++v) total_ += measure_of(v);
  lowest_.assign(static_cast<std::size_t>(buckets_) + 2, 0);
  highest_ = lowest_;
  for (int b = 1; b <= buckets_; ++b) {
    const auto first_of = [&](int bucket) {
      return static_cast<Int>((static_cast<WideInt>(total_ + 1) * (bucket - 1) + buckets_ - 1) / buckets_);
    };
    lowest_[b] = first_of(b);
    highest_[b] = first_of(b + 1) - 1;
  }
  lowest_[last_place()] = highest_[last_place()] = total_;
  PlaceSet possible(lowest_.size(), 1);
  for (int b = 1; b <= buckets_; ++b) possible[b] = lowest_[b] <= highest_[b];
  for (std::size_t v = 0; v < claim_.size(); ++v) {
    const Int most_without = total_ - work(claim_.descendants.row(v)), least_with = work(claim_.ancestors.row(v));
    const auto in = std::upper_bound(lowest_.begin() + 1, lowest_.end() - 1, most_without);
    const auto out = std::lower_bound(highest_.begin() + 1, highest_.end() - 1, least_with);
    entry_.push_back(static_cast<int>(in - lowest_.begin()));
    exit_.push_back(static_cast<int>(out - highest_.begin()) - 1);
    for (int place = entry_[v]; place <= exit_[v]; ++place) possible[place] = 0;
  }
  allowed_.assign((static_cast<std::size_t>(hosts()) + 1) * (accelerators_limit() + 1), possible);
}

int StageWindows::place_of(Int work) const {
  return static_cast<int>(static_cast<WideInt>(work) * buckets_ / (total_ + 1)) + 1;
}

void StageWindows::find_host_share() {
  std::vector<std::pair<Int, Int>> items;  // load on a host, measure
  for (std::size_t v = 0; v < claim_.size(); ++v) {
    const StageClaim::GroupOn& on = claim_.on[v][StageClaim::kHost];
    if (on.may_be_held) items.emplace_back(on.load, measure_of(v));
  }
  host_share_ = static_cast<Int>(most_that_fits(std::move(items), kLoadLimit));
}

// One sweep over the places that the stage may lead to. A group that is not in starts as outer, is open once its exit is
// passed, and becomes core at its entry if it was surely out.
std::vector<StageWindows::Step> StageWindows::steps_from(const std::vector<Side>& sides, Int most_work,
                                                         int first) const {
  const std::size_t places = lowest_.size();
  std::vector<std::vector<std::size_t>> freed(places + 1), entering(places + 1);
  std::vector<int> outer(claim_.nets.size(), 0), core(claim_.nets.size(), 0);
  for (std::size_t v = 0; v < claim_.size(); ++v) {
    if (sides[v] != Side::In && exit_[v] < first && sides[v] != Side::Out) continue;  // open wherever it leads
    const bool outer_at_first = sides[v] == Side::In || exit_[v] >= first;
    if (outer_at_first) {
      for (const std::size_t e : claim_.nets_of[v]) ++outer[e];
    }
    if (sides[v] == Side::In) continue;
    if (outer_at_first) freed[static_cast<std::size_t>(exit_[v]) + 1].push_back(v);
    if (sides[v] == Side::Out) entering[static_cast<std::size_t>(std::max(first, entry_[v]))].push_back(v);
  }
  std::vector<Step> result(places);
  Step sums;
  Int sealed = 0;  // cost of the transfers with core and outer members
  for (int to = first; to <= last_place(); ++to) {
    for (const std::size_t v : freed[static_cast<std::size_t>(to)]) {
      for (const std::size_t e : claim_.nets_of[v]) {
        if (--outer[e] == 0 && core[e] > 0) sealed -= claim_.nets[e].cost;
      }
    }
    for (const std::size_t v : entering[static_cast<std::size_t>(to)]) {
      for (const std::size_t kind : {StageClaim::kHost, StageClaim::kAccelerator}) {
        const StageClaim::GroupOn& on = claim_.on[v][kind];
        sums.load[kind] += on.load;
        sums.memory[kind] += on.memory;
        sums.may_be_held[kind] &= on.may_be_held;
      }
      for (const std::size_t e : claim_.nets_of[v]) {
        if (core[e]++ == 0 && outer[e] > 0) sealed += claim_.nets[e].cost;
      }
    }
    Step& step = result[static_cast<std::size_t>(to)] = sums;
    const Int between = lowest_[static_cast<std::size_t>(to)] - most_work;
    Int& bounded = (by_memory_ ? step.memory : step.load)[StageClaim::kAccelerator];
    bounded = std::max(bounded, between);
    step.load[StageClaim::kAccelerator] += sealed;
    step.may_be_held[StageClaim::kHost] &= between <= host_share_;
  }
  return result;
}

void StageWindows::find_steps() {
  steps_.resize(lowest_.size());
  flow_state_.resize(lowest_.size());
  for (int from = 0; from <= buckets_; ++from) {
    if (!allowed_[0][from] || budget_.exhausted()) continue;
    std::vector<Side> sides(claim_.size(), Side::Open);
    for (std::size_t v = 0; v < sides.size(); ++v) {
      if (entry_[v] <= from) sides[v] = Side::In;
      if (exit_[v] >= from) sides[v] = Side::Out;
    }
    steps_[from] = steps_from(sides, highest_[from], from);
    flow_state_[from].assign(lowest_.size(), kNotAsked);
  }
}

bool StageWindows::possible(StageClaim::Kind kind, int from, int to, bool with_flows) {
  if (steps_[from].empty()) return true;  // time was up
  const Step& step = steps_[from][to];
  if (!step.possible(kind)) return false;
  if (kind == StageClaim::kHost || !with_flows) return true;
  char& state = flow_state_[from][to];
  if (state == kNotAsked) {
    if (budget_.exhausted()) return true;
    budget_.spend(1 + claim_.size() / 64);
    state = cut_exceeds(from, to, kLoadLimit - step.load[StageClaim::kAccelerator]) ? kAbove : kWithin;
  }
  return state == kWithin;
}

// Do the transfers that are not counted yet add more than `room` to what a stage pays? The order among open groups is
// left out, which can only make the cut cheaper. Capacities are whole numbers far below 2^53, and so exact.
bool StageWindows::cut_exceeds(int from, int to, Int room) const {
  const auto side = [&](std::size_t v) {
    if (entry_[v] <= from || exit_[v] >= to) return 'o';
    return entry_[v] <= to && exit_[v] >= from ? 'c' : '?';
  };
  constexpr std::size_t kSource = 0, kSink = 1;
  std::vector<std::size_t> vertex(claim_.size(), 0), open;
  std::size_t vertices = 2;
  bool source_used = false, sink_used = false;
  for (std::size_t e = 0; e < claim_.nets.size(); ++e) {
    bool core = false, outer = false, undecided = false;
    for (const std::size_t v : claim_.nets[e].members) {
      const char s = side(v);
      core |= s == 'c';
      outer |= s == 'o';
      undecided |= s == '?';
    }
    if ((core && outer) || !undecided) continue;
    open.push_back(e);
    source_used |= core;
    sink_used |= outer;
    for (const std::size_t v : claim_.nets[e].members) {
      if (side(v) == '?' && vertex[v] == 0) vertex[v] = vertices++;
    }
  }
  if (!source_used || !sink_used) return false;
  MaxFlow flow(vertices + 2 * open.size());
  for (const std::size_t e : open) {
    const std::size_t in = vertices++, out = vertices++;
    flow.add_arc(in, out, static_cast<double>(claim_.nets[e].cost));
    bool core = false, outer = false;
    for (const std::size_t v : claim_.nets[e].members) {
      const char s = side(v);
      core |= s == 'c';
      outer |= s == 'o';
      if (s != '?') continue;
      flow.add_arc(vertex[v], in, kInfiniteCapacity);
      flow.add_arc(out, vertex[v], kInfiniteCapacity);
    }
    if (core) flow.add_arc(kSource, in, kInfiniteCapacity);
    if (outer) flow.add_arc(out, kSink, kInfiniteCapacity);
  }
  return flow.run(kSource, kSink, static_cast<double>(room) + 1, 0) > static_cast<double>(room);
}

// Forwards, then backwards, among the places that were allowed so far. A device may hold nothing.
void StageWindows::find_places(bool with_flows) {
  const std::size_t places = lowest_.size();
  std::vector<PlaceSet> reached(allowed_.size(), PlaceSet(places, 0));
  for (int h = 0; h <= hosts(); ++h) {
    for (int a = 0; a <= accelerators(); ++a) {
      if (budget_.exhausted()) return;
      PlaceSet& here = reached[level(h, a)];
      here[0] = allowed_[level(h, a)][0];
      const auto extend = [&](const PlaceSet& from, StageClaim::Kind kind) {
        for (int to = 0; to <= last_place(); ++to) {
          if (here[to] || !allowed_[level(h, a)][to]) continue;
          here[to] = from[to];
          // The nearest first: short steps are likely to be possible, and one is enough.
          for (int at = std::min(to, buckets_); at >= 0 && !here[to]; --at)
            here[to] = from[at] && possible(kind, at, to, with_flows);
        }
      };
      if (a > 0) extend(reached[level(h, a - 1)], StageClaim::kAccelerator);
      if (h > 0) extend(reached[level(h - 1, a)], StageClaim::kHost);
    }
  }
  std::vector<PlaceSet> left(allowed_.size(), PlaceSet(places, 0));
  for (int h = hosts(); h >= 0; --h) {
    for (int a = accelerators(); a >= 0; --a) {
      if (budget_.exhausted()) return;
      PlaceSet& here = left[level(h, a)];
      const PlaceSet& candidates = reached[level(h, a)];
      here[last_place()] = candidates[last_place()];
      const auto extend = [&](const PlaceSet& next, StageClaim::Kind kind) {
        for (int from = 0; from <= buckets_; ++from) {
          if (here[from] || !candidates[from]) continue;
          here[from] = next[from];
          for (int to = from; to <= last_place() && !here[from]; ++to)
            here[from] = next[to] && possible(kind, from, to, with_flows);
        }
      };
      if (a < accelerators()) extend(left[level(h, a + 1)], StageClaim::kAccelerator);
      if (h < hosts()) extend(left[level(h + 1, a)], StageClaim::kHost);
    }
  }
  allowed_ = std::move(left);
}

std::vector<std::pair<std::size_t, std::size_t>> StageWindows::never_separated() const {
  std::vector<int> before(lowest_.size() + 1, 0);  // places left below each, the empty set and the whole apart
  for (int place = 1; place <= last_place(); ++place) {
    const bool left = place <= buckets_ &&
                      std::any_of(allowed_.begin(), allowed_.end(), [&](const PlaceSet& set) { return set[place]; });
    before[place + 1] = before[place] + left;
  }
  constexpr std::size_t kNobody = static_cast<std::size_t>(-1);
  std::vector<std::size_t> first(static_cast<std::size_t>(before[last_place()]) + 1, kNobody);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t v = 0; v < claim_.size(); ++v) {
    const int out = before[exit_[v] + 1];    // so many places have it surely out
    if (out != before[entry_[v]]) continue;  // and some have it neither in nor out
    std::size_t& one = first[static_cast<std::size_t>(out)];
    if (one == kNobody) {
      one = v;
    } else {
      pairs.emplace_back(one, v);
    }
  }
  return pairs;
}

bool StageWindows::can_be_on_host(std::size_t v) const {
  if (!claim_.on[v][StageClaim::kHost].may_be_held) return false;
  for (int h = 0; h < hosts(); ++h) {
    for (int a = 0; a <= accelerators(); ++a) {
      for (int from = 0; from < entry_[v] && from <= buckets_; ++from) {
        if (!allowed(h, a, from)) continue;
        for (int to = std::max(from, exit_[v] + 1); to <= last_place(); ++to) {
          if (allowed(h + 1, a, to) && (steps_[from].empty() || steps_[from][to].possible(StageClaim::kHost)))
            return true;
        }
      }
    }
  }
  return false;
}

}  // namespace partita::detail
