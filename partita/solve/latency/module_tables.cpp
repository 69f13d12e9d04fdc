// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/module_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace partita {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Minimum cuts for one chain. With more we take blocks that share a chain as no dearer than others.
constexpr std::size_t kMostSharedCuts = 20'000;
constexpr std::uint64_t kWorkPerTick = 64;

}  // namespace

ModuleTables::ModuleTables(const Spine& spine, std::size_t module, const Detail& detail, const BlockModel& model,
                           BlockLoad& block_load)
    : model_(model),
      block_load_(block_load),
      upper_(spine.nodes[module]),
      lower_(spine.nodes[module + 1]),
      most_blocks_(detail.most_blocks),
      memory_limit_(model.memory_limit()) {
  for (const std::vector<NodeId>& nodes : spine.modules[module].chains) chains_.push_back({nodes, {}, {}});
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
    slice.spend(1 + (block_load_.work() - before) / kWorkPerTick);
  };
  for (; chains_done_ < chains_.size(); ++chains_done_) {
    if (slice.exhausted()) return false;
    work_on([&] { make_delays(chains_done_); });
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

  // Blocks of the nodes from p up to e: alone, and together with a node of an earlier chain.
  std::vector<std::vector<double>> alone(length, std::vector<double>(length + 1, kNever)), shared = alone;
  for (std::size_t p = 0; p < length; ++p) {
    for (std::size_t e = p + 1; e <= length; ++e) {
      std::vector<NodeId> outside;
      const NodeId before = p > 0 ? nodes[p - 1] : upper_, after = e < length ? nodes[e] : lower_;
      if (before.valid()) outside.push_back(before);
      if (after.valid()) outside.push_back(after);
      const auto least = [&](const std::vector<NodeId>& inside) {
        const bool possible = block_load_.begin(BlockLoad::Part::Whole, NodeId(), inside, outside);
        return possible ? block_load_.least(memory_limit_) : kNever;
      };
      alone[p][e] = least({nodes[p], nodes[e - 1]});
      if (alone[p][e] == kNever) continue;
      if (!count_shared) {
        shared[p][e] = earlier > 0 ? alone[p][e] : kNever;
        continue;
      }
      for (std::size_t b = 0; b < c; ++b) {
        for (NodeId x : chains_[b].nodes) shared[p][e] = std::min(shared[p][e], least({nodes[p], nodes[e - 1], x}));
      }
    }
  }

  chain.delay.assign(length + 1, std::vector<std::vector<double>>(length + 1));
  for (std::size_t p = 0; p <= length; ++p) {
    chain.delay[p][p].assign(most_blocks_ + 1, 0);
    for (std::size_t e = p + 1; e <= length; ++e) {
      const NodeId last = nodes[e - 1];
      const double host = model_.on_host(last) ? model_.instance().nodes[last].host_time : kNever;
      std::vector<double>& delay = chain.delay[p][e];
      for (std::size_t d = 0; d <= most_blocks_; ++d) {
        double best = chain.delay[p][e - 1][d] + host;
        for (std::size_t q = p; q < e; ++q) {
          best = std::min(best, chain.delay[p][q][d] + shared[q][e]);
          if (d > 0) best = std::min(best, chain.delay[p][q][d - 1] + alone[q][e]);
          if (d == most_blocks_) best = std::min(best, chain.delay[p][q][d] + alone[q][e]);
        }
        delay.push_back(best);
      }
    }
  }
}

void ModuleTables::fill(BlockLoad::Part part, std::size_t state, Reach& reach) {
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
  if (!block_load_.begin(part, end, inside, outside)) return;
  reach.memory[state] = block_load_.memory();
  for (std::size_t level = kMemoryLevels + 1; level-- > 0;) {
    const double room =
        level == kMemoryLevels ? memory_limit_ : memory_limit_ * static_cast<double>(level) / kMemoryLevels;
    const double load = block_load_.least(room);
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
  }
  return reach.load[state * (kMemoryLevels + 1) + level];
}

// Blocks go to the chain that takes longest, one by one: that is the least maximum for every number of blocks.
bool ModuleTables::delays(std::size_t upper_state, std::size_t lower_state, std::vector<double>& by_blocks) const {
  by_blocks.clear();
  std::array<const double*, Spine::kMostChains> delay;  // with the blocks that the chain has so far
  std::size_t count = 0;
  double unlimited = 0;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const std::size_t length = chains_[c].nodes.size();
    const Extent &upper = extent(upper_state, c), &lower = extent(lower_state, c);
    if (upper.least + lower.least > length) return false;
    if (upper.most + lower.most >= length) continue;
    delay[count] = chains_[c].delay[upper.most][length - lower.most].data();
    unlimited = std::max(unlimited, delay[count++][most_blocks_]);
  }
  for (std::size_t blocks = 0; blocks < most_blocks_; ++blocks) {
    std::size_t longest = 0;
    for (std::size_t c = 1; c < count; ++c) {
      if (*delay[c] > *delay[longest]) longest = c;
    }
    by_blocks.push_back(count > 0 ? *delay[longest] : 0);
    if (count > 0) ++delay[longest];
  }
  by_blocks.push_back(unlimited);
  return true;
}

}  // namespace partita
