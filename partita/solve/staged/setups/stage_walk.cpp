// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/setups/stage_walk.h"

#include <algorithm>

#include "partita/reduce/threshold.h"

namespace partita::detail {
namespace {

constexpr std::int32_t kNoCandidate = -1, kBeyond = -2, kNone = -1;
constexpr std::uint64_t kWalkStepsPerLook = 1024;  // between looks at the clock

}  // namespace

StageWalk::StageWalk(const SetupGraph& graph, const SetupRules& rules, const WorkMeasure& measure,
                     const Segment& segment, std::span<const std::uint64_t> keys, Budget& budget)
    : graph_(graph),
      rules_(rules),
      measure_(measure),
      segment_(segment),
      keys_(keys),
      budget_(budget),
      dominance_(dominance_in(rules, segment)),
      longest_way_(dominance_ == Dominance::Anywhere ? longest_way(rules, segment) : 1),
      candidate_of_(graph.size(), kNoCandidate),
      local_net_(graph.net_count(), -1) {}

StageWalk::Dominance StageWalk::dominance_in(const SetupRules& rules, const Segment& segment) {
  const ClusterType& cluster = rules.clusters[segment.type()];
  const bool devices_only =
      std::ranges::none_of(cluster.members, [](const ClusterMember& m) { return m.is_cluster(); });
  if (devices_only && !segment.open()) return Dominance::Near;
  for (const ClusterType& outer : rules.clusters) {
    for (const ClusterMember& member : outer.members) {
      if (!member.is_cluster()) continue;
      for (std::size_t t = 0; t < rules.tariffs(); ++t) {
        const Link& inside = rules.clusters[member.inside].links[t];
        if (inside.factor > outer.links[t].factor || inside.latency > outer.links[t].latency) return Dominance::None;
      }
    }
  }
  return longest_way(rules, segment) < kUnlimited ? Dominance::Anywhere : Dominance::None;
}

// How many times as much a transfer costs at most, where prices rise from the inside out: what it costs across the whole
// platform, of what it costs in the segment. A price is a sum of two products, so no more than the larger of their
// quotients.
double StageWalk::longest_way(const SetupRules& rules, const Segment& segment) {
  double most = 1;
  for (std::size_t t = 0; t < rules.tariffs(); ++t) {
    const Link &far = rules.root().links[t], &near = segment.near(t);
    if (near.factor == 0 || (near.latency == 0 && far.latency > 0)) return kUnlimited;
    most = std::max(most, far.factor / near.factor);
    if (far.latency > 0) most = std::max(most, far.latency / near.latency);
  }
  return most;
}

bool StageWalk::run(const StageQuery& query, const Visit& visit) {
  query_ = query;
  return !prepare() || walk(visit);
}

// Finds the groups that the stage can hold. False if they are too little.
bool StageWalk::prepare() {
  candidates_.clear();
  excluded_.clear();
  choices_.clear();
  absorbable_.clear();
  frames_.clear();
  totals_ = {};
  undecided_.assign(words_for(graph_.size()), 0);
  ideal_.assign(query_.base.begin(), query_.base.end());
  hash_ = query_.hash;
  const ClassId c = query_.setup.device_class;
  // More work than this takes longer than the limit, however well it suits the class.
  const double most_work =
      std::min(query_.most_work, measure_.most(c, query_.limit * query_.setup.replicas) + measure_.tolerance());
  least_compute_ = measure_.least_time(c, query_.least_work);
  for (GroupId v : graph_.all()) {
    candidate_of_[v] = kNoCandidate;
    if (test_bit(query_.base, v.index())) continue;
    const bool forced = query_.windows && query_.windows->entry(v) <= query_.first_place;
    bool out = !segment_.holds(v) || !graph_.time(c, v).can_run ||
               measure_.work_to(v) - query_.base_work > most_work + measure_.tolerance() ||
               (query_.windows && query_.windows->exit(v) >= query_.last_place);
    for (GroupId u : graph_.order().predecessors(v)) out = out || candidate_of_[u] == kBeyond;
    if (out) {
      if (forced) return false;
      candidate_of_[v] = kBeyond;
      continue;
    }
    candidate_of_[v] = static_cast<std::int32_t>(candidates_.size());
    candidates_.push_back({v, 0, 0, forced});
    set_bit(undecided_, v.index());
    totals_.open_work += measure_.work(v);
    totals_.open.add(graph_, c, v);
  }
  if (candidates_.empty() || totals_.open_work < query_.least_work - measure_.tolerance()) return false;
  index_nets();
  state_.assign(candidates_.size(), kUndecided);
  return true;
}

void StageWalk::index_nets() {
  nets_.clear();
  candidate_nets_.clear();
  const SetupClass& pays = rules_.classes[query_.setup.device_class];
  if (!pays.pays()) {
    for (Candidate& candidate : candidates_) candidate.first_net = candidate.last_net = 0;
    return;
  }
  std::vector<NetId> touched;
  for (Candidate& candidate : candidates_) {
    candidate.first_net = static_cast<std::uint32_t>(candidate_nets_.size());
    for (NetId e : graph_.nets_of(candidate.group)) {
      if (local_net_[e] < 0) {
        local_net_[e] = static_cast<std::int32_t>(nets_.size());
        touched.push_back(e);
        const Segment::Prices& prices = segment_.prices(pays.tariff, e);
        LocalNet net{prices.in,
                     prices.near,
                     prices.far,
                     0,
                     0,
                     0,
                     static_cast<std::int8_t>(graph_.pass(e)),
                     graph_.producer(e).valid(),
                     kOut};
        for (GroupId u : graph_.members(e)) {
          if (!segment_.holds(u)) continue;
          ++net.near;
          net.out += candidate_of_[u] < 0;
        }
        if (net.directed && candidate_of_[graph_.producer(e)] >= 0) net.producer = kUndecided;
        nets_.push_back(net);
        count_open(net, 1, totals_.open);
      }
      candidate_nets_.push_back({static_cast<std::uint32_t>(local_net_[e]), graph_.producer(e) == candidate.group});
    }
    candidate.last_net = static_cast<std::uint32_t>(candidate_nets_.size());
  }
  for (NetId e : touched) local_net_[e] = -1;
}

void StageWalk::count(const LocalNet& net, double sign, StageSums& sums) {
  if (net.in == 0) return;
  if (!net.directed) {
    if (net.out > 0) sums.in[net.pass] += sign * net.near_cost;
  } else if (net.producer == kIn) {
    sums.out[net.pass] += sign * (net.out > 0 ? std::max(net.near_cost, net.far_cost) : net.far_cost);
  } else if (net.producer == kOut) {
    sums.in[net.pass] += sign * net.in_cost;
  }
}

void StageWalk::count_open(const LocalNet& net, double sign, StageSums& open) {
  if (!net.is_open()) return;
  if (!net.directed) {
    if (net.in == 0 || net.out == 0) open.in[net.pass] += sign * net.near_cost;
    return;
  }
  if (net.producer != kIn && (net.producer != kOut || net.in == 0)) open.in[net.pass] += sign * net.in_cost;
  if (net.producer != kOut && (net.producer != kIn || net.out == 0))
    open.out[net.pass] += sign * std::max(net.near_cost, net.far_cost);
}

void StageWalk::count_final(const LocalNet& net, double sign, std::array<double, 2>& in, std::array<double, 2>& out) {
  if (net.in == 0) return;
  if (!net.directed) {
    if (net.in < net.near) in[net.pass] += sign * net.near_cost;
  } else if (net.producer == kIn) {
    out[net.pass] += sign * (net.in < net.near ? std::max(net.near_cost, net.far_cost) : net.far_cost);
  } else {
    in[net.pass] += sign * net.in_cost;
  }
}

StageSums StageWalk::final_sums() const {
  StageSums sums = totals_.sums;
  sums.in = totals_.in;
  sums.out = totals_.out;
  return sums;
}

void StageWalk::include(std::uint32_t index) {
  const Candidate& candidate = candidates_[index];
  state_[index] = kIn;
  reset_bit(undecided_, candidate.group.index());
  set_bit(ideal_, candidate.group.index());
  hash_ ^= keys_[candidate.group.index()];
  totals_.sums.add(graph_, query_.setup.device_class, candidate.group);
  totals_.open.add(graph_, query_.setup.device_class, candidate.group, -1);
  totals_.work += measure_.work(candidate.group);
  totals_.open_work -= measure_.work(candidate.group);
  for (std::uint32_t i = candidate.first_net; i < candidate.last_net; ++i) {
    LocalNet& net = nets_[candidate_nets_[i].net];
    count(net, -1, totals_.sums);
    count_open(net, -1, totals_.open);
    count_final(net, -1, totals_.in, totals_.out);
    ++net.in;
    if (candidate_nets_[i].produces) net.producer = kIn;
    count(net, 1, totals_.sums);
    count_open(net, 1, totals_.open);
    count_final(net, 1, totals_.in, totals_.out);
  }
}

void StageWalk::exclude(std::uint32_t index) {
  const Candidate& candidate = candidates_[index];
  state_[index] = kOut;
  reset_bit(undecided_, candidate.group.index());
  excluded_.push_back(index);
  totals_.open.add(graph_, query_.setup.device_class, candidate.group, -1);
  totals_.open_work -= measure_.work(candidate.group);
  for (std::uint32_t i = candidate.first_net; i < candidate.last_net; ++i) {
    LocalNet& net = nets_[candidate_nets_[i].net];
    count(net, -1, totals_.sums);
    count_open(net, -1, totals_.open);
    ++net.out;
    if (candidate_nets_[i].produces) net.producer = kOut;
    count(net, 1, totals_.sums);
    count_open(net, 1, totals_.open);
  }
}

void StageWalk::exclude_followers(GroupId v) {
  const std::span<const Word> followers = graph_.order().descendants(v);
  for (std::size_t w = 0; w < followers.size(); ++w) {
    for (Word rest = followers[w] & undecided_[w]; rest != 0; rest &= rest - 1) {
      const GroupId u(w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest)));
      exclude(static_cast<std::uint32_t>(candidate_of_[u]));
    }
  }
}

bool StageWalk::all_undecided_follow(GroupId v) const {
  const std::span<const Word> followers = graph_.order().descendants(v);
  for (std::size_t w = 0; w < followers.size(); ++w) {
    if (undecided_[w] & ~followers[w]) return false;
  }
  return true;
}

// All but the totals, which the frames keep: sums that are restored cannot drift.
void StageWalk::take_back(std::uint32_t index) {
  const Candidate& candidate = candidates_[index];
  const bool was_in = state_[index] == kIn;
  state_[index] = kUndecided;
  set_bit(undecided_, candidate.group.index());
  if (was_in) {
    reset_bit(ideal_, candidate.group.index());
    hash_ ^= keys_[candidate.group.index()];
  }
  for (std::uint32_t i = candidate.first_net; i < candidate.last_net; ++i) {
    LocalNet& net = nets_[candidate_nets_[i].net];
    --(was_in ? net.in : net.out);
    if (candidate_nets_[i].produces) net.producer = kUndecided;
  }
}

bool StageWalk::hopeless() const {
  // Sums that things are taken away from again may end a little below 0.
  if (totals_.work + totals_.open_work < query_.least_work - measure_.tolerance()) return true;
  if (totals_.work > query_.most_work + measure_.tolerance()) return true;
  const Setup& setup = query_.setup;
  if (stage_memory(setup, totals_.sums.memory, query_.in_flight) > rules_.classes[setup.device_class].memory)
    return true;
  StageSums sums = totals_.sums;
  // With one pass, or where passes add up anyway, compute still to come counts together with the nets.
  const double missing = least_compute_ - sums.compute[0] - sums.compute[1];
  if (missing > 0) {
    if (graph_.passes() == 1) {
      sums.compute[0] += missing;
    } else if (least_compute_ > query_.limit * setup.replicas) {
      return true;
    }
  }
  return stage_load(rules_, graph_.passes(), segment_.factor(), setup, sums) > query_.limit;
}

bool StageWalk::report(const Visit& visit) {
  if (totals_.work < query_.least_work - measure_.tolerance()) return true;
  const StageSums sums = final_sums();
  if (stage_load(rules_, graph_.passes(), segment_.factor(), query_.setup, sums) > query_.limit) return true;
  if (dominance_ != Dominance::None && dominated()) return true;
  return visit({ideal_, hash_, query_.base_work + totals_.work, sums});
}

// The sums of the stage with one more group, everything else being outside.
StageSums StageWalk::sums_with(const Candidate& candidate) const {
  StageSums sums = final_sums();
  sums.add(graph_, query_.setup.device_class, candidate.group);
  for (std::uint32_t i = candidate.first_net; i < candidate.last_net; ++i) {
    LocalNet net = nets_[candidate_nets_[i].net];
    count_final(net, -1, sums.in, sums.out);
    ++net.in;
    if (candidate_nets_[i].produces) net.producer = kIn;
    count_final(net, 1, sums.in, sums.out);
  }
  return sums;
}

bool StageWalk::absorbs(GroupId v) const {
  switch (dominance_) {
    case Dominance::None: return false;
    case Dominance::Near: return spares_nothing(graph_, rules_, segment_, ideal_, v);
    case Dominance::Anywhere: return harms_nobody(graph_, rules_, ideal_, v);
  }
  return false;
}

// Whether a stage is within the limits whatever way its transfers go. What prunes is exact only up to rounding, so a
// set that is meant to replace another must not itself be in danger.
bool StageWalk::surely_fits(StageSums sums) const {
  for (std::size_t pass : {0, 1}) {
    sums.in[pass] *= longest_way_;
    sums.out[pass] *= longest_way_;
  }
  const Setup& setup = query_.setup;
  return stage_load(rules_, graph_.passes(), segment_.factor(), setup, sums) <= query_.limit * (1 - kRoundingSlack) &&
         stage_memory(setup, sums.memory, query_.most_in_flight) <= rules_.classes[setup.device_class].memory;
}

// Called before the choice is excluded.
void StageWalk::note_if_absorbable(std::uint32_t index) {
  const Candidate& candidate = candidates_[index];
  if (!absorbs(candidate.group)) return;
  StageSums added;
  added.add(graph_, query_.setup.device_class, candidate.group);
  for (std::uint32_t i = candidate.first_net; i < candidate.last_net; ++i) {
    const LocalNet& net = nets_[candidate_nets_[i].net];
    if (!net.directed) {
      if (net.in == 0) added.in[net.pass] += net.near_cost;
    } else if (candidate_nets_[i].produces) {
      added.out[net.pass] += std::max(net.near_cost, net.far_cost);
    } else if (net.in == 0) {
      added.in[net.pass] += net.in_cost;
    }
  }
  absorbable_.push_back(added);
}

// Whether some choice would fit even with all that is undecided.
bool StageWalk::surely_dominated() const {
  if (absorbable_.empty()) return false;
  StageSums most = totals_.sums;
  most.add(totals_.open);
  if (!surely_fits(most)) return false;
  return std::ranges::any_of(absorbable_, [&](const StageSums& added) {
    StageSums with = most;
    with.add(added);
    return surely_fits(with);
  });
}

bool StageWalk::dominated() const {
  return std::ranges::any_of(choices_, [&](std::uint32_t choice) {
    return surely_fits(sums_with(candidates_[choice])) && absorbs(candidates_[choice].group);
  });
}

void StageWalk::leave_frame() {
  const Frame& frame = frames_.back();
  while (excluded_.size() > frame.excluded) {
    take_back(excluded_.back());
    excluded_.pop_back();
  }
  choices_.resize(frame.choices);
  absorbable_.resize(frame.absorbable);
  if (frame.candidate != kNone) take_back(static_cast<std::uint32_t>(frame.candidate));
  frames_.pop_back();
  if (!frames_.empty()) totals_ = frames_.back().totals;
}

bool StageWalk::walk(const Visit& visit) {
  frames_.push_back({totals_, kNone, 0, kNone, 0, 0, 0});
  while (!frames_.empty()) {
    if (++steps_ % kWalkStepsPerLook == 0) {
      budget_.spend(kWalkStepsPerLook);
      if (budget_.exhausted()) return false;
    }
    Frame& frame = frames_.back();
    if (frame.pending != kNone) {
      const auto pending = static_cast<std::uint32_t>(frame.pending);
      frame.pending = kNone;
      if (candidates_[pending].forced) {
        leave_frame();
        continue;
      }
      choices_.push_back(pending);
      const GroupId v = candidates_[pending].group;
      if (all_undecided_follow(v)) {
        // Nothing is left to decide.
        if (frame.candidate != kNone && !report(visit)) return false;
        leave_frame();
        continue;
      }
      note_if_absorbable(pending);
      exclude(pending);
      exclude_followers(v);
      frame.totals = totals_;
      if (hopeless() || surely_dominated()) {
        leave_frame();
        continue;
      }
    }
    while (frame.next < candidates_.size() && state_[frame.next] != kUndecided) ++frame.next;
    if (frame.next == candidates_.size()) {
      if (frame.candidate != kNone && !report(visit)) return false;
      leave_frame();
      continue;
    }
    const std::uint32_t index = frame.next++;
    frame.pending = static_cast<std::int32_t>(index);
    include(index);
    if (hopeless()) {
      take_back(index);
      totals_ = frame.totals;
      continue;
    }
    frames_.push_back({totals_, static_cast<std::int32_t>(index), index + 1, kNone, excluded_.size(), choices_.size(),
                       absorbable_.size()});
  }
  return true;
}

}  // namespace partita::detail
