// SPDX-License-Identifier: Apache-2.0
// Packing chains into blocks takes no longer than any way to do so that is tried out, and as long as the best one where
// every time on hosts is a level.
#include "partita/solve/latency/chain_packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "partita/reduce/never.h"
#include "partita/util/dice.h"
#include "tests/support/cases.h"

namespace partita::detail::test {
namespace {

using Stretch = ChainPacking::Stretch;
using Chain = ChainPacking::Chain;

std::vector<Chain> random_chains(Dice& dice) {
  std::vector<Chain> chains;
  const double net = static_cast<double>(dice.below(5));
  for (std::size_t count = 1 + dice.below(4); count > 0; --count) {
    Chain chain;
    const std::size_t length = 1 + dice.below(4);
    chain.cut.push_back(net);
    for (std::size_t i = 0; i < length; ++i) {
      chain.time.push_back(static_cast<double>(dice.below(5)));
      chain.host_time.push_back(dice.below(12) == 0 ? kNever : static_cast<double>(1 + dice.below(9)));
      chain.cut.push_back(static_cast<double>(dice.below(4)));
    }
    chain.alone.assign(length, std::vector<double>(length + 1, kNever));
    for (std::size_t p = 0; p < length; ++p) {
      for (std::size_t e = p + 1; e <= length; ++e) {
        double load = chain.cut[p] + chain.cut[e] + (dice.below(6) == 0 ? 2 : 0);
        for (std::size_t i = p; i < e; ++i) load += chain.time[i];
        if (dice.below(20) > 0) chain.alone[p][e] = load;
      }
    }
    chains.push_back(chain);
  }
  return chains;
}

// One block with these stretches: from the start of the first host nodes to the end of the last.
double time_of(const std::vector<Chain>& chains, const std::vector<Stretch>& whole, const std::vector<Stretch>& block) {
  double before = 0, after = 0, work = 0, from_end = 0, least = 0;
  for (const Stretch& s : block) {
    const Chain& chain = chains[s.chain];
    const auto rest = std::find_if(whole.begin(), whole.end(), [&](const Stretch& w) { return w.chain == s.chain; });
    double above = 0, below = 0;
    for (std::size_t i = rest->from; i < s.from; ++i) above += chain.host_time[i];
    for (std::size_t i = s.to; i < rest->to; ++i) below += chain.host_time[i];
    before = std::max(before, above);
    after = std::max(after, below);
    for (std::size_t i = s.from; i < s.to; ++i) work += chain.time[i];
    work += chain.cut[s.to];
    (s.from > 0 ? work : from_end) = s.from > 0 ? work + chain.cut[s.from] : chain.cut[0];
    least = std::max(least, chain.alone[s.from][s.to]);
  }
  return before + after + std::max(work + from_end, least);
}

TEST(ChainPacking, IsNeverAboveAnyWayToPack) {
  std::size_t met = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= cases(2000); ++seed) {
    Dice dice(seed);
    const std::vector<Chain> chains = random_chains(dice);
    const ChainPacking packing(chains);
    std::vector<Stretch> whole;
    std::vector<ChainPacking::Rest> rests;
    for (std::size_t c = 0; c < chains.size(); ++c) {
      const std::size_t length = chains[c].time.size(), from = dice.below(length);
      whole.push_back({c, from, from + 1 + dice.below(length - from)});
      rests.push_back(packing.rest(whole.back()));
    }
    std::vector<const ChainPacking::Rest*> pointers;
    for (const ChainPacking::Rest& rest : rests) pointers.push_back(&rest);
    for (std::size_t blocks = 0; blocks <= 3; ++blocks) {
      std::vector<double> by_blocks(blocks + 1);
      packing.least_times(pointers, by_blocks);
      double best = kNever;
      std::vector<std::vector<Stretch>> now;
      const std::function<void(std::size_t, double)> deal = [&](std::size_t c, double hosts) {
        if (c == whole.size()) {
          double time = hosts;
          for (const auto& block : now) time = std::max(time, time_of(chains, whole, block));
          best = std::min(best, time);
          return;
        }
        double on_hosts = 0;
        for (std::size_t i = whole[c].from; i < whole[c].to; ++i) on_hosts += chains[c].host_time[i];
        deal(c + 1, std::max(hosts, on_hosts));
        for (std::size_t p = whole[c].from; p < whole[c].to; ++p) {
          for (std::size_t e = p + 1; e <= whole[c].to; ++e) {
            if (chains[c].alone[p][e] == kNever) continue;
            for (std::size_t b = 0; b < now.size(); ++b) {
              now[b].push_back({c, p, e});
              deal(c + 1, hosts);
              now[b].pop_back();
            }
            if (now.size() == blocks) continue;
            now.push_back({{c, p, e}});
            deal(c + 1, hosts);
            now.pop_back();
          }
        }
      };
      deal(0, 0);
      EXPECT_LE(by_blocks[blocks] * (1 - 1e-9), best) << "seed " << seed << " blocks " << blocks;
      ++all;
      met += by_blocks[blocks] == best || by_blocks[blocks] >= best * (1 - 1e-9);
      // What it would do: no more blocks, of these chains, none twice.
      const auto found = packing.cheapest(whole, blocks);
      EXPECT_LE(found.size(), blocks);
      std::vector<char> seen(chains.size(), 0);
      for (const auto& block : found) {
        for (const Stretch& s : block) {
          EXPECT_FALSE(seen[s.chain]);
          seen[s.chain] = 1;
          EXPECT_TRUE(whole[s.chain].from <= s.from && s.from < s.to && s.to <= whole[s.chain].to);
        }
      }
    }
  }
  EXPECT_GT(met * 10, all * 8) << met << " of " << all;
}

}  // namespace
}  // namespace partita::detail::test
