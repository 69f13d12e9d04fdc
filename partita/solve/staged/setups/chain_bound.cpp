// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/setups/chain_bound.h"

#include <algorithm>
#include <limits>

#include "partita/reduce/threshold.h"

namespace partita::detail {
namespace {

constexpr std::size_t kLongest = 48;     // intervals are looked at in pairs of ends, many of them by a flow
constexpr std::size_t kMostCounts = 64;  // all of them are gone through for each interval
constexpr double kNoWork = -std::numeric_limits<double>::infinity();

}  // namespace

bool ChainBound::worthwhile(const SetupRules& rules) {
  return !rules.has_clusters() && rules.replicas == 1 && DeviceCounts::vectors(rules.root()) <= kMostCounts;
}

ChainBound::ChainBound(const SetupGraph& graph, const SetupRules& rules, const WorkMeasure& measure,
                       double highest_limit)
    : graph_(graph), rules_(rules), measure_(measure), counts_(rules.root()), highest_limit_(highest_limit) {
  find_chain();
  place_groups();
  const std::size_t m = chain_.size();
  intervals_.assign(m * m, {});
  times_.assign(rules.classes.size(), std::vector<ClassTime>(m * m));
  for (std::size_t first = 0; first < m; ++first) sum_up(first);
  networks_.resize(rules.classes.size());
}

// The path with the most work and memory, each as a share of all there is; where it is long, the heaviest of it.
void ChainBound::find_chain() {
  GroupMemory all;
  for (GroupId v : graph_.all()) all.add(graph_.memory(v));
  const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
  IdVector<GroupId, double> weight(graph_.size()), heaviest(graph_.size());
  IdVector<GroupId, GroupId> from(graph_.size());
  GroupId last;
  for (GroupId v : graph_.all()) {
    const GroupMemory& memory = graph_.memory(v);
    weight[v] = share(measure_.work(v), measure_.total()) + share(memory.activation, all.activation) +
                share(memory.resident, all.resident);
    for (GroupId u : graph_.order().predecessors(v)) {
      if (from[v].valid() && heaviest[u] <= heaviest[from[v]]) continue;
      from[v] = u;
    }
    heaviest[v] = weight[v] + (from[v].valid() ? heaviest[from[v]] : 0);
    if (!last.valid() || heaviest[v] > heaviest[last]) last = v;
  }
  for (GroupId v = last; v.valid(); v = from[v]) chain_.push_back(v);
  if (chain_.size() > kLongest) {
    std::nth_element(chain_.begin(), chain_.begin() + kLongest, chain_.end(),
                     [&](GroupId a, GroupId b) { return weight[a] > weight[b]; });
    chain_.resize(kLongest);
  }
  std::sort(chain_.begin(), chain_.end());  // groups are numbered along the order
}

void ChainBound::place_groups() {
  const std::size_t m = chain_.size();
  before_.assign(graph_.size(), m);
  after_.assign(graph_.size(), 0);
  for (std::size_t i = m; i-- > 0;)
    for_each_bit(graph_.order().ancestors(chain_[i]), [&](std::size_t v) { before_[GroupId(v)] = i; });
  for (std::size_t i = 0; i < m; ++i)
    for_each_bit(graph_.order().descendants(chain_[i]), [&](std::size_t v) { after_[GroupId(v)] = i + 1; });
  by_before_.resize(m);
  for (GroupId v : graph_.all()) {
    if (before_[v] < m && after_[v] > 0) by_before_[before_[v]].push_back(v);
  }
}

// All intervals from `first` on. A group is in the core of first..last if after_ > first and before_ <= last; it is
// outer if before_ < first or after_ > last + 1.
void ChainBound::sum_up(std::size_t first) {
  const std::size_t m = chain_.size();
  std::vector<std::array<Traffic, 2>> more(m + 1);  // from one last to the next
  for (NetId e : graph_.nets()) {
    if (rules_.transfers == TransferMode::Duplex) break;  // in or out? Nobody knows.
    std::size_t core = m, outer_up_to = 0;
    bool behind = false;
    for (GroupId v : graph_.members(e)) {
      if (after_[v] > first) core = std::min(core, before_[v]);
      behind = behind || before_[v] < first;
      outer_up_to = std::max(outer_up_to, after_[v]);
    }
    // Cut from `core` on, and if nothing is behind for as long as something is beyond.
    const std::size_t end = behind ? m : std::max<std::size_t>(outer_up_to, 1) - 1;
    if (core >= end) continue;
    more[core][graph_.pass(e)].add(traffic(e));
    more[end][graph_.pass(e)].add(traffic(e), -1);
  }
  Interval sums;
  IdVector<ClassId, ClassTime> times(rules_.classes.size());
  for (std::size_t last = first; last < m; ++last) {
    for (GroupId v : by_before_[last]) {
      if (after_[v] <= first) continue;
      sums.memory.add(graph_.memory(v));
      for (ClassId c : graph_.classes()) {
        const ClassTime& time = graph_.time(c, v);
        times[c].can_run = times[c].can_run && time.can_run;
        times[c].recompute += time.recompute;
        for (std::size_t pass : {0, 1}) times[c].pass[pass] += time.pass[pass];
      }
    }
    for (std::size_t pass : {0, 1}) {
      sums.traffic[pass].add(more[last][pass]);
      sums.traffic[pass].amount = std::max(0.0, sums.traffic[pass].amount);
    }
    intervals_[at(first, last)] = sums;
    for (ClassId c : graph_.classes()) times_[c][at(first, last)] = times[c];
  }
}

Traffic ChainBound::traffic(NetId e) const {
  const Traffic& whole = graph_.traffic(e);
  return {std::min(whole.amount, 2 * highest_limit_), whole.transfers};
}

void ChainBound::make_network(ClassId c) {
  Network& network = networks_[c];
  const std::size_t groups = graph_.size(), source = groups, sink = groups + 1;
  network.load.assign(chain_.size() * chain_.size(), -1);
  network.flow.reset(groups + 2 + 2 * graph_.net_count());
  for (GroupId v : graph_.all()) {
    network.from_source.push_back(network.flow.add_arc(source, v.index(), 0));
    network.to_sink.push_back(network.flow.add_arc(v.index(), sink, 0));
  }
  const Link& link = rules_.link(c, rules_.root());
  for (NetId e : graph_.nets()) {
    // Paid for where some member is on the side of the source and some on the other.
    const std::size_t some = groups + 2 + 2 * e.index(), all = some + 1;
    network.flow.add_arc(some, all, price(link, traffic(e)));
    for (GroupId v : graph_.members(e)) {
      network.flow.add_arc(v.index(), some, kInfiniteCapacity);
      network.flow.add_arc(all, v.index(), kInfiniteCapacity);
    }
  }
}

// Where all that a stage does is added up.
double ChainBound::least_load(ClassId c, std::size_t first, std::size_t last) {
  Network& network = networks_[c];
  if (network.load.empty()) make_network(c);
  double& load = network.load[at(first, last)];
  if (load >= 0) return load;
  for (GroupId v : graph_.all()) {
    const bool core = after_[v] > first && before_[v] <= last;
    const bool outer = before_[v] < first || after_[v] > last + 1 || !graph_.time(c, v).can_run;
    network.flow.set_capacity(network.from_source[v.index()], core ? kInfiniteCapacity : 0);
    network.flow.set_capacity(network.to_sink[v.index()], outer ? kInfiniteCapacity : graph_.compute(c, v));
  }
  load = network.flow.run(graph_.size(), graph_.size() + 1, 2 * highest_limit_, 1e-12 * highest_limit_);
  network.flow.clear_flow();
  return load;
}

bool ChainBound::refutes(double limit) {
  const std::size_t m = chain_.size();
  const double factor = rules_.root().factor;
  // By vector and how much of the chain is held: the most work that the stages so far can do.
  std::vector<double> most(counts_.size() * (m + 1), kNoWork);
  most[0] = 0;
  for (std::size_t vector = 0; vector < counts_.size(); ++vector) {
    for (std::size_t member = 0; member < counts_.members(); ++member) {
      if (counts_.used(vector, member) == counts_.count(member)) continue;
      const ClassId c = rules_.root().members[member].device_class;
      const double room = rules_.classes[c].memory;
      const Link& link = rules_.link(c, rules_.root());
      const std::size_t next = counts_.with(vector, member, 1);
      const int in_flight = samples_in_flight(rules_, counts_.used(next), 1);
      for (std::size_t first = 0; first <= m; ++first) {
        const double before = most[vector * (m + 1) + first];
        if (before == kNoWork) continue;
        double& none = most[next * (m + 1) + first];
        none = std::max(none, before + measure_.most(c, limit));
        for (std::size_t last = first; last < m; ++last) {
          const Interval& interval = intervals_[at(first, last)];
          const ClassTime& time = times_[c][at(first, last)];
          if (!time.can_run || time.total() > limit) break;
          StageSums sums;
          sums.compute = time.pass;
          sums.recompute = time.recompute;
          sums.memory = interval.memory;
          for (std::size_t pass : {0, 1}) sums.in[pass] = price(link, interval.traffic[pass]);
          bool fits = false, affordable = false;
          for (const bool recompute : {false, true}) {
            const Setup setup{member, c, 1, recompute};
            if ((recompute && !rules_.recompute) || stage_memory(setup, sums.memory, in_flight) > room) continue;
            fits = true;
            affordable = affordable || stage_load(rules_, graph_.passes(), factor, setup, sums) <= limit;
          }
          if (!fits) break;
          if (!affordable) continue;
          double left = limit;
          if (rules_.transfers == TransferMode::Sum) {
            if (rules_.classes[c].pays() && least_load(c, first, last) > limit) continue;
            left -= sums.in[0] + sums.in[1];
          }
          double& here = most[next * (m + 1) + last + 1];
          here = std::max(here, before + measure_.most(c, left));
        }
      }
    }
  }
  double work = kNoWork;
  for (std::size_t vector = 0; vector < counts_.size(); ++vector) work = std::max(work, most[vector * (m + 1) + m]);
  return work < measure_.total() * (1 - kRoundingSlack);
}

}  // namespace partita::detail
