// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/spine_bound.h"

#include <algorithm>
#include <atomic>
#include <limits>

#include "partita/reduce/never.h"
#include "partita/util/parallel.h"
#include "partita/util/time_watch.h"

namespace partita::detail {
namespace {

constexpr std::size_t kMostInside = 6;  // blocks inside of one module are counted up to this
constexpr std::size_t kStepsPerTick = 200;
constexpr double kRoundingOfSums = 1e-9;            // in one order and in the other
constexpr std::size_t kBoundStepsPerLook = 50'000;  // at the clock
// Where threads share: pairs of states between two looks at the budget, some 10 ms, and how they are dealt out.
constexpr std::size_t kPairsAtOnce = 50'000, kPiecesPerThread = 4;

void keep_least(double& entry, double value) { entry = std::min(entry, value); }

}  // namespace

SpineBound::SpineBound(const BlockModel& model, const NodeReach& reach, const Detail& detail, double limit,
                       const ToCome* known)
    : model_(model),
      detail_(detail),
      limit_(limit),
      block_load_(model, reach),
      spine_(find_spine(model, reach, detail.neglect)),
      most_blocks_(static_cast<std::size_t>(model.instance().accelerators() * model.instance().subgraphs)),
      starts_at_(model.node_count(), 0),
      ends_at_(model.node_count(), spine_.nodes.size() - 1),
      first_end_(model.cluster_count(), spine_.nodes.size()),
      last_start_(model.cluster_count(), 0),
      ending_at_(spine_.nodes.size()),
      read_below_(model.node_count(), 0),
      crossing_(spine_.nodes.size()) {
  place_on_spine(reach);
  find_side_sources();
  find_crossing_nets();
  if (model.contradicts_itself()) bound_ = kNever;
  if (known != nullptr && known->spine == spine_.nodes && known->limit >= limit) known_ = *known;
}

void SpineBound::place_on_spine(const NodeReach& reach) {
  TimeWatch watch(model_.budget(), kBoundStepsPerLook);
  for (NodeId v : model_.instance().nodes.all()) {
    watch.step(spine_.nodes.size());
    for (std::size_t i = spine_.nodes.size() - 2; i > 0; --i) {
      const NodeId s = spine_.nodes[i];
      if (s == v || test_bit(reach.above.row(s.index()), v.index())) ends_at_[v] = i;
      if (starts_at_[v] == 0 && (s == v || test_bit(reach.below.row(s.index()), v.index()))) starts_at_[v] = i;
    }
    ending_at_[ends_at_[v]].push_back(v);
    const ClusterId c = model_.cluster_of(v);
    first_end_[c] = std::min(first_end_[c], ends_at_[v]);
    last_start_[c] = std::max(last_start_[c], starts_at_[v]);
  }
}

void SpineBound::find_side_sources() {
  for (NodeId v : model_.instance().nodes.all()) {
    const bool on_spine = starts_at_[v] > 0;
    if (on_spine || !model_.edges_in(v).empty()) continue;
    std::size_t last = spine_.nodes.size();
    for (const auto& [reader, edge] : model_.edges_out(v)) {
      const std::size_t at = starts_at_[reader];
      last = std::min(last, at > 0 && spine_.nodes[at] == reader ? at - 1 : at);
    }
    if (last < spine_.nodes.size()) read_below_[v] = last;
  }
}

// Those that v reads, if v is surely in a block whose first spine node is i. No part of the block's load that is
// counted elsewhere has them: they are neither above i nor below, and all who read them are below.
void SpineBound::add_sources_of(NodeId v, std::size_t i, IdVector<NodeId, char>& seen, SideSources& sources) const {
  const LatencyInstance& instance = model_.instance();
  for (const auto& [source, edge] : model_.edges_in(v)) {
    if (read_below_[source] < i || seen[source]) continue;
    seen[source] = 1;
    double cost = 0;
    for (NetId e : instance.nets_of[source]) {
      const auto members = instance.net_members[e];
      if (std::find(members.begin(), members.end(), v) != members.end()) cost += instance.net_cost[e];
    }
    const ClusterId c = model_.cluster_of(source);
    const BlockModel::Cluster& cluster = model_.cluster(c);
    const bool alone = model_.nodes(c).size() == 1;
    if (!cluster.on_accelerator || cluster.backward != instance.nodes[v].backward || first_end_[c] < i) {
      sources.never_held += cost;
    } else if (alone && cluster.memory > 0) {
      const double ratio = cost / cluster.memory;
      sources.ratio = sources.memory > 0 ? std::min(sources.ratio, ratio) : ratio;
      sources.memory += cluster.memory;
    }
  }
}

void SpineBound::find_crossing_nets() {
  const LatencyInstance& instance = model_.instance();
  TimeWatch watch(model_.budget(), kBoundStepsPerLook);
  for (NetId e : instance.net_cost.all()) {
    const NodeId producer = instance.net_producer[e];
    std::size_t last = 0;
    for (NodeId v : instance.net_members[e]) last = std::max(last, starts_at_[v]);
    std::size_t first = ends_at_[producer];
    if (spine_.nodes[first] == producer) ++first;
    for (std::size_t j = first; j <= last; ++j) crossing_[j].push_back({e, last});
    watch.step(1 + (last > first ? last - first : 0));
  }
}

// Nets that a block from spine node i on surely takes in, by the first spine node with which it has a member of them:
// they come from the spine node before, or above it, and have no members in between, where others count them.
std::vector<double> SpineBound::nets_from_above(std::size_t i) const {
  const LatencyInstance& instance = model_.instance();
  std::vector<double> cost(spine_.nodes.size(), 0);
  for (const auto& [e, last] : crossing_[i]) {
    if (ends_at_[instance.net_producer[e]] >= i) continue;
    std::size_t first = spine_.nodes.size();
    bool between = false;
    for (NodeId v : instance.net_members[e]) {
      if (ends_at_[v] < i) continue;
      if (starts_at_[v] < i || v == spine_.nodes[i]) between = true;
      first = std::min(first, ends_at_[v]);
    }
    if (!between && first < cost.size()) cost[first] += instance.net_cost[e];
  }
  return cost;
}

// Nets that a block from spine node i to j surely puts out, beside those from j or below.
double SpineBound::nets_to_below(std::size_t i, std::size_t j) const {
  double cost = 0;
  for (const auto& [e, last] : crossing_[j]) {
    if (last > j && starts_at_[model_.instance().net_producer[e]] >= i) cost += model_.instance().net_cost[e];
  }
  return cost;
}

// The first spine node that no block with i as its first one can hold, for the memory of what lies between; invalid if
// there is none.
NodeId SpineBound::beyond_blocks_from(std::size_t i) const {
  double memory = 0;
  for (std::size_t j = i; j + 1 < spine_.nodes.size(); ++j) {
    for (NodeId v : ending_at_[j]) {
      const ClusterId c = model_.cluster_of(v);
      if (starts_at_[v] >= i && model_.cluster(c).last == v) memory += model_.cluster(c).memory;
    }
    if (memory > model_.memory_limit()) return spine_.nodes[std::max(j, i + 1)];
  }
  return NodeId();
}

bool SpineBound::advance(Budget& slice) {
  const ModuleTables::Detail detail{std::min(kMostInside, most_blocks_), detail_.most_states};
  const std::size_t count = spine_.nodes.size();
  while (modules_.size() < count - 1 || !modules_.back()->advance(slice)) {
    if (slice.exhausted()) return false;
    if (modules_.empty() || modules_.back()->advance(slice)) {
      const NodeId beyond = beyond_blocks_from(modules_.size() + 1);
      modules_.push_back(std::make_unique<ModuleTables>(spine_, modules_.size(), detail, model_, block_load_, beyond));
    }
  }
  if (enter_.empty()) begin_program();
  for (; down_ < count; ++down_) {
    if (!enter_and_leave(down_, slice)) return false;
  }
  if (up_ == 0) no_use_ = limit_ < kNever ? limit_ : enter_.back().at_best(0) * (1 + kRoundingOfSums);
  for (; up_ < count; ++up_) {
    if (!leave_and_enter(count - 1 - up_, slice)) return false;
  }
  bound_ = std::max(bound_, after_enter_[0].at(0, 0));
  return true;
}

bool SpineBound::is_exact() const {
  return std::all_of(modules_.begin(), modules_.end(), [](const auto& module) { return module->is_exact(); });
}

SpineBound::Table SpineBound::table(std::size_t states) const {
  return {states, std::vector<double>(states * (most_blocks_ + 1), kNever)};
}

double SpineBound::Table::at_best(std::size_t state) const {
  double best = kNever;
  for (std::size_t i = state; i < time.size(); i += states) best = std::min(best, time[i]);
  return best;
}

double SpineBound::host_time(std::size_t i) const {
  const NodeId v = spine_.nodes[i];
  if (!v.valid()) return 0;
  return model_.on_host(v) ? model_.instance().nodes[v].host_time : kNever;
}

// Blocks of the forward pass are not counted with those of the backward pass, which come after them on the spine.
bool SpineBound::new_pass(std::size_t module) const {
  const auto backward = [&](std::size_t i) {
    const NodeId v = spine_.nodes[i];
    return v.valid() ? model_.instance().nodes[v].backward : i > 0;
  };
  return model_.instance().has_backward && !backward(module) && backward(module + 1);
}

std::vector<double> SpineBound::best_of(const Table& table) const {
  std::vector<double> best;
  for (std::size_t state = 0; state < table.states; ++state) best.push_back(table.at_best(state));
  return best;
}

SpineBound::ToCome SpineBound::to_come() const {
  ToCome found{no_use_, spine_.nodes, {}, {}};
  const auto least = [&](const Table& table) {
    std::vector<double> by_blocks;
    for (std::size_t t = 0; t <= most_blocks_; ++t) {
      const auto row = table.time.begin() + static_cast<std::ptrdiff_t>(t * table.states);
      by_blocks.push_back(*std::min_element(row, row + static_cast<std::ptrdiff_t>(table.states)));
    }
    return by_blocks;
  };
  for (const Table& table : after_enter_) found.after_enter.push_back(least(table));
  for (const Table& table : after_leave_) found.after_leave.push_back(least(table));
  return found;
}

// All that goes through this state takes the limit or more.
bool SpineBound::leads_nowhere(const Table& from, std::size_t state, const std::vector<double>& to_come) const {
  for (std::size_t t = 0; t <= most_blocks_; ++t) {
    if (from.at(t, state) + to_come[t] < limit_) return false;
  }
  return true;
}

// relax(count at the upper end, state of the lower end, its count, time between), for states with wanted(lower)
template <class Wanted, class Relax>
void SpineBound::for_each_way_through(std::size_t module, std::size_t upper, const Range& lower_states,
                                      const Wanted& wanted, const Relax& relax) const {
  const ModuleTables& tables = *modules_[module];
  TimeWatch watch(model_.budget(), kBoundStepsPerLook);
  const bool fresh = new_pass(module);
  std::vector<double> delays;
  for (std::size_t lower = lower_states.first; lower < lower_states.last; ++lower) {
    watch.step(most_blocks_);
    if (!wanted(lower) || !tables.delays(upper, lower, delays)) continue;
    for (std::size_t inside = 0; inside < delays.size(); ++inside) {
      if (delays[inside] == kNever || (inside > 0 && delays[inside] == delays[inside - 1])) continue;
      for (std::size_t t = 0; t + (fresh ? 0 : inside) <= most_blocks_; ++t)
        relax(t, lower, fresh ? 0 : t + inside, delays[inside]);
    }
  }
}

// Where blocks from spine node i on may end, as far as that depends on no state.
std::vector<SpineBound::Ending> SpineBound::endings_from(std::size_t i) const {
  std::vector<Ending> endings;
  if (!spine_.nodes[i].valid()) return endings;
  TimeWatch watch(model_.budget(), kBoundStepsPerLook);
  const std::vector<double> nets_in = nets_from_above(i);
  IdVector<NodeId, char> seen(model_.node_count(), 0);
  SideSources sources;
  double time = 0, memory = 0;  // of what lies between, both ends with it
  std::size_t must_begin = i, must_reach = i;
  for (std::size_t j = i; j + 1 < spine_.nodes.size(); ++j) {
    watch.step(ending_at_[j].size() + crossing_[j].size());
    for (NodeId v : ending_at_[j]) {
      if (starts_at_[v] < i) continue;
      time += model_.instance().nodes[v].accelerator_time;
      const ClusterId c = model_.cluster_of(v);
      must_begin = std::min(must_begin, first_end_[c]);
      must_reach = std::max(must_reach, last_start_[c]);
      if (model_.cluster(c).last == v) memory += model_.cluster(c).memory;
      if (v != spine_.nodes[i]) add_sources_of(v, i, seen, sources);
    }
    if (memory > model_.memory_limit() || must_begin < i) break;
    time += nets_in[j];
    if (must_reach > j) continue;
    endings.push_back({j, time + nets_to_below(i, j) + sources.never_held, memory, sources});
  }
  return endings;
}

// relax(state above, state below, load) of the blocks from spine node i to this ending, for states above with wanted(state)
template <class Wanted, class Relax>
void SpineBound::for_each_block(std::size_t i, const Ending& ending, const Range& states_above,
                                const Range& states_below, const Wanted& wanted, const Relax& relax) const {
  const ModuleTables &over = *modules_[i - 1], &under = *modules_[ending.at];
  TimeWatch watch(model_.budget(), kBoundStepsPerLook);
  const double limit = model_.memory_limit(), memory = ending.memory;
  for (std::size_t up = states_above.first; up < states_above.last; ++up) {
    const double memory_up = over.memory_above(up);
    if (memory + memory_up > limit || !wanted(up)) continue;
    watch.step(states_below.last - states_below.first);
    for (std::size_t down = states_below.first; down < states_below.last; ++down) {
      const double memory_down = under.memory_below(down);
      if (memory + memory_up + memory_down > limit) continue;
      const double too_much = memory + memory_up + memory_down + ending.sources.memory - limit;
      const double load = ending.sure + std::max(0.0, too_much) * ending.sources.ratio +
                          over.load_above(up, limit - memory - memory_down) +
                          under.load_below(down, limit - memory - memory_up);
      if (load < kNever) relax(up, down, load);
    }
  }
}

void SpineBound::begin_program() {
  const std::size_t count = spine_.nodes.size();
  for (std::size_t i = 0; i < count; ++i) {
    enter_.push_back(table(i > 0 ? modules_[i - 1]->states() : 1));
    leave_.push_back(table(i + 1 < count ? modules_[i]->states() : 1));
  }
  after_enter_ = enter_;
  after_leave_ = leave_;
  enter_[0].at(0, 0) = 0;
  for (std::size_t t = 0; t <= most_blocks_; ++t) after_leave_[count - 1].at(t, 0) = 0;
}

// relax(count and state at the upper end, count and state at the lower end, time between), for wanted(upper, lower). What
// changes states of one end may be done for each of them by itself, so several threads share these states.
template <class Wanted, class Relax>
bool SpineBound::pass_module(std::size_t module, End changed, Budget& slice, const Wanted& wanted, const Relax& relax) {
  const Table& from = leave_[module];
  const std::size_t lower_states = modules_[module]->states();
  const auto pass = [&](std::size_t upper, const Range& lower) {
    for_each_way_through(
        module, upper, lower, [&](std::size_t state) { return wanted(upper, state); },
        [&](std::size_t t, std::size_t state, std::size_t u, double time) { relax(t, upper, u, state, time); });
  };
  const bool share = worth_sharing(slice, from.states * lower_states);
  const std::size_t at_once = share ? kPairsAtOnce / lower_states + 1 : 1;
  std::vector<std::size_t> uppers;
  while (next_upper_ < from.states) {
    if (slice.exhausted()) return false;
    for (uppers.clear(); next_upper_ < from.states && uppers.size() < at_once; ++next_upper_) {
      if (from.at_best(next_upper_) >= limit_) continue;
      if (!known_.spine.empty() && leads_nowhere(from, next_upper_, known_.after_leave[module])) continue;
      uppers.push_back(next_upper_);
    }
    if (share && changed == End::Upper) {
      for_each(slice, uppers.size(), [&](std::size_t i, std::size_t) { pass(uppers[i], {0, lower_states}); });
    } else {
      for_each_piece(slice, share, lower_states, [&](const Range& lower) {
        for (const std::size_t upper : uppers) pass(upper, lower);
      });
    }
    slice.spend(uppers.size() * (1 + from.states / kStepsPerTick));
  }
  next_upper_ = 0;
  return true;
}

// All of them, or pieces of them by several threads.
template <class Work>
void SpineBound::for_each_piece(const Budget& slice, bool share, std::size_t states, const Work& work) {
  const std::size_t pieces = share ? std::min(states, kPiecesPerThread * threads_of(slice)) : 1;
  const auto begin = [&](std::size_t piece) { return states * piece / pieces; };
  for_each(slice, pieces, [&](std::size_t i, std::size_t) { work(Range{begin(i), begin(i + 1)}); });
}

// relax(count and state at the entry, the same at the exit, last spine node, time between): on a host and in a block.
template <class Relax>
void SpineBound::pass_node(std::size_t i, End changed, Budget& slice, const Relax& relax) {
  for (std::size_t t = 0; t <= most_blocks_; ++t) relax(t, 0, t, 0, i, host_time(i));
  std::vector<char> wanted;
  for (std::size_t up = 0; up < enter_[i].states; ++up) {
    const bool early = enter_[i].at_best(up) < limit_;
    wanted.push_back(early && (known_.spine.empty() || !leads_nowhere(enter_[i], up, known_.after_enter[i])));
  }
  const std::vector<Ending> endings = endings_from(i);
  std::size_t pairs = 0;
  for (const Ending& ending : endings) pairs += enter_[i].states * modules_[ending.at]->states();
  std::atomic<std::size_t> steps = 0;
  const auto pass = [&](const Ending& ending, const Range& above, const Range& below) {
    std::size_t own_steps = 0;
    for_each_block(
        i, ending, above, below, [&](std::size_t up) { return wanted[up]; },
        [&](std::size_t up, std::size_t down, double load) {
          for (std::size_t t = 0; t < most_blocks_; ++t) relax(t, up, t + 1, down, ending.at, load);
          ++own_steps;
        });
    steps += own_steps;
  };
  const bool share = worth_sharing(slice, pairs);
  if (share && changed == End::Lower) {
    // Most pairs of states may be those of one ending.
    struct Piece {
      const Ending& ending;
      Range below;
    };
    std::vector<Piece> pieces;
    for (const Ending& ending : endings) {
      const std::size_t states = modules_[ending.at]->states();
      const std::size_t count = 1 + kPiecesPerThread * threads_of(slice) * enter_[i].states * states / pairs;
      for (std::size_t k = 0; k < count; ++k)
        pieces.push_back({ending, {states * k / count, states * (k + 1) / count}});
    }
    for_each(slice, pieces.size(), [&](std::size_t k, std::size_t) {
      pass(pieces[k].ending, {0, enter_[i].states}, pieces[k].below);
    });
  } else {
    for_each_piece(slice, share, enter_[i].states, [&](const Range& above) {
      for (const Ending& ending : endings) pass(ending, above, {0, modules_[ending.at]->states()});
    });
  }
  slice.spend(1 + steps / kStepsPerTick);
}

bool SpineBound::enter_and_leave(std::size_t i, Budget& slice) {
  const auto any = [](std::size_t, std::size_t) { return true; };
  const auto enter = [&](std::size_t t, std::size_t upper, std::size_t u, std::size_t lower, double time) {
    keep_least(enter_[i].at(u, lower), leave_[i - 1].at(t, upper) + time);
  };
  if (i > 0 && !pass_module(i - 1, End::Lower, slice, any, enter)) return false;
  pass_node(i, End::Lower, slice,
            [&](std::size_t t, std::size_t up, std::size_t u, std::size_t down, std::size_t j, double time) {
              keep_least(leave_[j].at(u, down), enter_[i].at(t, up) + time);
            });
  return true;
}

// The same, seen from the end. Without a limit, only what may be on the shortest way.
bool SpineBound::leave_and_enter(std::size_t i, Budget& slice) {
  const auto leave = [&](std::size_t t, std::size_t upper, std::size_t u, std::size_t lower, double time) {
    keep_least(after_leave_[i].at(t, upper), after_enter_[i + 1].at(u, lower) + time);
  };
  if (i + 1 < spine_.nodes.size()) {
    const std::vector<double> before = best_of(leave_[i]), after = best_of(after_enter_[i + 1]);
    const auto wanted = [&](std::size_t upper, std::size_t lower) { return before[upper] + after[lower] <= no_use_; };
    if (!pass_module(i, End::Upper, slice, wanted, leave)) return false;
  }
  pass_node(i, End::Upper, slice,
            [&](std::size_t t, std::size_t up, std::size_t u, std::size_t down, std::size_t j, double time) {
              keep_least(after_enter_[i].at(t, up), after_leave_[j].at(u, down) + time);
            });
  return true;
}

std::vector<NodeId> SpineBound::block_nodes(std::size_t i, std::size_t j, std::size_t up, std::size_t down) {
  const double limit = model_.memory_limit();
  std::vector<NodeId> nodes = modules_[i - 1]->reaching(BlockLoad::Part::Above, up, limit);
  const std::vector<NodeId> below = modules_[j]->reaching(BlockLoad::Part::Below, down, limit);
  nodes.insert(nodes.end(), below.begin(), below.end());
  for (std::size_t s = i; s <= j; ++s) {
    for (NodeId v : ending_at_[s]) {
      if (starts_at_[v] >= i) nodes.push_back(v);
    }
  }
  return nodes;
}

std::vector<std::vector<NodeId>> SpineBound::cheapest_blocks() {
  std::vector<std::vector<NodeId>> blocks;
  std::size_t t = 0, state = 0;
  for (std::size_t i = 0; i < spine_.nodes.size();) {
    // Of spine node i: on a host, or in a block up to j. The sums are those of the tables, so they are equal to the
    // bit.
    const double left = after_enter_[i].at(t, state);
    std::size_t last = i;
    if (state != 0 || after_leave_[i].at(t, 0) + host_time(i) != left) {
      std::size_t up = state, down = spine_.nodes.size();
      bool found = false;
      for (const Ending& ending : endings_from(i)) {
        if (found || t >= most_blocks_) break;
        for_each_block(
            i, ending, {up, up + 1}, {0, modules_[ending.at]->states()}, [](std::size_t) { return true; },
            [&](std::size_t, std::size_t d, double load) {
              if (found || after_leave_[ending.at].at(t + 1, d) + load != left) return;
              found = true;
              last = ending.at;
              down = d;
            });
      }
      if (!found) break;
      blocks.push_back(block_nodes(i, last, up, down));
      state = down;
      ++t;
    }
    if (last + 1 == spine_.nodes.size()) break;
    // Through the module after it.
    const double to_come = after_leave_[last].at(t, state);
    std::size_t next_state = 0, next_t = t;
    bool found = false;
    const auto any = [](std::size_t) { return true; };
    for_each_way_through(last, state, {0, modules_[last]->states()}, any,
                         [&](std::size_t from, std::size_t lower, std::size_t to, double time) {
                           if (found || from != t || after_enter_[last + 1].at(to, lower) + time != to_come) return;
                           found = true;
                           next_state = lower;
                           next_t = to;
                         });
    if (!found) break;
    const std::size_t most_inside = std::min(kMostInside, most_blocks_);
    const std::size_t inside = new_pass(last) ? most_inside : next_t - t;
    for (std::vector<NodeId>& block : modules_[last]->inside(state, next_state, inside))
      blocks.push_back(std::move(block));
    state = next_state;
    t = next_t;
    i = last + 1;
  }
  return blocks;
}

bool SpineBound::learn(double limit, LatencyFacts& facts) const {
  if (limit > no_use_) return false;
  bool any = false;
  const LatencyInstance& instance = model_.instance();
  TimeWatch watch(model_.budget(), kBoundStepsPerLook);
  for (std::size_t i = 1; i + 1 < spine_.nodes.size(); ++i) {
    const LatencyNode& node = instance.nodes[spine_.nodes[i]];
    double apart = kNever, on_host = kNever;
    watch.step(instance.group_count() + most_blocks_ * enter_[i].states);
    for (std::size_t t = 0; t <= most_blocks_; ++t) {
      for (std::size_t w = 0; w < enter_[i].states; ++w) {
        apart = std::min(apart, enter_[i].at(t, w) + after_enter_[i].at(t, w));
      }
      on_host = std::min(on_host, enter_[i].at(t, 0) + host_time(i) + after_leave_[i].at(t, 0));
    }
    if (on_host >= limit) any = facts.ban_from_hosts(node.group) || any;
    if (i == 1 || apart < limit) continue;
    const NodeId upper = spine_.nodes[i - 1];
    if (instance.nodes[upper].backward == node.backward) any = facts.join(upper, spine_.nodes[i]) || any;
  }
  return any;
}

}  // namespace partita::detail
