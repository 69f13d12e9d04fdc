// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/stage_enumerator.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <tuple>

#include "partita/solve/staged/staged_split.h"

namespace partita {
namespace {

enum State : char { kUndecided, kIn, kOut };
constexpr std::uint64_t kStepsPerLook = 4096;  // between looks at the clock
constexpr std::int32_t kNotCandidate = -1, kOutside = -2, kForced = -3;

}  // namespace

StageEnumerator::StageEnumerator(const StageGraph& graph, const Threshold& question, const Windows& windows,
                                 const Windows* memory_windows, const IdealTable& table, Budget& budget)
    : graph_(graph),
      question_(question),
      windows_(windows),
      memory_windows_(memory_windows),
      table_(table),
      budget_(budget),
      by_entry_(windows.places() + 1),
      by_exit_(windows.places() + 1),
      ancestors_time_(graph.size(), 0),
      candidate_of_(graph.size(), kNotCandidate),
      local_net_(graph.net_count(), -1),
      core_members_(graph.net_count(), 0),
      outer_members_(graph.net_count(), 0) {
  for (GroupId v : graph.all()) {
    by_entry_[windows.entry(v)].push_back(v);
    by_exit_[windows.exit(v)].push_back(v);
    for_each_bit(graph.ancestors(v), [&](std::size_t u) { ancestors_time_[v] += graph.accelerator_time(GroupId(u)); });
  }
}

bool StageEnumerator::rest_fits(std::span<const Word> base, bool host) const {
  std::vector<GroupId> rest;
  double memory = 0;
  for (GroupId v : graph_.all()) {
    if (test_bit(base, v.index())) continue;
    const Group& g = graph_.group(v);
    if (!(host ? g.on_host : g.on_accelerator)) return false;
    memory += g.memory;
    rest.push_back(v);
  }
  const StagePlatform& platform = question_.platform;
  if (memory > (host ? platform.host_memory : platform.accelerator_memory)) return false;
  return (host ? host_load(graph_, rest) : accelerator_load(graph_, rest)) <= question_.limit;
}

bool StageEnumerator::absorbs(std::span<const Word> ideal, GroupId v) const {
  double later = 0, spared = graph_.accelerator_time(v);
  for (NetId e : graph_.nets_of(v)) {
    std::size_t outside = 0;
    for (GroupId u : graph_.members(e)) outside += !test_bit(ideal, u.index());
    if (outside == graph_.members(e).size()) later += graph_.cost(e);
    if (outside == 1) spared += graph_.cost(e);
  }
  return later <= spared;
}

// The same sweep as in Windows, but from this very base instead of from all ideals at its place.
void StageEnumerator::find_targets(const Base& from_base, bool host, Level level) {
  target_.assign(windows_.places(), 0);
  const std::span<const Word> base = from_base.ideal;
  const bool empty_base = std::all_of(base.begin(), base.end(), [](Word w) { return w == 0; });
  const int from = empty_base ? 1 : windows_.places_of(from_base.time).first;
  const double tolerance = windows_.tolerance();
  std::fill(core_members_.begin(), core_members_.end(), 0);
  std::fill(outer_members_.begin(), outer_members_.end(), 0);
  double core_time = 0, core_host_time = 0, memory = 0, sealed = 0;
  bool can_run = true;
  const auto enter_core = [&](GroupId v) {
    if (test_bit(base, v.index())) return;
    const Group& g = graph_.group(v);
    core_time += g.accelerator_time;
    core_host_time += g.host_time;
    memory += g.memory;
    can_run = can_run && (host ? g.on_host : g.on_accelerator);
    for (NetId e : graph_.nets_of(v)) {
      if (core_members_[e]++ == 0 && outer_members_[e] > 0) sealed += graph_.cost(e);
    }
  };
  for (GroupId v : graph_.all()) {
    if (!test_bit(base, v.index()) && windows_.exit(v) < from) continue;
    for (NetId e : graph_.nets_of(v)) ++outer_members_[e];
  }
  for (int place = 0; place < from; ++place) {
    for (GroupId v : by_entry_[place]) enter_core(v);
  }
  const StagePlatform& platform = question_.platform;
  for (int to = from; to < windows_.last_place(); ++to) {
    if (to > from) {
      for (GroupId v : by_exit_[to - 1]) {
        if (test_bit(base, v.index())) continue;
        for (NetId e : graph_.nets_of(v)) {
          if (--outer_members_[e] == 0 && core_members_[e] > 0) sealed -= graph_.cost(e);
        }
      }
    }
    for (GroupId v : by_entry_[to]) enter_core(v);
    const double work = std::max(core_time, windows_.lowest(to) - from_base.time - tolerance);
    if (!host && work > question_.limit) break;
    if (host && (core_host_time > question_.limit || memory > platform.host_memory)) break;
    if (!can_run) break;
    const bool affordable =
        host || (work + sealed <= question_.limit * (1 + 1e-12) && memory <= platform.accelerator_memory);
    target_[to] = affordable && windows_.allowed(level.hosts, level.accelerators, to);
  }
}

bool StageEnumerator::run(const Base& base, bool host, Level level, const Visit& visit) {
  host_ = host;
  least_memory_ = -std::numeric_limits<double>::infinity();
  most_memory_ = std::numeric_limits<double>::infinity();
  if (memory_windows_) {
    std::tie(first_memory_place_, last_memory_place_) = memory_windows_->allowed_range(level.hosts, level.accelerators);
    if (first_memory_place_ > last_memory_place_) return true;
    const double tolerance = memory_windows_->tolerance();
    least_memory_ = memory_windows_->lowest(first_memory_place_) - base.memory - tolerance;
    most_memory_ = memory_windows_->highest(last_memory_place_) - base.memory + tolerance;
  }
  find_targets(base, host, level);
  for (int first = 1; first < windows_.last_place();) {
    if (!target_[first]) {
      ++first;
      continue;
    }
    int last = first;
    while (last + 1 < windows_.last_place() && target_[last + 1]) ++last;
    if (prepare(base, host, first, last) && !walk(base, level, first, last, visit)) return false;
    first = last + 1;
  }
  return true;
}

// Sorts the groups outside the base into forced, excluded and undecided for targets first_place..last_place, and
// applies the forced ones. False if they already make the targets impossible.
bool StageEnumerator::prepare(const Base& from_base, bool host, int first_place, int last_place) {
  const std::span<const Word> base = from_base.ideal;
  const double tolerance = windows_.tolerance();
  least_ = windows_.lowest(first_place) - from_base.time - tolerance;
  most_ = windows_.highest(last_place) - from_base.time + tolerance;
  const StagePlatform& platform = question_.platform;
  const double memory_limit = host ? platform.host_memory : platform.accelerator_memory;

  candidates_.clear();
  below_.clear();
  excluded_.clear();
  choices_.clear();
  frames_.clear();
  ideal_.assign(base.begin(), base.end());
  hash_ = from_base.hash;
  time_ = load_time_ = memory_ = cut_ = open_time_ = open_load_ = open_memory_ = open_cut_ = 0;
  required_ = -std::numeric_limits<double>::infinity();
  included_ = 0;

  double outside_memory = 0;
  for (GroupId v : graph_.all()) {
    candidate_of_[v] = kNotCandidate;
    if (test_bit(base, v.index())) continue;
    const Group& g = graph_.group(v);
    outside_memory += g.memory;
    bool out = windows_.exit(v) >= last_place || !(host ? question_.fits_host(g) : question_.fits_accelerator(g)) ||
               ancestors_time_[v] - from_base.time > most_ + tolerance ||
               (memory_windows_ && memory_windows_->exit(v) >= last_memory_place_);
    for (GroupId u : graph_.predecessors(v)) out = out || candidate_of_[u] == kOutside;
    if (!out) {
      double time = 0, load_time = 0, memory = 0;
      const auto ancestors = graph_.ancestors(v);
      for (std::size_t w = 0; w < ancestors.size(); ++w) {
        for (Word rest = ancestors[w] & ~base[w]; rest != 0; rest &= rest - 1) {
          const Group& u = graph_.group(GroupId(w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest))));
          time += u.accelerator_time;
          load_time += host ? u.host_time : u.accelerator_time;
          memory += u.memory;
        }
      }
      out = time > most_ || load_time > question_.limit || memory > memory_limit;
    }
    const bool forced =
        windows_.entry(v) <= first_place || (memory_windows_ && memory_windows_->entry(v) <= first_memory_place_);
    if (out) {
      if (forced) return false;
      candidate_of_[v] = kOutside;
    } else if (forced) {
      candidate_of_[v] = kForced;
      set_bit(ideal_, v.index());
      hash_ ^= table_.key(v.index());
      time_ += g.accelerator_time;
      load_time_ += host ? g.host_time : g.accelerator_time;
      memory_ += g.memory;
      ++included_;
    } else {
      candidate_of_[v] = static_cast<std::int32_t>(candidates_.size());
      const double load_time = host ? g.host_time : g.accelerator_time;
      candidates_.push_back({g.accelerator_time, load_time, g.memory, v, 0, 0, 0, 0});
      open_time_ += g.accelerator_time;
      open_load_ += load_time;
      open_memory_ += g.memory;
    }
  }
  memory_free_ = outside_memory <= memory_limit;
  if (memory_ > memory_limit) return false;
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

void StageEnumerator::index_nets(std::span<const Word> base) {
  nets_.clear();
  candidate_nets_.clear();
  std::vector<NetId> touched;
  const auto enter = [&](NetId e) {
    if (local_net_[e] >= 0) return;
    local_net_[e] = static_cast<std::int32_t>(nets_.size());
    touched.push_back(e);
    LocalNet net{graph_.cost(e), static_cast<std::int32_t>(graph_.members(e).size()), 0, 0, 0, 0};
    for (GroupId u : graph_.members(e)) {
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
    if (net.in > 0 && net.base + net.out > 0) cut_ += net.cost;
    open_cut_ += open_cut_of(net);
    nets_.push_back(net);
  };
  for (Candidate& c : candidates_) {
    c.first_net = static_cast<std::uint32_t>(candidate_nets_.size());
    for (NetId e : graph_.nets_of(c.group)) {
      enter(e);
      candidate_nets_.push_back(static_cast<std::uint32_t>(local_net_[e]));
    }
    c.last_net = static_cast<std::uint32_t>(candidate_nets_.size());
  }
  for (GroupId v : graph_.all()) {
    if (candidate_of_[v] != kForced) continue;
    for (NetId e : graph_.nets_of(v)) enter(e);
  }
  for (NetId e : touched) local_net_[e] = -1;
  if (host_) cut_ = open_cut_ = 0;
}

bool StageEnumerator::hopeless() const {
  const StagePlatform& platform = question_.platform;
  if (host_) {
    if (load_time_ > question_.limit || memory_ > platform.host_memory) return true;
  } else {
    if (std::max(time_, least_) + cut_ > question_.limit || memory_ > platform.accelerator_memory) return true;
  }
  if (time_ + open_time_ < least_ || time_ > most_) return true;
  if (memory_ + open_memory_ < least_memory_ || memory_ > most_memory_) return true;
  return load_time_ + open_load_ + cut_ + open_cut_ < required_;
}

void StageEnumerator::include(std::uint32_t index) {
  const Candidate& c = candidates_[index];
  state_[index] = kIn;
  set_bit(ideal_, c.group.index());
  hash_ ^= table_.key(c.group.index());
  ++included_;
  time_ += c.time;
  load_time_ += c.load_time;
  memory_ += c.memory;
  open_time_ -= c.time;
  open_load_ -= c.load_time;
  open_memory_ -= c.memory;
  for (std::uint32_t i = c.first_net; i < c.last_net; ++i) {
    LocalNet& net = nets_[candidate_nets_[i]];
    if (!host_) {
      open_cut_ -= open_cut_of(net);
      if (net.in == 0 && net.base + net.out > 0) cut_ += net.cost;
    }
    ++net.in;
    --net.open;
    if (!host_) open_cut_ += open_cut_of(net);
  }
}

void StageEnumerator::exclude_one(std::uint32_t index) {
  const Candidate& c = candidates_[index];
  state_[index] = kOut;
  excluded_.push_back(index);
  open_time_ -= c.time;
  open_load_ -= c.load_time;
  open_memory_ -= c.memory;
  for (std::uint32_t i = c.first_net; i < c.last_net; ++i) {
    LocalNet& net = nets_[candidate_nets_[i]];
    if (!host_) {
      open_cut_ -= open_cut_of(net);
      if (net.in > 0 && net.base + net.out == 0) cut_ += net.cost;
    }
    ++net.out;
    --net.open;
    if (!host_) open_cut_ += open_cut_of(net);
  }
}

// What taking the candidate in would change, as things stand: for the later stage that would be left with it, and here.
StageEnumerator::Absorption StageEnumerator::absorption(const Candidate& c) const {
  Absorption change{0, c.time, c.load_time};
  for (std::uint32_t i = c.first_net; i < c.last_net; ++i) {
    const LocalNet& net = nets_[candidate_nets_[i]];
    if (net.in + net.base == 0) change.later += net.cost;
    if (net.in + net.base == net.size - 1) change.spared += net.cost;
    if (host_) continue;
    if (net.in == 0) change.added += net.cost;
    if (net.in == net.size - 1) change.added -= net.cost;
  }
  return change;
}

// All predecessors of the candidate are in the ideal, else it would be excluded already: so the dominance test applies.
void StageEnumerator::exclude_with_followers(std::uint32_t index) {
  const Candidate& c = candidates_[index];
  if (memory_free_ || c.memory <= 0) {
    const Absorption change = absorption(c);
    if (change.absorbs()) required_ = std::max(required_, question_.limit * (1 - kRoundingSlack) - change.added);
  }
  choices_.push_back(index);
  exclude_one(index);
  for (std::uint32_t i = c.first_below; i < c.last_below; ++i) {
    if (state_[below_[i]] == kUndecided) exclude_one(below_[i]);
  }
}

void StageEnumerator::undo(Frame& frame) {
  const Candidate& c = candidates_[frame.candidate];
  if (frame.including) {
    state_[frame.candidate] = kUndecided;
    ideal_[c.group.index() / kWordBits] &= ~(Word{1} << (c.group.index() % kWordBits));
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
  // Saved, not subtracted: sums that are taken back exactly cannot drift.
  time_ = frame.time;
  load_time_ = frame.load_time;
  memory_ = frame.memory;
  cut_ = frame.cut;
  open_time_ = frame.open_time;
  open_load_ = frame.open_load;
  open_memory_ = frame.open_memory;
  open_cut_ = frame.open_cut;
  required_ = frame.required;
}

// Whether a group that was left out could have been absorbed; exact at a leaf, where all is decided.
bool StageEnumerator::dominated() const {
  const StagePlatform& platform = question_.platform;
  const double memory_limit = host_ ? platform.host_memory : platform.accelerator_memory;
  for (const std::uint32_t index : choices_) {
    const Candidate& c = candidates_[index];
    if (memory_ + c.memory > memory_limit) continue;
    const Absorption change = absorption(c);
    if (change.absorbs() && load_time_ + cut_ + change.added <= question_.limit * (1 - kRoundingSlack)) return true;
  }
  return false;
}

#ifdef PARTITA_PARANOID
bool StageEnumerator::agrees_with_recomputed_load(const Base& base) const {
  std::vector<GroupId> groups;
  for (GroupId v : graph_.all()) {
    if (test_bit(ideal_, v.index()) && !test_bit(base.ideal, v.index())) groups.push_back(v);
  }
  const double load = host_ ? host_load(graph_, groups) : accelerator_load(graph_, groups);
  return std::abs(load - load_time_ - cut_) <= kRoundingSlack * question_.limit + 1e-300;
}
#endif

bool StageEnumerator::allowed_by_memory(Level level, double memory) const {
  if (!memory_windows_) return true;
  const auto [low, high] = memory_windows_->places_of(memory);
  return memory_windows_->allowed(level.hosts, level.accelerators, low) ||
         memory_windows_->allowed(level.hosts, level.accelerators, high);
}

bool StageEnumerator::walk(const Base& base, Level level, int first_place, int last_place, const Visit& visit) {
  const auto at_leaf = [&]() -> bool {
    if (included_ == 0 || dominated()) return true;
#ifdef PARTITA_PARANOID
    assert(agrees_with_recomputed_load(base));
#endif
    const double time = base.time + time_, memory = base.memory + memory_;
    const auto [low, high] = windows_.places_of(time);
    const bool low_ok = low >= first_place && low <= last_place && target_[low];
    const bool high_ok = high >= first_place && high <= last_place && target_[high];
    if ((!low_ok && !high_ok) || !allowed_by_memory(level, memory)) return true;
    return visit({ideal_, hash_, time, memory});
  };
  std::uint64_t steps = 0;
  std::uint32_t next = 0;
  bool going_on = true;
  for (;;) {
    if (++steps % kStepsPerLook == 0) {
      budget_.spend(kStepsPerLook);
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
      frames_.push_back({next, true, static_cast<std::uint32_t>(excluded_.size()), time_, load_time_, memory_, cut_,
                         open_time_, open_load_, open_memory_, open_cut_, required_});
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
  budget_.spend(steps % kStepsPerLook);
  return going_on;
}

}  // namespace partita
