// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/module_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "partita/reduce/never.h"

namespace partita::detail {
namespace {

// Minimum cuts for one chain. With more we take blocks that share a chain as no dearer than others.
constexpr std::size_t kMostSharedCuts = 20'000;
constexpr std::uint64_t kTableWorkPerTick = 64;
constexpr double kHighestRatio = 1e6;
constexpr int kNewtonSteps = 4;

}  // namespace

ModuleTables::ModuleTables(const Spine& spine, std::size_t module, const Detail& detail, const BlockModel& model,
                           BlockLoad& block_load, NodeId beyond)
    : model_(model),
      block_load_(block_load),
      upper_(spine.nodes[module]),
      lower_(spine.nodes[module + 1]),
      beyond_(beyond),
      most_blocks_(detail.most_blocks),
      memory_limit_(model.memory_limit()) {
  for (const std::vector<NodeId>& nodes : spine.modules[module].chains)
    chains_.push_back({nodes, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}});
  make_extents(detail.most_states);
  for (Reach* reach : {&below_, &above_}) {
    reach->memory.assign(states_, kNever);
    reach->load.assign(states_ * (kMemoryLevels + 1), kNever);
  }
}

// Exact on the first chains, which take longest; on the last ones, what fits.
void ModuleTables::make_extents(std::size_t most_states) {
  std::vector<std::size_t> ranges;  // of each chain, besides the empty one
  for (const Chain& chain : chains_) ranges.push_back(chain.nodes.size());
  const auto product = [&] {
    std::size_t states = 1;
    for (const std::size_t r : ranges) states *= r + 1;
    return states;
  };
  for (std::size_t c = chains_.size(); product() > most_states && c > 0;) {
    const auto widest = c > 2 ? ranges.begin() + static_cast<std::ptrdiff_t>(c - 1)
                              : std::max_element(ranges.begin(), ranges.begin() + static_cast<std::ptrdiff_t>(c));
    *widest > 1 ? --*widest : --c;
    exact_ = false;
  }
  states_ = product();
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const std::size_t length = chains_[c].nodes.size();
    chains_[c].extents.push_back({0, 0});
    for (std::size_t r = 0; r < ranges[c]; ++r) {
      chains_[c].extents.push_back({1 + length * r / ranges[c], length * (r + 1) / ranges[c]});
    }
  }
  for (std::size_t state = 0; state < states_; ++state) {
    std::size_t rest = state;
    for (const Chain& chain : chains_) {
      extent_of_.push_back(static_cast<std::uint32_t>(rest % chain.extents.size()));
      rest /= chain.extents.size();
    }
  }
}

bool ModuleTables::advance(Budget& slice) {
  const auto work_on = [&](const auto& step) {
    const std::uint64_t before = block_load_.work();
    step();
    slice.spend(1 + (block_load_.work() - before) / kTableWorkPerTick);
  };
  for (; chains_done_ < chains_.size(); ++chains_done_) {
    if (slice.exhausted()) return false;
    work_on([&] { make_delays(chains_done_); });
    if (chains_done_ + 1 == chains_.size()) pack_chains();
  }
  for (; states_done_ < states_; ++states_done_) {
    if (slice.exhausted()) return false;
    work_on([&] {
      if (upper_.valid()) fill(BlockLoad::Part::Below, states_done_, below_);
      if (lower_.valid()) fill(BlockLoad::Part::Above, states_done_, above_);
    });
  }
  return true;
}

void ModuleTables::make_delays(std::size_t c) {
  Chain& chain = chains_[c];
  const std::vector<NodeId>& nodes = chain.nodes;
  const std::size_t length = nodes.size();
  std::size_t earlier = 0;
  for (std::size_t b = 0; b < c; ++b) earlier += chains_[b].nodes.size();
  const bool count_shared = length * length / 2 * earlier <= kMostSharedCuts;

  chain.alone.assign(length, std::vector<double>(length + 1, kNever));
  chain.shared = chain.alone;
  for (std::size_t p = 0; p < length; ++p) {
    for (std::size_t e = p + 1; e <= length; ++e) {
      const auto least = [&](NodeId with) {
        return begin_stretch(chain, p, e, with) ? block_load_.least(memory_limit_) : kNever;
      };
      chain.alone[p][e] = least(NodeId());
      if (chain.alone[p][e] == kNever) continue;
      if (!count_shared) {
        if (earlier > 0) chain.shared[p][e] = chain.alone[p][e];
        continue;
      }
      for (std::size_t b = 0; b < c; ++b) {
        for (NodeId x : chains_[b].nodes) chain.shared[p][e] = std::min(chain.shared[p][e], least(x));
      }
    }
  }

  make_work(chain);
  chain.delay = delays_along(chain, true);
  chain.own_delay = earlier > 0 ? delays_along(chain, false) : chain.delay;
  make_least(chain);
}

ModuleTables::Delays ModuleTables::delays_along(const Chain& chain, bool share) const {
  const std::size_t length = chain.nodes.size();
  Delays delays(length + 1, std::vector<std::vector<double>>(length + 1));
  for (std::size_t p = 0; p <= length; ++p) {
    delays[p][p].assign(most_blocks_ + 1, 0);
    for (std::size_t e = p + 1; e <= length; ++e) {
      const NodeId last = chain.nodes[e - 1];
      const double host = model_.on_host(last) ? model_.instance().nodes[last].host_time : kNever;
      for (std::size_t d = 0; d <= most_blocks_; ++d) {
        double best = delays[p][e - 1][d] + host;
        for (std::size_t q = p; q < e; ++q) {
          if (share) best = std::min(best, delays[p][q][d] + chain.shared[q][e]);
          if (d > 0) best = std::min(best, delays[p][q][fewer(d)] + chain.alone[q][e]);
        }
        delays[p][e].push_back(best);
      }
    }
  }
  return delays;
}

// Of work, the time on hosts and what is sure are least on the shortest stretch, and the ratio on the longest.
void ModuleTables::make_least(Chain& chain) const {
  const std::size_t length = chain.nodes.size(), extents = chain.extents.size();
  chain.least_delay.assign(extents, std::vector<std::vector<double>>(extents));
  chain.least_own = chain.least_delay;
  chain.least_work.assign(extents, std::vector<Work>(extents));
  for (std::size_t a = 0; a < extents; ++a) {
    for (std::size_t b = 0; b < extents; ++b) {
      const Extent &upper = chain.extents[a], &lower = chain.extents[b];
      if (upper.most + lower.most >= length) continue;  // perhaps nothing is left between
      const auto least_of = [&](const Delays& delays) {
        std::vector<double> least(most_blocks_ + 1, kNever);
        for (std::size_t p = upper.least; p <= upper.most; ++p) {
          for (std::size_t e = length - lower.most; e <= length - lower.least; ++e) {
            for (std::size_t d = 0; d <= most_blocks_; ++d) least[d] = std::min(least[d], delays[p][e][d]);
          }
        }
        return least;
      };
      chain.least_delay[a][b] = least_of(chain.delay);
      chain.least_own[a][b] = least_of(chain.own_delay);
      chain.least_work[a][b] = chain.work[upper.most][length - lower.most];
      chain.least_work[a][b].ratio = chain.work[upper.least][length - lower.least].ratio;
    }
  }
}

// A block of the nodes from p up to e, and perhaps one more.
bool ModuleTables::begin_stretch(const Chain& chain, std::size_t p, std::size_t e, NodeId with) {
  const std::vector<NodeId>& nodes = chain.nodes;
  const NodeId before = p > 0 ? nodes[p - 1] : upper_, after = e < nodes.size() ? nodes[e] : lower_;
  std::vector<NodeId> inside = {nodes[p], nodes[e - 1]}, outside;
  if (with.valid()) inside.push_back(with);
  if (before.valid()) outside.push_back(before);
  if (after.valid()) outside.push_back(after);
  return block_load_.begin(BlockLoad::Part::Whole, NodeId(), inside, outside);
}

// Nets that are cut if a block holds what is below i, or above it, but not both. Those from a node of the chain are the
// chain's alone; those from the upper end may be those of all chains.
std::vector<double> ModuleTables::cuts_along(const std::vector<NodeId>& nodes) const {
  const LatencyInstance& instance = model_.instance();
  const auto nets_between = [&](NodeId producer, NodeId consumer) {
    double cost = 0;
    if (!producer.valid() || !consumer.valid()) return cost;
    for (NetId e : instance.nets_of[producer]) {
      const auto members = instance.net_members[e];
      const bool reaches = std::find(members.begin(), members.end(), consumer) != members.end();
      if (instance.net_producer[e] == producer && reaches) cost += instance.net_cost[e];
    }
    return cost;
  };
  std::vector<double> cut = {nets_between(upper_, nodes[0])};
  for (std::size_t i = 1; i < nodes.size(); ++i) cut.push_back(nets_between(nodes[i - 1], nodes[i]));
  cut.push_back(nets_between(nodes.back(), lower_));
  return cut;
}

void ModuleTables::pack_chains() {
  if (chains_.size() < 2) return;
  const LatencyInstance& instance = model_.instance();
  std::vector<ChainPacking::Chain> parts;
  for (const Chain& chain : chains_) {
    ChainPacking::Chain part{{}, {}, cuts_along(chain.nodes), chain.alone};
    for (NodeId v : chain.nodes) {
      part.time.push_back(instance.nodes[v].accelerator_time);
      part.host_time.push_back(model_.on_host(v) ? instance.nodes[v].host_time : kNever);
    }
    parts.push_back(std::move(part));
  }
  packing_ = ChainPacking(std::move(parts));
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const std::vector<Extent>& extents = chains_[c].extents;
    const std::size_t length = chains_[c].nodes.size();
    chains_[c].rest.assign(extents.size(), std::vector<ChainPacking::Rest>(extents.size()));
    for (std::size_t a = 0; a < extents.size(); ++a) {
      for (std::size_t b = 0; b < extents.size(); ++b) {
        if (extents[a].most + extents[b].most >= length) continue;  // perhaps nothing is left between
        for (std::size_t p = extents[a].least; p <= extents[a].most; ++p) {
          for (std::size_t e = length - extents[b].most; e <= length - extents[b].least; ++e)
            chains_[c].rest[a][b].join(packing_.rest({c, p, e}));
        }
      }
    }
  }
}

void ModuleTables::make_work(Chain& chain) const {
  const LatencyInstance& instance = model_.instance();
  const std::size_t length = chain.nodes.size();
  std::vector<double> cut = cuts_along(chain.nodes);
  cut[0] /= static_cast<double>(chains_.size());
  chain.work.assign(length + 1, std::vector<Work>(length + 1));
  for (std::size_t size = 1; size <= length; ++size) {
    for (std::size_t p = 0; p + size <= length; ++p) {
      const std::size_t e = p + size;
      const LatencyNode& last = instance.nodes[chain.nodes[e - 1]];
      Work& work = chain.work[p][e];
      work = chain.work[p][e - 1];
      (model_.on_host(chain.nodes[e - 1]) ? work.on_hosts += last.host_time : work.sure += last.accelerator_time);
      if (size == 1) work.ratio = kHighestRatio;
      if (size > 1) work.ratio = std::min(work.ratio, chain.work[p + 1][e].ratio);
      const double saved = work.on_hosts - chain.alone[p][e];
      if (!(saved > 0)) continue;
      double done = cut[p] + cut[e];
      for (std::size_t i = p; i < e; ++i) done += instance.nodes[chain.nodes[i]].accelerator_time;
      work.ratio = std::min(work.ratio, done / saved);
    }
  }
}

// The least D with: the work of so many blocks, n * D, is enough for all chains. Newton's method from below, on a
// convex function, so every step gives a valid bound.
double ModuleTables::time_for_work(std::span<const Work* const> chains, std::size_t blocks) {
  double time = 0;
  for (int step = 0; step < kNewtonSteps; ++step) {
    double missing = -static_cast<double>(blocks) * time, slope = static_cast<double>(blocks);
    for (const Work* work : chains) {
      const double taken = work->ratio * (work->on_hosts - time);
      missing += std::max(work->sure, taken);
      if (taken > work->sure) slope += work->ratio;
    }
    if (missing <= 0) break;
    time += missing / slope;
  }
  return time;
}

bool ModuleTables::begin_reach(BlockLoad::Part part, std::size_t state) {
  const bool down = part == BlockLoad::Part::Below;
  const NodeId end = down ? upper_ : lower_, other_end = down ? lower_ : upper_;
  std::vector<NodeId> inside = {end}, outside;
  if (other_end.valid()) outside.push_back(other_end);
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const std::vector<NodeId>& nodes = chains_[c].nodes;
    const Extent reached = extent(state, c);
    const auto at = [&](std::size_t i) { return down ? nodes[i] : nodes[nodes.size() - 1 - i]; };
    if (reached.least > 0) inside.push_back(at(reached.least - 1));
    if (reached.most < nodes.size()) outside.push_back(at(reached.most));
  }
  return block_load_.begin(part, end, inside, outside, down ? NodeId() : beyond_);
}

double ModuleTables::room_at(std::size_t level) const {
  return level == kMemoryLevels ? memory_limit_ : memory_limit_ * static_cast<double>(level) / kMemoryLevels;
}

void ModuleTables::fill(BlockLoad::Part part, std::size_t state, Reach& reach) {
  if (!begin_reach(part, state)) return;
  reach.memory[state] = block_load_.memory();
  for (std::size_t level = kMemoryLevels + 1; level-- > 0;) {
    const double load = block_load_.least(room_at(level));
    if (load == kNever) break;
    reach.load[state * (kMemoryLevels + 1) + level] = load;
    if (memory_limit_ == kNever) break;
  }
}

// With less room than a level, the level's load is still a bound.
double ModuleTables::load(const Reach& reach, std::size_t state, double room) const {
  if (room < 0) return kNever;
  std::size_t level = kMemoryLevels;
  if (room < memory_limit_) {
    level = std::min(kMemoryLevels, static_cast<std::size_t>(std::ceil(room / memory_limit_ * kMemoryLevels)));
    if (level < kMemoryLevels && room_at(level) < room) ++level;  // the quotient was rounded down
  }
  return reach.load[state * (kMemoryLevels + 1) + level];
}

// Blocks go to the chain that takes longest, one by one: that is the least maximum for every number of blocks.
bool ModuleTables::delays(std::size_t upper_state, std::size_t lower_state, std::vector<double>& by_blocks) const {
  by_blocks.clear();
  std::array<const double*, Spine::kMostChains> delay;  // with the blocks that the chain has so far
  std::array<const double*, Spine::kMostChains> own;    // with all blocks there are
  std::array<const Work*, Spine::kMostChains> work;
  std::array<const ChainPacking::Rest*, Spine::kMostChains> rest;
  std::size_t count = 0;
  double unlimited = 0;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const std::size_t length = chains_[c].nodes.size();
    const Extent &upper = extent(upper_state, c), &lower = extent(lower_state, c);
    if (upper.least + lower.least > length) return false;
    if (upper.most + lower.most >= length) continue;
    const std::size_t above = extent_number(upper_state, c), below = extent_number(lower_state, c);
    delay[count] = chains_[c].least_delay[above][below].data();
    own[count] = chains_[c].least_own[above][below].data();
    work[count] = &chains_[c].least_work[above][below];
    if (chains_.size() > 1) rest[count] = &chains_[c].rest[above][below];
    unlimited = std::max(unlimited, delay[count++][most_blocks_]);
  }
  std::vector<double> packed(most_blocks_, 0);
  if (count > 1 && most_blocks_ > 1) packing_.least_times({rest.data(), count}, packed);
  double time_of_fewer = kNever;  // for the work of one block less
  for (std::size_t blocks = 0; blocks < most_blocks_; ++blocks) {
    std::size_t longest = 0;
    for (std::size_t c = 1; c < count; ++c) {
      if (*delay[c] > *delay[longest]) longest = c;
    }
    double time = count > 0 ? *delay[longest] : 0;
    for (std::size_t c = 0; c < count; ++c) time = std::max(time, own[c][blocks]);
    if (blocks > 0 && count > 1) {
      const double time_of_these = time_for_work({work.data(), count}, blocks);
      time = std::max({time, time_of_these, std::min(packed[blocks], time_of_fewer)});
      time_of_fewer = time_of_these;
    }
    by_blocks.push_back(time);
    if (count > 0) ++delay[longest];
  }
  by_blocks.push_back(unlimited);
  return true;
}

std::vector<NodeId> ModuleTables::reaching(BlockLoad::Part part, std::size_t state, double room) {
  if (!begin_reach(part, state) || block_load_.least(room) == kNever) return {};
  return block_load_.cheapest();
}

std::vector<std::vector<NodeId>> ModuleTables::inside(std::size_t upper_state, std::size_t lower_state,
                                                      std::size_t blocks) {
  struct Stretch {
    std::size_t chain, from, to, given;
    double delay(const std::vector<Chain>& chains) const { return chains[chain].delay[from][to][given]; }
  };
  std::vector<Stretch> left;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const std::size_t length = chains_[c].nodes.size();
    const std::size_t from = extent(upper_state, c).most, kept = extent(lower_state, c).most;
    if (from + kept < length) left.push_back({c, from, length - kept, blocks == most_blocks_ ? blocks : 0});
  }
  if (left.size() > 1 && blocks > 0 && blocks < most_blocks_) {
    std::vector<ChainPacking::Stretch> whole;
    for (const Stretch& stretch : left) whole.push_back({stretch.chain, stretch.from, stretch.to});
    std::vector<std::vector<NodeId>> found;
    for (const auto& block : packing_.cheapest(whole, blocks)) {
      found.emplace_back();
      for (const auto& [c, from, to] : block) {
        const auto nodes = chains_[c].nodes.begin();
        found.back().insert(found.back().end(), nodes + static_cast<std::ptrdiff_t>(from),
                            nodes + static_cast<std::ptrdiff_t>(to));
      }
    }
    return found;
  }
  for (std::size_t i = 0; i < blocks && blocks < most_blocks_ && !left.empty(); ++i) {
    ++std::max_element(left.begin(), left.end(), [&](const Stretch& a, const Stretch& b) {
        return a.delay(chains_) < b.delay(chains_);
      })->given;
  }
  // What the delays are made of, from the end of each chain. A block that has a part in an earlier chain joins that
  // chain's last one.
  std::vector<std::vector<NodeId>> found;
  for (auto& [c, from, to, given] : left) {
    const Chain& chain = chains_[c];
    while (from < to) {
      const double delay = chain.delay[from][to][given];
      std::size_t start = from;
      const auto is = [&](double other) { return other == delay; };
      while (start < to && !is(chain.delay[from][start][given] + chain.shared[start][to]) &&
             !(given > 0 && is(chain.delay[from][start][fewer(given)] + chain.alone[start][to]))) {
        ++start;
      }
      if (start == to) {
        --to;  // on a host
        continue;
      }
      const bool joins = !found.empty() && is(chain.delay[from][start][given] + chain.shared[start][to]);
      if (begin_stretch(chain, start, to, NodeId()) && block_load_.least(memory_limit_) < kNever) {
        const std::vector<NodeId> nodes = block_load_.cheapest();
        if (!joins) found.emplace_back();
        found.back().insert(found.back().end(), nodes.begin(), nodes.end());
      }
      if (!joins) given = given > 0 ? fewer(given) : 0;
      to = start;
    }
  }
  return found;
}

}  // namespace partita::detail
