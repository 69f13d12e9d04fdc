// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/module_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace partita {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostStates = 400;
constexpr std::size_t kExactChains = 2;  // of the others we know only whether the block has a part in them
// Minimum cuts for one chain. With more we take blocks that share a chain as no dearer than others.
constexpr std::size_t kMostSharedCuts = 20'000;

}  // namespace

ModuleTables::ModuleTables(const Spine& spine, std::size_t module, std::size_t most_blocks, const BlockModel& model,
                           BlockLoad& block_load)
    : upper_(spine.nodes[module]),
      lower_(spine.nodes[module + 1]),
      most_blocks_(most_blocks),
      memory_limit_(model.memory_limit()) {
  for (const std::vector<NodeId>& nodes : spine.modules[module].chains) chains_.push_back({nodes, {}, {}});
  make_extents();
  for (std::size_t c = 0; c < chains_.size(); ++c) make_delays(c, model, block_load);
  if (upper_.valid()) reach_from(upper_, lower_, BlockLoad::Part::Below, model, block_load, below_);
  if (lower_.valid()) reach_from(lower_, upper_, BlockLoad::Part::Above, model, block_load, above_);
}

void ModuleTables::make_extents() {
  std::vector<std::size_t> ranges;  // of each chain, besides the empty one
  for (std::size_t c = 0; c < chains_.size(); ++c) ranges.push_back(c < kExactChains ? chains_[c].nodes.size() : 1);
  const auto product = [&] {
    std::size_t states = 1;
    for (const std::size_t r : ranges) states *= r + 1;
    return states;
  };
  while (product() > kMostStates) {
    const auto widest = std::max_element(ranges.begin(), ranges.end());
    *widest -= (*widest + 9) / 10;
  }
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const std::size_t length = chains_[c].nodes.size();
    chains_[c].extents.push_back({0, 0});
    for (std::size_t r = 0; r < ranges[c]; ++r) {
      chains_[c].extents.push_back({1 + length * r / ranges[c], length * (r + 1) / ranges[c]});
    }
  }
  states_ = product();
}

ModuleTables::Extent ModuleTables::extent(std::size_t state, std::size_t chain) const {
  for (std::size_t c = 0; c < chain; ++c) state /= chains_[c].extents.size();
  return chains_[chain].extents[state % chains_[chain].extents.size()];
}

void ModuleTables::make_delays(std::size_t c, const BlockModel& model, BlockLoad& block_load) {
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
        return block_load.begin(BlockLoad::Part::Whole, NodeId(), inside, outside) ? block_load.least(memory_limit_)
                                                                                   : kNever;
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
      const double host = model.on_host(last) ? model.instance().nodes[last].host_time : kNever;
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

void ModuleTables::reach_from(NodeId end, NodeId other_end, BlockLoad::Part part, const BlockModel& model,
                              BlockLoad& block_load, Reach& reach) const {
  const bool down = part == BlockLoad::Part::Below;
  reach.memory.assign(states_, kNever);
  reach.load.assign(states_ * (kMemoryLevels + 1), kNever);
  if (!model.cluster(model.cluster_of(end)).on_accelerator) return;
  for (std::size_t state = 0; state < states_; ++state) {
    std::vector<NodeId> inside = {end}, outside;
    if (other_end.valid()) outside.push_back(other_end);
    for (std::size_t c = 0; c < chains_.size(); ++c) {
      const std::vector<NodeId>& nodes = chains_[c].nodes;
      const Extent reached = extent(state, c);
      const auto at = [&](std::size_t i) { return down ? nodes[i] : nodes[nodes.size() - 1 - i]; };
      if (reached.least > 0) inside.push_back(at(reached.least - 1));
      if (reached.most < nodes.size()) outside.push_back(at(reached.most));
    }
    if (!block_load.begin(part, end, inside, outside)) continue;
    reach.memory[state] = block_load.memory();
    for (std::size_t level = kMemoryLevels + 1; level > 0; --level) {
      const double room = memory_limit_ * static_cast<double>(level - 1) / kMemoryLevels;
      const double load = block_load.least(level > kMemoryLevels ? memory_limit_ : room);
      if (load == kNever) break;
      reach.load[state * (kMemoryLevels + 1) + level - 1] = load;
      if (memory_limit_ == kNever) break;
    }
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

bool ModuleTables::delays(std::size_t upper_state, std::size_t lower_state, std::vector<double>& by_blocks) const {
  by_blocks.assign(most_blocks_ + 1, kNever);
  by_blocks[0] = 0;
  std::vector<double> with_chain;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const std::size_t length = chains_[c].nodes.size();
    const Extent upper = extent(upper_state, c), lower = extent(lower_state, c);
    if (upper.least + lower.least > length) return false;
    if (upper.most + lower.most >= length) continue;
    const std::vector<double>& delay = chains_[c].delay[upper.most][length - lower.most];
    with_chain.assign(most_blocks_ + 1, kNever);
    for (std::size_t a = 0; a <= most_blocks_; ++a) {
      for (std::size_t b = 0; b <= most_blocks_; ++b) {
        double& entry = with_chain[std::min(a + b, most_blocks_)];
        entry = std::min(entry, std::max(by_blocks[a], delay[b]));
      }
    }
    by_blocks.swap(with_chain);
  }
  return true;
}

}  // namespace partita
