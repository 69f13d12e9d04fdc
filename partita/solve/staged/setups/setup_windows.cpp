// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/setups/setup_windows.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "partita/reduce/never.h"

namespace partita::detail {
namespace {

constexpr std::size_t kMostVectors = 256;
constexpr int kAnyNumber = std::numeric_limits<int>::max();

// Small graphs have few ideals to tell apart.
int most_useful_buckets(const SetupGraph& graph) {
  return static_cast<int>(std::min<std::size_t>(4 * graph.size() + 1, 4096));
}

// By type and tariff: the least factor and latency of the clusters around one of that type; infinite around the root.
std::vector<std::vector<Link>> links_around(const SetupRules& rules) {
  const std::vector<Link> none(rules.tariffs(), Link{kNever, kNever});
  std::vector<std::vector<Link>> least(rules.clusters.size(), none);
  for (std::size_t type = rules.clusters.size(); type-- > 0;) {
    for (const ClusterMember& member : rules.clusters[type].members) {
      if (!member.is_cluster()) continue;
      for (std::size_t t = 0; t < rules.tariffs(); ++t) {
        least[member.inside][t] =
            least_of(least[member.inside][t], least_of(least[type][t], rules.clusters[type].links[t]));
      }
    }
  }
  return least;
}

// How many copies a device can have, those of the clusters around it included.
int most_copies(const SetupRules& rules, std::size_t type) {
  int most = 1;
  for (const ClusterMember& member : rules.clusters[type].members) {
    const int copies = std::min(member.count, rules.replicas);
    most = std::max(most, member.is_cluster() ? copies * most_copies(rules, member.inside) : copies);
  }
  return most;
}

}  // namespace

bool SetupWindows::worthwhile(const SetupRules& rules) {
  return std::ranges::all_of(rules.clusters,
                             [](const ClusterType& c) { return DeviceCounts::vectors(c) <= kMostVectors; });
}

SetupWindows::SetupWindows(const SetupGraph& graph, const SetupRules& rules, const WorkMeasure& measure, double limit,
                           int buckets, const Budget& budget)
    : graph_(graph),
      rules_(rules),
      measure_(measure),
      limit_(limit),
      budget_(budget),
      buckets_(std::clamp(buckets, 1, most_useful_buckets(graph))),
      tolerance_(1e-9 * measure.total()),
      most_copies_(most_copies(rules, rules.clusters.size() - 1)) {
  assert(graph.order().has_closure());
  find_places();
  bound_pairs();
  if (rules.has_clusters()) price_ways();
  const std::size_t root = add_level(rules.clusters.size() - 1, 1);
  reach(levels_[root], 0, last_place());
  feasible_ = graph.size() == 0 || ends_at(levels_[root], last_place());
  for (const ClusterType& type : rules.clusters)
    allowed_.emplace_back(index(last_place()) + 1, DeviceCounts::vectors(type));
  boundary_.assign(index(last_place()) + 1, 0);
  farthest_.assign(rules.classes.size(), std::vector<int>(index(last_place()) + 1, -1));
  if (feasible_) mark(root, 0, last_place());
  for (std::vector<int>& row : farthest_)
    std::partial_sum(row.begin(), row.end(), row.begin(), [](int a, int b) { return std::max(a, b); });
}

// --- places ---

void SetupWindows::find_places() {
  const double total = measure_.total();
  lower_.assign(index(last_place()) + 1, 0);
  upper_.assign(index(last_place()) + 1, 0);
  for (int b = 1; b <= buckets_; ++b) {
    lower_[index(b)] = total * (b - 1) / buckets_;
    upper_[index(b)] = total * b / buckets_;
  }
  lower_[index(last_place())] = upper_[index(last_place())] = total;
  possible_.assign(index(last_place()) + 1, 1);
  entry_.assign(graph_.size(), 0);
  exit_.assign(graph_.size(), 0);
  for (GroupId v : graph_.all()) {
    double from = 0;  // work of the group and its descendants
    for_each_bit(graph_.order().descendants(v), [&](std::size_t u) { from += measure_.work(GroupId(u)); });
    const double most_without = total - from + tolerance_;
    const double least_with = measure_.work_to(v) - tolerance_;
    int& entry = entry_[v] = 1;
    while (entry <= buckets_ && lower_[index(entry)] <= most_without) ++entry;
    int& exit = exit_[v] = buckets_;
    while (exit >= 1 && upper_[index(exit)] >= least_with) --exit;
    // No ideal is where a group would have to be both in and out.
    for (int place = entry; place <= exit; ++place) possible_[index(place)] = 0;
  }
}

std::pair<int, int> SetupWindows::places_of(std::span<const Word> ideal, double work) const {
  std::size_t size = 0;
  for (Word w : ideal) size += static_cast<std::size_t>(std::popcount(w));
  if (size == 0) return {0, 0};
  if (size == graph_.size()) return {last_place(), last_place()};
  if (measure_.total() <= 0) return {1, buckets_};
  const auto bucket = [&](double x) {
    return std::clamp(static_cast<int>(x / measure_.total() * buckets_) + 1, 1, buckets_);
  };
  return {bucket(work - tolerance_), bucket(work + tolerance_)};
}

// --- pairs of places ---

// Beyond this place, no class is fast enough for the work between.
int SetupWindows::last_useful(int from) const {
  int last = from;
  while (last < last_place()) {
    const double work = lower_[index(last + 1)] - upper_[index(from)] - 2 * tolerance_;
    bool possible = false;
    for (ClassId c : graph_.classes()) possible = possible || measure_.least_time(c, work) <= limit_ * most_copies_;
    if (!possible) break;
    ++last;
  }
  return last;
}

void SetupWindows::bound_pairs() {
  std::vector<int> last;
  first_pair_.assign(1, 0);
  for (int from = 0; from <= last_place(); ++from) {
    last.push_back(last_useful(from));
    first_pair_.push_back(first_pair_.back() + index(last.back() - from) + 1);
  }
  pairs_.assign(first_pair_.back(), {});
  core_.assign(index(last_place()) + 1, {});
  times_.assign(first_pair_.back() * rules_.classes.size(), {});
  for (int from = 0; from <= buckets_; ++from) bound_pairs_from(from, last[index(from)]);
}

// One sweep over `to` from `from` on. A group that is not in at `from` starts as outer (out at `to`), gets undecided
// once `to` passes its exit, and becomes core at its entry if it is surely out at `from`.
void SetupWindows::bound_pairs_from(int from, int last) {
  enum Side : char { kUndecided, kOuter, kCore };
  IdVector<GroupId, Side> side(graph_.size(), kUndecided);
  IdVector<NetId, int> outer(graph_.net_count(), 0), core(graph_.net_count(), 0);
  std::vector<std::vector<GroupId>> freed(index(last) + 2), entering(index(last) + 2);
  for (GroupId v : graph_.all()) {
    const bool always_outer = entry_[v] <= from;
    if (!always_outer && exit_[v] < from) continue;  // undecided at every `to`
    side[v] = kOuter;
    for (NetId e : graph_.nets_of(v)) ++outer[e];
    if (always_outer) continue;
    if (exit_[v] < last) freed[index(exit_[v]) + 1].push_back(v);
    if (entry_[v] <= last) entering[index(entry_[v])].push_back(v);
  }
  for (const std::vector<GroupId>& groups : entering)
    core_[index(from)].insert(core_[index(from)].end(), groups.begin(), groups.end());
  Pair sums;
  std::vector<ClassTime> times(rules_.classes.size());
  const auto count = [&](NetId e, double sign) {
    if (core[e] == 0 || outer[e] == 0) return;
    const GroupId producer = graph_.producer(e);
    const auto pass = static_cast<std::size_t>(graph_.pass(e));
    if (producer.valid() && side[producer] == kCore) {
      sums.transfers.out[pass].add(graph_.traffic(e), sign);
    } else if (rules_.transfers != TransferMode::Duplex || side[producer] == kOuter) {
      sums.transfers.in[pass].add(graph_.traffic(e), sign);
    }
  };
  const auto change = [&](GroupId v, Side to) {
    for (NetId e : graph_.nets_of(v)) count(e, -1);
    for (NetId e : graph_.nets_of(v)) {
      outer[e] -= side[v] == kOuter;
      core[e] += to == kCore;
    }
    side[v] = to;
    for (NetId e : graph_.nets_of(v)) count(e, 1);
  };
  for (int to = from; to <= last; ++to) {
    for (GroupId v : freed[index(to)]) {
      if (side[v] == kOuter) change(v, kUndecided);
    }
    for (GroupId v : entering[index(to)]) {
      change(v, kCore);
      sums.memory.add(graph_.memory(v));
      for (ClassId c : graph_.classes()) {
        const ClassTime& time = graph_.time(c, v);
        ClassTime& sum = times[c.index()];
        for (std::size_t pass : {0, 1}) sum.pass[pass] += time.pass[pass];
        sum.recompute += time.recompute;
        sum.can_run = sum.can_run && time.can_run;
      }
    }
    const std::size_t at = pair(from, to);
    pairs_[at] = sums;
    pairs_[at].work = std::max(0.0, lower_[index(to)] - upper_[index(from)] - 2 * tolerance_);
    for (std::size_t pass : {0, 1}) {
      // What was added and taken away again may leave a little.
      for (Traffic* sum : {&pairs_[at].transfers.in[pass], &pairs_[at].transfers.out[pass]})
        sum->amount = std::max(0.0, sum->amount - 1e-12 * limit_);
    }
    std::ranges::copy(times, times_.begin() + static_cast<std::ptrdiff_t>(at * times.size()));
  }
}

// --- what surely leaves a cluster ---

void SetupWindows::price_ways() {
  behind_.assign(index(last_place()) + 1, std::vector<Transfers>(pairs_.size()));
  beyond_ = behind_;
  Outside outside{std::vector<char>(graph_.size()), {}, IdVector<NetId, std::uint32_t>(graph_.net_count(), 0)};
  const auto find_nets = [&] {
    outside.net.assign(graph_.net_count(), 0);
    for (GroupId v : graph_.all()) {
      if (!outside.group[v.index()]) continue;
      for (NetId e : graph_.nets_of(v)) outside.net[e] = 1;
    }
  };
  for (int place = 1; place <= buckets_ && !budget_.exhausted(); ++place) {
    for (GroupId v : graph_.all()) outside.group[v.index()] = entry_[v] <= place;
    find_nets();
    for (int from = place; from <= buckets_; ++from) follow(from, outside, behind_[index(place)]);
    for (GroupId v : graph_.all()) outside.group[v.index()] = exit_[v] >= place;
    find_nets();
    for (int from = 0; from < place; ++from) follow(from, outside, beyond_[index(place)]);
  }
}

// For all stages from one place: the nets between the core and groups that are outside the cluster.
void SetupWindows::follow(int from, Outside& outside, std::vector<Transfers>& sums) const {
  const std::uint32_t now = ++outside.sweep;
  const std::size_t first = first_pair_[index(from)], count = first_pair_[index(from) + 1] - first;
  Transfers sum;
  auto next = core_[index(from)].begin();
  for (std::size_t i = 0; i < count; ++i) {
    for (; next != core_[index(from)].end() && index(entry_[*next]) <= index(from) + i; ++next) {
      for (NetId e : graph_.nets_of(*next)) {
        if (!outside.net[e] || outside.received[e] == now) continue;
        const auto pass = static_cast<std::size_t>(graph_.pass(e));
        const GroupId producer = graph_.producer(e);
        if (producer == *next) {
          sum.out[pass].add(graph_.traffic(e));
        } else if (outside.group[producer.index()]) {
          outside.received[e] = now;
          sum.in[pass].add(graph_.traffic(e));
        }
      }
    }
    sums[first + i] = sum;
  }
}

// --- steps ---

std::size_t SetupWindows::add_level(std::size_t type, int copies) {
  const auto known = level_of_.find({type, copies});
  if (known != level_of_.end()) return known->second;
  const bool root = type + 1 == rules_.clusters.size();
  std::vector<Link> near = rules_.clusters[type].links, far = root ? near : links_around(rules_)[type];
  for (std::size_t t = 0; t < near.size(); ++t) near[t] = least_of(near[t], far[t]);
  Level level{type,
              copies,
              std::move(near),
              std::move(far),
              DeviceCounts(rules_.clusters[type]),
              steps_in(rules_, type),
              {},
              {},
              {},
              {},
              {},
              {}};
  for (const Step& step : level.steps)
    level.inside.push_back(step.is_cluster ? add_level(step.inside, copies * step.setup.replicas) : 0);
  bound_steps(level);
  level.marked.assign((index(last_place()) + 1) * (index(last_place()) + 1), 0);
  if (type + 1 < rules_.clusters.size()) find_runs(level);
  levels_.push_back(std::move(level));
  return level_of_[{type, copies}] = levels_.size() - 1;
}

double SetupWindows::load(const Level& level, const Step& step, std::size_t pair, StageSums sums) const {
  const ClassTime& time = times_[pair * rules_.classes.size() + step.setup.device_class.index()];
  sums.compute = time.pass;
  sums.recompute = time.recompute;
  sums.memory = pairs_[pair].memory;
  const double least = measure_.least_time(step.setup.device_class, pairs_[pair].work);
  const double missing = least - sums.compute[0] - sums.compute[1];
  if (missing > 0 && graph_.passes() == 1) sums.compute[0] += missing;
  const double load = stage_load(rules_, graph_.passes(), rules_.clusters[level.type].factor, step.setup, sums);
  return std::max(load, least / step.setup.replicas);
}

void SetupWindows::bound_steps(Level& level) const {
  const bool in_flight_rises = rules_.memory_model == MemoryModel::OneF1B && rules_.microbatches != 1;
  for (const Step& step : level.steps) {
    level.most.emplace_back();
    if (step.is_cluster) continue;
    std::vector<int>& most = level.most.back();
    most.assign(pairs_.size(), 0);
    const SetupClass& its = rules_.classes[step.setup.device_class];
    const double room = its.memory;
    const Link& link = its.pays() ? level.near[its.tariff] : kPaysNothing;
    for (std::size_t at = 0; at < pairs_.size(); ++at) {
      if (!times_[at * rules_.classes.size() + step.setup.device_class.index()].can_run) continue;
      StageSums near;
      for (std::size_t pass : {0, 1}) {
        near.in[pass] = price(link, pairs_[at].transfers.in[pass]);
        near.out[pass] = price(link, pairs_[at].transfers.out[pass]);
      }
      if (load(level, step, at, near) > limit_ * level.copies) continue;
      const auto fits = [&](int devices) {
        const int in_flight = samples_in_flight(rules_, devices, step.setup.replicas);
        return stage_memory(step.setup, pairs_[at].memory, in_flight) <= room;
      };
      int devices = level.counts.most_used();
      if (fits(devices)) {
        most[at] = kAnyNumber;
      } else if (in_flight_rises) {
        while (devices > 0 && !fits(devices)) --devices;
        most[at] = devices;
      }
    }
  }
}

// The same for a stage of a run from `begin` to `end`.
bool SetupWindows::affordable(const Level& level, std::size_t step, std::size_t pair, int begin, int end) const {
  const SetupClass& its = rules_.classes[level.steps[step].setup.device_class];
  if (!its.pays() || behind_.empty()) return true;
  const Link &near = level.near[its.tariff], &far = level.far[its.tariff];
  const Link farther{far.factor - near.factor, far.latency - near.latency};
  if (farther == kPaysNothing) return true;
  const Transfers& behind = behind_[index(begin)][pair];
  const Transfers& beyond = beyond_[index(end)][pair];
  const Transfers& moved = pairs_[pair].transfers;
  StageSums sums;
  for (std::size_t pass : {0, 1}) {
    sums.in[pass] = price(near, moved.in[pass]) + price(farther, behind.in[pass]) + price(farther, beyond.in[pass]);
    sums.out[pass] =
        price(near, moved.out[pass]) + std::max(price(farther, behind.out[pass]), price(farther, beyond.out[pass]));
  }
  return load(level, level.steps[step], pair, sums) <= limit_ * level.copies;
}

// The devices in use with which the step can be made in a run from `begin` to `end`; 0: it cannot.
int SetupWindows::most_devices(const Level& level, std::size_t step, int from, int to, int begin, int end) const {
  if (level.steps[step].is_cluster) return levels_[level.inside[step]].run[between(from, to)] ? kAnyNumber : 0;
  if (!has_pair(from, to)) return 0;
  const std::size_t at = pair(from, to);
  if (level.most[step][at] == 0 || !affordable(level, step, at, begin, end)) return 0;
  return level.most[step][at];
}

bool SetupWindows::may_step(std::size_t type, int copies, std::size_t step, int from, int to) const {
  const auto found = level_of_.find({type, copies});
  if (found == level_of_.end()) return true;
  const Level& level = levels_[found->second];
  if (level.steps[step].is_cluster) return levels_[level.inside[step]].run[between(from, to)];
  return has_pair(from, to) && level.most[step][pair(from, to)] > 0;
}

// --- reaching ---

// Which places each vector can hold, in a run that begins and ends there.
void SetupWindows::reach(Level& level, int begin, int end) const {
  const std::size_t places = index(last_place()) + 1;
  level.forward.assign(level.counts.size() * places, 0);
  level.forward[index(begin)] = 1;
  for (std::size_t vector = 1; vector < level.counts.size(); ++vector) {
    char* here = &level.forward[vector * places];
    for (std::size_t s = 0; s < level.steps.size(); ++s) {
      const Setup& setup = level.steps[s].setup;
      if (level.counts.used(vector, setup.member) < setup.replicas) continue;
      const char* before = &level.forward[level.counts.without(vector, setup.member, setup.replicas) * places];
      for (int from = begin; from <= std::min(end, buckets_); ++from) {
        if (!before[from]) continue;
        for (int to = std::max(from, 1); to <= end; ++to) {
          if (!level.steps[s].is_cluster && !has_pair(from, to)) break;
          if (here[to] || !possible_[index(to)]) continue;
          here[to] = most_devices(level, s, from, to, begin, end) >= level.counts.used(vector);
        }
      }
    }
  }
}

bool SetupWindows::ends_at(const Level& level, int end) const {
  const std::size_t places = index(last_place()) + 1;
  for (std::size_t vector = 1; vector < level.counts.size(); ++vector) {
    if (level.forward[vector * places + index(end)]) return true;
  }
  return false;
}

// Without what surely leaves the cluster beyond its end, the end does not matter: so ends that are out of reach are
// known at once.
void SetupWindows::find_runs(Level& level) {
  level.run.assign((index(last_place()) + 1) * (index(last_place()) + 1), 0);
  for (int begin = 0; begin <= buckets_; ++begin) {
    if (!possible_[index(begin)]) continue;
    std::vector<Link> far = std::exchange(level.far, level.near);
    reach(level, begin, last_place());
    level.far = std::move(far);
    std::vector<char> ends(index(last_place()) + 1, 0);
    for (int end = begin; end <= last_place(); ++end) ends[index(end)] = ends_at(level, end);
    for (int end = begin; end <= last_place(); ++end) {
      if (!ends[index(end)]) continue;
      if (level.far != level.near && !budget_.exhausted()) {
        reach(level, begin, end);
        if (!ends_at(level, end)) continue;
      }
      level.run[between(begin, end)] = 1;
    }
  }
}

// Marks what lies on some way from the begin to the end of a run, and of the runs inside it.
void SetupWindows::mark(std::size_t at, int begin, int end) {
  Level& level = levels_[at];
  if (std::exchange(level.marked[between(begin, end)], 1)) return;
  const std::size_t places = index(last_place()) + 1;
  reach(level, begin, end);
  level.backward.assign(level.forward.size(), 0);
  std::vector<std::tuple<std::size_t, int, int>> inside;
  for (std::size_t vector = level.counts.size(); vector-- > 0;) {
    char* here = &level.backward[vector * places];
    here[end] = vector > 0 && level.forward[vector * places + index(end)];
    for (std::size_t s = 0; s < level.steps.size(); ++s) {
      const Setup& setup = level.steps[s].setup;
      if (level.counts.used(vector, setup.member) + setup.replicas > level.counts.count(setup.member)) continue;
      const std::size_t after = level.counts.with(vector, setup.member, setup.replicas);
      for (int from = begin; from <= std::min(end, buckets_); ++from) {
        if (!level.forward[vector * places + index(from)]) continue;
        for (int to = std::max(from, 1); to <= end; ++to) {
          if (!level.steps[s].is_cluster && !has_pair(from, to)) break;
          if (!level.backward[after * places + index(to)]) continue;
          int* farthest = level.steps[s].is_cluster ? nullptr : &farthest_[setup.device_class][index(from)];
          if (here[from] && farthest && *farthest >= to) continue;  // nothing new
          if (most_devices(level, s, from, to, begin, end) < level.counts.used(after)) continue;
          here[from] = 1;
          if (farthest) {
            *farthest = std::max(*farthest, to);
          } else {
            inside.emplace_back(level.inside[s], from, to);
          }
        }
      }
    }
    for (int place = begin; place <= end; ++place) {
      if (!here[place]) continue;
      allowed_[level.type].set(index(place), vector);
      boundary_[index(place)] = 1;
    }
  }
  for (const auto& [which, from, to] : inside) mark(which, from, to);
}

std::size_t SetupWindows::join_never_separated(UnionFind<GroupId>& merge) const {
  std::vector<std::size_t> before(index(last_place()) + 2,
                                  0);  // boundaries below each place, empty and whole set apart
  for (int place = 1; place <= last_place(); ++place)
    before[index(place) + 1] = before[index(place)] + (place <= buckets_ && boundary_[index(place)]);
  std::vector<GroupId> first(before[index(last_place())] + 1);
  std::size_t joins = 0;
  for (GroupId v : graph_.all()) {
    const std::size_t out = before[index(exit_[v]) + 1];
    if (out != before[index(entry_[v])]) continue;  // some boundary may or may not take v in
    if (first[out].valid()) {
      joins += merge.join(first[out], v);
    } else {
      first[out] = v;
    }
  }
  return joins;
}

}  // namespace partita::detail
