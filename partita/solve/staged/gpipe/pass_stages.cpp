// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/gpipe/pass_stages.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>

#include "partita/solve/staged/staged_split.h"

namespace partita {
namespace {

enum State : char { kUndecided, kIn, kOut };
constexpr std::uint64_t kStepsPerLook = 4096;  // between looks at the clock
constexpr std::int32_t kNotCandidate = -1, kOutside = -2, kForced = -3;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

PassStages::PassStages(const PassGraphs& graphs, const PassQuestion& question, int window_buckets,
                       const IdealTable& table, Budget& budget)
    : graphs_(graphs),
      question_(question),
      table_(table),
      budget_(budget),
      candidate_of_(graphs.size(), kNotCandidate) {
  measures_.reserve(kMostMeasures);
  for (std::size_t p = 0; p < kPasses; ++p)
    local_net_[p] = IdVector<NetId, std::int32_t>(graphs.pass[p].net_count(), -1);
  add_measure(graphs.both, question.both, Windows::Measure::Time, window_buckets, std::nullopt);
  for (std::size_t p = 0; p < kPasses; ++p) {
    // A pass without work has no windows: all ideals hold the same of it.
    if (graphs.pass[p].total_accelerator_time() <= 0) continue;
    add_measure(graphs.pass[p], question.pass[p], Windows::Measure::Time, window_buckets, p);
  }
  if (graphs.both.total_memory() > question.both.platform.accelerator_memory)
    add_measure(graphs.both, question.both, Windows::Measure::Memory, window_buckets, std::nullopt);
}

void PassStages::add_measure(const StageGraph& graph, const Threshold& question, Windows::Measure kind, int buckets,
                             std::optional<std::size_t> pass) {
  if (!feasible_) return;
  const bool memory = kind == Windows::Measure::Memory;
  IdVector<GroupId, double> weight(graph.size());
  for (GroupId v : graph.all()) weight[v] = memory ? graph.group(v).memory : graph.accelerator_time(v);
  measures_.push_back({Windows(graph, question, {buckets, kind, true}, budget_), std::move(weight), pass, memory});
  feasible_ = measures_.back().windows.feasible();
}

bool PassStages::too_heavy(const PassLoads& load, double slack) const {
  return load[0] > question_.pass[0].limit * (1 - slack) || load[1] > question_.pass[1].limit * (1 - slack) ||
         load[0] + load[1] > question_.both.limit * (1 - slack);
}

bool PassStages::rest_fits(std::span<const Word> base, bool host) const {
  std::vector<GroupId> rest;
  double memory = 0;
  for (GroupId v : graphs_.both.all()) {
    if (test_bit(base, v.index())) continue;
    const Group& g = graphs_.both.group(v);
    if (!(host ? g.on_host : g.on_accelerator)) return false;
    memory += g.memory;
    rest.push_back(v);
  }
  const StagePlatform& platform = question_.both.platform;
  if (memory > (host ? platform.host_memory : platform.accelerator_memory)) return false;
  PassLoads load;
  for (std::size_t p = 0; p < kPasses; ++p)
    load[p] = host ? host_load(graphs_.pass[p], rest) : accelerator_load(graphs_.pass[p], rest);
  return !too_heavy(load, 0);
}

bool PassStages::absorbs(std::span<const Word> ideal, GroupId v) const {
  for (const StageGraph& graph : graphs_.pass) {
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

bool PassStages::run(const Base& base, bool host, Level level, const Visit& visit) {
  host_ = host;
  return !aim(base, level) || !prepare(base) || walk(base, level, visit);
}

// How much the stage must and may hold of each measure. False if no place of the level is allowed.
bool PassStages::aim(const Base& base, Level level) {
  for (Measure& m : measures_) {
    std::tie(m.first, m.last) = m.windows.allowed_range(level.hosts, level.accelerators);
    if (m.first > m.last) return false;
    m.base = 0;
    for_each_bit(base.ideal, [&](std::size_t v) { m.base += m.weight[GroupId(v)]; });
    m.least = m.windows.lowest(m.first) - m.base - m.windows.tolerance();
    m.most = m.windows.highest(m.last) - m.base + m.windows.tolerance();
  }
  return true;
}

// Sorts the groups outside the base into forced, excluded and undecided, and applies the forced ones. False if they
// already make it impossible.
bool PassStages::prepare(const Base& from_base) {
  const std::span<const Word> base = from_base.ideal;
  candidates_.clear();
  below_.clear();
  excluded_.clear();
  choices_.clear();
  frames_.clear();
  ideal_.assign(base.begin(), base.end());
  hash_ = from_base.hash;
  sums_ = Sums{};
  sums_.demand.fill(-kInfinity);
  sums_.demand_both = -kInfinity;
  included_ = outside_ = 0;
  const auto load_time = [&](GroupId v) {
    PassLoads time;
    for (std::size_t p = 0; p < kPasses; ++p)
      time[p] = host_ ? graphs_.pass[p].host_time(v) : graphs_.pass[p].accelerator_time(v);
    return time;
  };

  double outside_memory = 0;
  for (GroupId v : graphs_.both.all()) {
    candidate_of_[v] = kNotCandidate;
    if (test_bit(base, v.index())) continue;
    const Group& g = graphs_.both.group(v);
    outside_memory += g.memory;
    ++outside_;
    bool out = !(host_ ? g.on_host : g.on_accelerator), forced = false;
    for (const Measure& m : measures_) {
      out = out || m.windows.exit(v) >= m.last;
      forced = forced || m.windows.entry(v) <= m.first;
    }
    for (GroupId u : graphs_.both.predecessors(v)) out = out || candidate_of_[u] == kOutside;
    if (!out) {  // with all that must come along
      PassLoads time{};
      double memory = 0;
      Amounts amount{};
      const auto ancestors = graphs_.both.ancestors(v);
      for (std::size_t w = 0; w < ancestors.size(); ++w) {
        for (Word rest = ancestors[w] & ~base[w]; rest != 0; rest &= rest - 1) {
          const GroupId u(w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest)));
          const PassLoads more = load_time(u);
          for (std::size_t p = 0; p < kPasses; ++p) time[p] += more[p];
          memory += graphs_.both.group(u).memory;
          for (std::size_t j = 0; j < measures_.size(); ++j) amount[j] += measures_[j].weight[u];
        }
      }
      out = too_heavy(time, 0) || memory > memory_limit();
      for (std::size_t j = 0; j < measures_.size(); ++j) out = out || amount[j] > measures_[j].most;
    }
    if (out && forced) return false;
    const PassLoads time = load_time(v);
    if (out) {
      candidate_of_[v] = kOutside;
    } else if (forced) {
      candidate_of_[v] = kForced;
      set_bit(ideal_, v.index());
      hash_ ^= table_.key(v.index());
      for (std::size_t p = 0; p < kPasses; ++p) sums_.load_time[p] += time[p];
      for (std::size_t j = 0; j < measures_.size(); ++j) sums_.inside[j] += measures_[j].weight[v];
      sums_.memory += g.memory;
      ++included_;
    } else {
      candidate_of_[v] = static_cast<std::int32_t>(candidates_.size());
      Candidate c{v, time, g.memory, {}, 0, 0, 0, 0};
      for (std::size_t p = 0; p < kPasses; ++p) sums_.open_load[p] += time[p];
      for (std::size_t j = 0; j < measures_.size(); ++j) {
        c.amount[j] = measures_[j].weight[v];
        sums_.open[j] += c.amount[j];
      }
      candidates_.push_back(c);
    }
  }
  memory_free_ = outside_memory <= memory_limit();
  if (sums_.memory > memory_limit()) return false;
  for (Candidate& c : candidates_) {
    c.first_below = static_cast<std::uint32_t>(below_.size());
    for_each_bit(graphs_.both.descendants(c.group), [&](std::size_t w) {
      const std::int32_t other = candidate_of_[GroupId(w)];
      if (other >= 0 && GroupId(w) != c.group) below_.push_back(static_cast<std::uint32_t>(other));
    });
    c.last_below = static_cast<std::uint32_t>(below_.size());
  }
  index_nets(base);
  state_.assign(candidates_.size(), kUndecided);
  return true;
}

void PassStages::index_nets(std::span<const Word> base) {
  nets_.clear();
  candidate_nets_.clear();
  std::array<std::vector<NetId>, kPasses> touched;
  const auto enter = [&](std::size_t p, NetId e) {
    if (local_net_[p][e] >= 0) return;
    const StageGraph& graph = graphs_.pass[p];
    local_net_[p][e] = static_cast<std::int32_t>(nets_.size());
    touched[p].push_back(e);
    LocalNet net{
        graph.cost(e), static_cast<std::uint32_t>(p), static_cast<std::int32_t>(graph.members(e).size()), 0, 0, 0, 0};
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
    if (net.may_yet_be_cut()) sums_.open_cut[p] += net.cost;
    nets_.push_back(net);
  };
  for (Candidate& c : candidates_) {
    c.first_net = static_cast<std::uint32_t>(candidate_nets_.size());
    for (std::size_t p = 0; p < kPasses; ++p) {
      for (NetId e : graphs_.pass[p].nets_of(c.group)) {
        enter(p, e);
        candidate_nets_.push_back(static_cast<std::uint32_t>(local_net_[p][e]));
      }
    }
    c.last_net = static_cast<std::uint32_t>(candidate_nets_.size());
  }
  for (GroupId v : graphs_.both.all()) {
    if (candidate_of_[v] != kForced) continue;
    for (std::size_t p = 0; p < kPasses; ++p) {
      for (NetId e : graphs_.pass[p].nets_of(v)) enter(p, e);
    }
  }
  for (std::size_t p = 0; p < kPasses; ++p) {
    for (NetId e : touched[p]) local_net_[p][e] = -1;
    if (host_) sums_.cut[p] = sums_.open_cut[p] = 0;
  }
}

bool PassStages::hopeless() const {
  const Sums& s = sums_;
  if (s.memory > memory_limit()) return true;
  const PassLoads load{s.load_time[0] + s.cut[0], s.load_time[1] + s.cut[1]};
  if (too_heavy(load, 0)) return true;
  for (std::size_t j = 0; j < measures_.size(); ++j) {
    const Measure& m = measures_[j];
    if (s.inside[j] + s.open[j] < m.least || s.inside[j] > m.most) return true;
    if (host_ || m.memory) continue;
    const double cut = m.pass ? s.cut[*m.pass] : s.cut[0] + s.cut[1];
    if (m.least + cut > (m.pass ? question_.pass[*m.pass].limit : question_.both.limit)) return true;
  }
  const double most_forward = load[0] + s.open_load[0] + s.open_cut[0];
  const double most_backward = load[1] + s.open_load[1] + s.open_cut[1];
  return most_forward < s.demand[0] && most_backward < s.demand[1] && most_forward + most_backward < s.demand_both;
}

void PassStages::include(std::uint32_t index) {
  const Candidate& c = candidates_[index];
  state_[index] = kIn;
  set_bit(ideal_, c.group.index());
  hash_ ^= table_.key(c.group.index());
  ++included_;
  for (std::size_t p = 0; p < kPasses; ++p) {
    sums_.load_time[p] += c.load_time[p];
    sums_.open_load[p] -= c.load_time[p];
  }
  for (std::size_t j = 0; j < measures_.size(); ++j) {
    sums_.inside[j] += c.amount[j];
    sums_.open[j] -= c.amount[j];
  }
  sums_.memory += c.memory;
  for (std::uint32_t i = c.first_net; i < c.last_net; ++i) {
    LocalNet& net = nets_[candidate_nets_[i]];
    if (host_) {
      ++net.in;
      --net.open;
      continue;
    }
    if (net.may_yet_be_cut()) sums_.open_cut[net.pass] -= net.cost;
    if (net.in == 0 && net.base + net.out > 0) sums_.cut[net.pass] += net.cost;
    ++net.in;
    --net.open;
    if (net.may_yet_be_cut()) sums_.open_cut[net.pass] += net.cost;
  }
}

void PassStages::exclude_one(std::uint32_t index) {
  const Candidate& c = candidates_[index];
  state_[index] = kOut;
  excluded_.push_back(index);
  for (std::size_t p = 0; p < kPasses; ++p) sums_.open_load[p] -= c.load_time[p];
  for (std::size_t j = 0; j < measures_.size(); ++j) sums_.open[j] -= c.amount[j];
  for (std::uint32_t i = c.first_net; i < c.last_net; ++i) {
    LocalNet& net = nets_[candidate_nets_[i]];
    if (host_) {
      ++net.out;
      --net.open;
      continue;
    }
    if (net.may_yet_be_cut()) sums_.open_cut[net.pass] -= net.cost;
    if (net.in > 0 && net.base + net.out == 0) sums_.cut[net.pass] += net.cost;
    ++net.out;
    --net.open;
    if (net.may_yet_be_cut()) sums_.open_cut[net.pass] += net.cost;
  }
}

// What taking the candidate in would change, as things stand: for the later stage that would be left with it, and here.
PassStages::Absorption PassStages::absorption(const Candidate& c) const {
  Absorption change{{}, {}, c.load_time};
  for (std::size_t p = 0; p < kPasses; ++p) change.spared[p] = graphs_.pass[p].accelerator_time(c.group);
  for (std::uint32_t i = c.first_net; i < c.last_net; ++i) {
    const LocalNet& net = nets_[candidate_nets_[i]];
    if (net.in + net.base == 0) change.later[net.pass] += net.cost;
    if (net.in + net.base == net.size - 1) change.spared[net.pass] += net.cost;
    if (host_) continue;
    if (net.in == 0) change.added[net.pass] += net.cost;
    if (net.in == net.size - 1) change.added[net.pass] -= net.cost;
  }
  return change;
}

// All predecessors of the candidate are in the ideal, else it would be excluded already: so the dominance test applies.
void PassStages::exclude_with_followers(std::uint32_t index) {
  const Candidate& c = candidates_[index];
  if (memory_free_ || c.memory <= 0) {
    const Absorption change = absorption(c);
    const double both = question_.both.limit * (1 - kRoundingSlack) - change.added[0] - change.added[1];
    if (change.absorbs() && both > sums_.demand_both) {
      sums_.demand_both = both;
      for (std::size_t p = 0; p < kPasses; ++p)
        sums_.demand[p] = question_.pass[p].limit * (1 - kRoundingSlack) - change.added[p];
    }
  }
  choices_.push_back(index);
  exclude_one(index);
  for (std::uint32_t i = c.first_below; i < c.last_below; ++i) {
    if (state_[below_[i]] == kUndecided) exclude_one(below_[i]);
  }
}

void PassStages::undo(const Frame& frame) {
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
  sums_ = frame.sums;
}

// Whether a group that was left out could have been absorbed; exact at a leaf, where all is decided.
bool PassStages::dominated() const {
  for (const std::uint32_t index : choices_) {
    const Candidate& c = candidates_[index];
    if (sums_.memory + c.memory > memory_limit()) continue;
    const Absorption change = absorption(c);
    if (!change.absorbs()) continue;
    PassLoads load;
    for (std::size_t p = 0; p < kPasses; ++p) load[p] = sums_.load_time[p] + sums_.cut[p] + change.added[p];
    if (!too_heavy(load, kRoundingSlack)) return true;
  }
  return false;
}

bool PassStages::allowed(Level level) const {
  for (std::size_t j = 0; j < measures_.size(); ++j) {
    const Measure& m = measures_[j];
    const auto [low, high] = m.windows.places_of(m.base + sums_.inside[j]);
    if (!m.windows.allowed(level.hosts, level.accelerators, low) &&
        !m.windows.allowed(level.hosts, level.accelerators, high)) {
      return false;
    }
  }
  return true;
}

bool PassStages::walk(const Base& base, Level level, const Visit& visit) {
  const auto at_leaf = [&]() -> bool {
    if (included_ == 0 || included_ == outside_ || dominated() || !allowed(level)) return true;
    return visit({ideal_, hash_, base.time + sums_.inside[0], base.memory + sums_.memory});
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
  budget_.spend(steps % kStepsPerLook);
  return going_on;
}

}  // namespace partita
