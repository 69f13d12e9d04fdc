// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/two_orders.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "partita/reduce/never.h"

namespace partita::detail {
namespace {

constexpr std::uint64_t kStepsPerTick = 16;
constexpr std::size_t kStatesPerLook = 64;
constexpr std::size_t kBytesPerState = sizeof(double) + sizeof(std::int32_t);

// A side: its groups in order, the positions at which a stage may end, and what lies before each of them.
struct SideChain {
  std::vector<GroupId> groups;
  std::vector<std::size_t> stops;  // groups before the stop, ascending; the first is 0, the last is all
  std::vector<double> time, host_time, memory;
  std::vector<std::size_t> not_on_accelerator, not_on_host;
  std::vector<std::size_t> needs;  // by stop: how many groups of the other side must be there too
  std::vector<double> load;        // by two stops: time and own nets; never beyond the value to beat
};

class TwoOrders {
 public:
  TwoOrders(const StageGraph& graph, const StagePlatform& platform, const std::vector<GroupId>& order,
            const Sides& sides, const TwoOrdersOptions& options, Budget& budget)
      : graph_(graph),
        platform_(platform),
        sides_(sides),
        below_(options.below),
        budget_(budget),
        levels_(static_cast<std::size_t>(platform.accelerators + 1) * (platform.hosts + 1)),
        position_(graph.size(), 0),
        mixed_(graph.net_count(), 0),
        inside_(graph.net_count(), 0) {
    for (GroupId v : order) {
      position_[v] = side(v).groups.size();
      side(v).groups.push_back(v);
    }
    for (NetId e : graph.nets()) {
      const auto members = graph.members(e);
      mixed_[e] = std::any_of(members.begin(), members.end(), [&](GroupId v) { return sides[v] != sides[members[0]]; });
    }
    const double fitting = std::sqrt(static_cast<double>(budget.table_bytes() / (levels_ * kBytesPerState)));
    const std::size_t cuts = std::min(options.cuts, std::max<std::size_t>(static_cast<std::size_t>(fitting), 2));
    for (SideChain& chain : chains_) {
      choose_stops(chain, cuts);
      sum_up(chain);
    }
    for (std::size_t s = 0; s < 2; ++s) find_needs(s);
  }

  std::optional<StagedSplit> run() {
    for (SideChain& chain : chains_) fill_loads(chain);
    const std::size_t width = spine().stops.size(), height = floats().stops.size();
    value_.assign(width * height * levels_, kNever);
    previous_.assign(width * height * levels_, -1);
    value_[0] = 0;
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j < height; ++j) {
        if ((i * height + j) % kStatesPerLook == 0) {
          budget_.spend(steps_ / kStepsPerTick);
          steps_ %= kStepsPerTick;
          if (budget_.exhausted()) return std::nullopt;
        }
        if (!is_ideal_pair(i, j)) continue;
        collect_useful(state(i, j));
        if (!useful_.empty()) scan_from(i, j);
      }
    }
    return best();
  }

 private:
  struct Useful {
    double value;
    bool more_accelerators, more_hosts;
    std::size_t level;
  };

  SideChain& side(GroupId v) { return chains_[static_cast<std::size_t>(sides_[v])]; }
  const SideChain& spine() const { return chains_[0]; }
  const SideChain& floats() const { return chains_[1]; }
  std::size_t state(std::size_t i, std::size_t j) const { return i * floats().stops.size() + j; }

  // Half of the stops are the cheapest cuts of equal stretches of work, the others the cheapest of what is left.
  void choose_stops(SideChain& chain, std::size_t most) const {
    const std::size_t n = chain.groups.size();
    std::vector<double> cut(n + 1, 0), work(n + 1, 0);
    const std::size_t here = static_cast<std::size_t>(&chain - chains_.data());
    for (NetId e : graph_.nets()) {
      std::size_t first = n, last = 0;
      for (GroupId v : graph_.members(e)) {
        if (static_cast<std::size_t>(sides_[v]) != here) continue;
        first = std::min(first, position_[v]);
        last = std::max(last, position_[v]);
      }
      if (first >= last) continue;
      cut[first + 1] += graph_.cost(e);  // for now, where it begins and ends to be cut
      if (last < n) cut[last + 1] -= graph_.cost(e);
    }
    for (std::size_t i = 0; i < n; ++i) {
      cut[i + 1] += cut[i];
      work[i + 1] = work[i] + std::max(graph_.accelerator_time(chain.groups[i]), 0.0);
    }
    std::vector<char> keep(n + 1, 0);
    keep[0] = keep[n] = 1;
    std::size_t count = n == 0 ? 1 : 2;
    const auto take = [&](std::size_t at) {
      if (keep[at] || count >= most) return;
      keep[at] = 1;
      ++count;
    };
    const std::size_t stretches = std::max<std::size_t>(most / 2, 1);
    std::size_t begin = 0;
    for (std::size_t s = 0; s < stretches && begin <= n; ++s) {
      const double until = work[n] * static_cast<double>(s + 1) / static_cast<double>(stretches);
      std::size_t end = begin;
      while (end <= n && (work[end] <= until || end == begin)) ++end;
      take(static_cast<std::size_t>(std::min_element(cut.begin() + begin, cut.begin() + end) - cut.begin()));
      begin = end;
    }
    std::vector<std::size_t> by_cost(n + 1);
    for (std::size_t i = 0; i <= n; ++i) by_cost[i] = i;
    std::stable_sort(by_cost.begin(), by_cost.end(), [&](std::size_t a, std::size_t b) { return cut[a] < cut[b]; });
    for (std::size_t at : by_cost) take(at);
    for (std::size_t i = 0; i <= n; ++i) {
      if (keep[i]) chain.stops.push_back(i);
    }
  }

  void sum_up(SideChain& chain) const {
    double time = 0, host_time = 0, memory = 0;
    std::size_t not_on_accelerator = 0, not_on_host = 0, done = 0;
    for (std::size_t stop : chain.stops) {
      for (; done < stop; ++done) {
        const Group& g = graph_.group(chain.groups[done]);
        time += g.accelerator_time;
        host_time += g.host_time;
        memory += g.memory;
        not_on_accelerator += !g.on_accelerator;
        not_on_host += !g.on_host;
      }
      chain.time.push_back(time);
      chain.host_time.push_back(host_time);
      chain.memory.push_back(memory);
      chain.not_on_accelerator.push_back(not_on_accelerator);
      chain.not_on_host.push_back(not_on_host);
    }
  }

  // Paths from one side to the other have an edge that crosses, and before it lies a prefix of its side.
  void find_needs(std::size_t s) {
    SideChain& chain = chains_[s];
    std::size_t most = 0, done = 0;
    for (std::size_t stop : chain.stops) {
      for (; done < stop; ++done) {
        for (GroupId u : graph_.predecessors(chain.groups[done])) {
          if (static_cast<std::size_t>(sides_[u]) != s) most = std::max(most, position_[u] + 1);
        }
      }
      chain.needs.push_back(most);
    }
  }

  bool is_ideal_pair(std::size_t i, std::size_t j) const {
    return spine().needs[i] <= floats().stops[j] && floats().needs[j] <= spine().stops[i];
  }

  void fill_loads(SideChain& chain) {
    const std::size_t stops = chain.stops.size();
    chain.load.assign(stops * stops, kNever);
    for (std::size_t a = 0; a < stops; ++a) {
      double cut = 0;
      pins_.clear();
      chain.load[a * stops + a] = 0;
      for (std::size_t b = a + 1; b < stops && chain.time[b] - chain.time[a] < below_; ++b) {
        for (std::size_t at = chain.stops[b - 1]; at < chain.stops[b]; ++at) cut += enter(chain.groups[at], false);
        chain.load[a * stops + b] = chain.time[b] - chain.time[a] + cut;
      }
      leave_down_to(0);
    }
  }

  // What the cut of one kind of nets grows by when a group comes in. Pins are noted, to be taken back later.
  double enter(GroupId v, bool mixed) {
    double change = 0;
    for (NetId e : graph_.nets_of(v)) {
      if ((mixed_[e] != 0) != mixed) continue;
      pins_.push_back(e);
      if (inside_[e]++ == 0) change += graph_.cost(e);
      if (inside_[e] == graph_.members(e).size()) change -= graph_.cost(e);
    }
    steps_ += 1 + graph_.nets_of(v).size();
    return change;
  }
  void leave_down_to(std::size_t count) {
    for (; pins_.size() > count; pins_.pop_back()) --inside_[pins_.back()];
  }
  double enter_until(const SideChain& chain, std::size_t stop) {
    double change = 0;
    for (std::size_t at = chain.stops[stop - 1]; at < chain.stops[stop]; ++at) change += enter(chain.groups[at], true);
    return change;
  }

  // States below the value to beat, and better than those with fewer devices.
  void collect_useful(std::size_t at) {
    useful_.clear();
    const double* value = &value_[at * levels_];
    const std::size_t row = platform_.accelerators + 1;
    for (std::size_t level = 0; level < levels_; ++level) {
      if (value[level] >= below_) continue;
      const bool dominated = std::any_of(useful_.begin(), useful_.end(), [&](const Useful& u) {
        return u.value <= value[level] && u.level % row <= level % row;
      });
      if (!dominated) useful_.push_back({value[level], level % row + 1 < row, level + row < levels_, level});
    }
  }

  void scan_from(std::size_t i, std::size_t j) {
    const SideChain &a = spine(), &b = floats();
    const std::size_t width = a.stops.size(), height = b.stops.size(), from = state(i, j);
    double cut_by_spine = 0;
    pins_.clear();
    for (std::size_t i2 = i; i2 < width; ++i2) {
      if (i2 > i) cut_by_spine += enter_until(a, i2);
      const std::size_t before = pins_.size();
      double cut = cut_by_spine;
      bool any = false;
      for (std::size_t j2 = j; j2 < height; ++j2) {
        if (j2 > j) cut += enter_until(b, j2);
        const double memory = a.memory[i2] - a.memory[i] + b.memory[j2] - b.memory[j];
        const double host_time = a.host_time[i2] - a.host_time[i] + b.host_time[j2] - b.host_time[j];
        const double time = a.time[i2] - a.time[i] + b.time[j2] - b.time[j];
        const bool accelerator =
            platform_.accelerators > 0 && time < below_ && memory <= platform_.accelerator_memory &&
            a.not_on_accelerator[i2] + b.not_on_accelerator[j2] == a.not_on_accelerator[i] + b.not_on_accelerator[j];
        const bool host = platform_.hosts > 0 && host_time < below_ && memory <= platform_.host_memory &&
                          a.not_on_host[i2] + b.not_on_host[j2] == a.not_on_host[i] + b.not_on_host[j];
        if (!accelerator && !host) break;
        any = true;
        ++steps_;
        if (state(i2, j2) == from || !is_ideal_pair(i2, j2)) continue;
        if (accelerator) {
          const double load = a.load[i * width + i2] + b.load[j * height + j2] + cut;
          if (load < below_) relax(from, state(i2, j2), load, false);
        }
        if (host) relax(from, state(i2, j2), host_time, true);
      }
      leave_down_to(before);
      if (!any) break;
    }
    leave_down_to(0);
  }

  void relax(std::size_t from, std::size_t to, double load, bool host) {
    double* value = &value_[to * levels_];
    std::int32_t* previous = &previous_[to * levels_];
    for (const Useful& u : useful_) {
      if (!(host ? u.more_hosts : u.more_accelerators)) continue;
      const std::size_t level = u.level + (host ? platform_.accelerators + 1 : 1);
      const double largest = std::max(u.value, load);
      if (largest >= value[level]) continue;
      value[level] = largest;
      previous[level] = static_cast<std::int32_t>(from * 2 + host);
    }
  }

  // Sums along the way may have drifted in the last bits, so value and memory are recomputed.
  std::optional<StagedSplit> best() const {
    const std::size_t height = floats().stops.size();
    std::size_t at = spine().stops.size() * height - 1;
    const double* last = &value_[at * levels_];
    const auto least = std::min_element(last, last + levels_);
    if (*least >= below_) return std::nullopt;
    StagedSplit split;
    for (std::size_t level = static_cast<std::size_t>(least - last); at > 0;) {
      const std::int32_t step = previous_[at * levels_ + level];
      const bool host = step % 2 != 0;
      const std::size_t from = static_cast<std::size_t>(step / 2);
      Stage stage{host, {}};
      double memory = 0;
      const auto take = [&](const SideChain& chain, std::size_t first, std::size_t end) {
        for (std::size_t p = chain.stops[first]; p < chain.stops[end]; ++p) {
          stage.groups.push_back(chain.groups[p]);
          memory += graph_.group(chain.groups[p]).memory;
        }
      };
      take(spine(), from / height, at / height);
      take(floats(), from % height, at % height);
      if (memory > (host ? platform_.host_memory : platform_.accelerator_memory)) return std::nullopt;
      split.stages.push_back(std::move(stage));
      level -= host ? platform_.accelerators + 1 : 1;
      at = from;
    }
    std::reverse(split.stages.begin(), split.stages.end());
    split.value = largest_load(graph_, split.stages);
    return split;
  }

  const StageGraph& graph_;
  const StagePlatform& platform_;
  const Sides& sides_;
  const double below_;
  Budget& budget_;
  const std::size_t levels_;
  std::array<SideChain, 2> chains_;
  IdVector<GroupId, std::size_t> position_;  // in its side
  IdVector<NetId, char> mixed_;              // has members on both sides
  IdVector<NetId, std::uint32_t> inside_;    // members in the stage that is being scanned
  std::vector<NetId> pins_;
  std::vector<double> value_;
  std::vector<std::int32_t> previous_;
  std::vector<Useful> useful_;
  std::uint64_t steps_ = 0;
};

// The heaviest path, in order.
std::vector<GroupId> heaviest_path(const StageGraph& graph) {
  IdVector<GroupId, double> weight(graph.size(), 0);
  IdVector<GroupId, std::optional<GroupId>> before(graph.size(), std::nullopt);
  std::optional<GroupId> last;
  for (GroupId v : graph.all()) {  // topological
    for (GroupId u : graph.predecessors(v)) {
      if (before[v] && weight[u] <= weight[*before[v]]) continue;
      before[v] = u;
    }
    weight[v] = graph.accelerator_time(v) + (before[v] ? weight[*before[v]] : 0);
    if (!last || weight[v] > weight[*last]) last = v;
  }
  std::vector<GroupId> path;
  for (std::optional<GroupId> v = last; v; v = before[*v]) path.push_back(*v);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace

Sides spine_and_floaters(const StageGraph& graph, double share, int stages) {
  const std::vector<GroupId> path = heaviest_path(graph);
  // Of the path, the first `begin[v]` groups must come before v, and those from `end[v]` on after it.
  IdVector<GroupId, std::size_t> begin(graph.size(), 0), end(graph.size(), path.size()), at(graph.size(), path.size());
  std::vector<double> weight(path.size() + 1, 0);
  for (std::size_t i = 0; i < path.size(); ++i) {
    at[path[i]] = i;
    weight[i + 1] = weight[i] + graph.accelerator_time(path[i]);
  }
  for (GroupId v : graph.all()) {
    if (at[v] < path.size()) begin[v] = at[v] + 1;
    for (GroupId u : graph.predecessors(v)) begin[v] = std::max(begin[v], begin[u]);
  }
  for (std::size_t i = graph.size(); i-- > 0;) {
    const GroupId v(i);
    if (at[v] < path.size()) end[v] = at[v];
    for (GroupId w : graph.successors(v)) end[v] = std::min(end[v], end[w]);
  }
  Sides sides(graph.size(), 0);
  for (std::size_t i = graph.size(); i-- > 0;) {
    const GroupId v(i);
    if (begin[v] >= end[v]) continue;  // on the path, or between two neighbours of it
    const auto after = graph.successors(v);
    sides[v] = graph.accelerator_time(v) <= 0 && !after.empty()
                   ? sides[after[0]]
                   : weight[end[v]] - weight[begin[v]] > share * weight.back() / std::max(stages, 1);
  }
  return sides;
}

std::optional<StagedSplit> split_two_orders(const StageGraph& graph, const StagePlatform& platform,
                                            const std::vector<GroupId>& order, const Sides& sides,
                                            const TwoOrdersOptions& options, Budget& budget) {
  return TwoOrders(graph, platform, order, sides, options, budget).run();
}

}  // namespace partita::detail
