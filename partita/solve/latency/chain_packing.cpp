// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/chain_packing.h"

#include <algorithm>
#include <utility>

#include "partita/reduce/never.h"

namespace partita::detail {
ChainPacking::Rest::Rest() : hosts(kNever), single(kNever) {
  anywhere.fill(kNever);
  later.fill(kNever);
}

void ChainPacking::Rest::join(const Rest& other) {
  hosts = std::min(hosts, other.hosts);
  single = std::min(single, other.single);
  for (std::size_t k = 0; k < kLevels; ++k) {
    anywhere[k] = std::min(anywhere[k], other.anywhere[k]);
    later[k] = std::min(later[k], other.later[k]);
  }
}

ChainPacking::ChainPacking(std::vector<Chain> chains) : chains_(std::move(chains)) {
  std::vector<double> times;  // that may be left on hosts
  double in_one_block = 0;    // nobody would wait longer
  from_end_ = chains_.empty() ? 0 : kNever;
  for (const Chain& chain : chains_) {
    from_end_ = std::min(from_end_, chain.cut[0]);
    in_one_block += chain.cut.front() + chain.cut.back();
    for (const double time : chain.time) in_one_block += time;
    const std::size_t length = chain.time.size();
    double before = 0;
    for (std::size_t p = 0; p < length; ++p) {
      double beside = before, stretch = 0;
      for (std::size_t e = length; e > p; --e) {
        times.push_back(beside);
        beside += chain.host_time[e - 1];
      }
      for (std::size_t e = p; e < length; ++e) times.push_back(stretch += chain.host_time[e]);
      before += chain.host_time[p];
    }
  }
  std::erase_if(times, [&](double time) { return !(time > 0 && time < in_one_block); });
  std::sort(times.begin(), times.end());
  make_levels(std::move(times));
}

// As many of these as there is room for, at least so far from each other.
void ChainPacking::make_levels(std::vector<double> times) {
  const double longest = times.empty() ? 0 : times.back();
  for (double distance = longest * 1e-9;; distance = std::max(2 * distance, longest / (4 * kLevels))) {
    levels_.fill(kNever);
    levels_[0] = 0;
    std::size_t used = 1;
    for (const double time : times) {
      if (time < levels_[used - 1] + distance) continue;
      if (used == kLevels) {
        used = 0;
        break;
      }
      levels_[used++] = time;
    }
    if (used > 0) return;
  }
}

std::size_t ChainPacking::level(double on_hosts) const {
  return static_cast<std::size_t>(std::upper_bound(levels_.begin(), levels_.end(), on_hosts) - levels_.begin()) - 1;
}

// visit(from, to, time on hosts beside it, own work)
template <class Visit>
void ChainPacking::for_each_stretch(const Stretch& within, const Visit& visit) const {
  const Chain& chain = chains_[within.chain];
  double before = 0;
  for (std::size_t from = within.from; from < within.to && before < kNever; before += chain.host_time[from++]) {
    double after = 0, work = from > 0 ? chain.cut[from] : 0;
    for (std::size_t i = from; i < within.to; ++i) work += chain.time[i];
    for (std::size_t to = within.to; to > from && after < kNever; --to) {
      if (chain.alone[from][to] < kNever) visit(from, to, before + after, work + chain.cut[to]);
      work -= chain.time[to - 1];
      after += chain.host_time[to - 1];
    }
  }
}

ChainPacking::Rest ChainPacking::rest(const Stretch& stretch) const {
  const Chain& chain = chains_[stretch.chain];
  Rest rest;
  rest.hosts = 0;
  for (std::size_t i = stretch.from; i < stretch.to; ++i) rest.hosts += chain.host_time[i];
  for_each_stretch(stretch, [&](std::size_t from, std::size_t to, double beside, double own) {
    rest.single = std::min(rest.single, beside + chain.alone[from][to]);
    const std::size_t k = level(beside);
    rest.anywhere[k] = std::min(rest.anywhere[k], own);
    if (from > 0) rest.later[k] = std::min(rest.later[k], own);
  });
  for (std::size_t k = 1; k < kLevels; ++k) {
    rest.anywhere[k] = std::min(rest.anywhere[k], rest.anywhere[k - 1]);
    rest.later[k] = std::min(rest.later[k], rest.later[k - 1]);
  }
  return rest;
}

// By set of chains: the least time, if each of them has a stretch in the block.
ChainPacking::BySet ChainPacking::in_one_block(std::span<const Rest* const> chains) const {
  const std::size_t sets = std::size_t{1} << chains.size();
  BySet time;
  time.fill(kNever);
  time[0] = 0;
  // No set takes longer than all of them; once that is so for levels, too, they are of no use.
  for (std::size_t k = 0; k < kLevels && levels_[k] < time[sets - 1]; ++k) {
    BySet anywhere, later;
    anywhere[0] = levels_[k] + from_end_;
    later[0] = levels_[k];
    for (std::size_t c = 0; c < chains.size(); ++c) {
      const std::size_t half = std::size_t{1} << c;
      for (std::size_t set = 0; set < half; ++set) {
        anywhere[half + set] = anywhere[set] + chains[c]->anywhere[k];
        later[half + set] = later[set] + chains[c]->later[k];
      }
    }
    for (std::size_t set = 1; set < sets; ++set) time[set] = std::min({time[set], anywhere[set], later[set]});
  }
  for (std::size_t c = 0; c < chains.size(); ++c) {
    for (std::size_t set = 1; set < sets; ++set) {
      if ((set >> c & 1) != 0) time[set] = std::max(time[set], chains[c]->single);
    }
  }
  return time;
}

void ChainPacking::least_times(std::span<const Rest* const> chains, std::span<double> by_blocks) const {
  const std::size_t sets = std::size_t{1} << chains.size();
  const BySet one = in_one_block(chains);
  BySet time;  // with as many blocks as have been used so far
  time[0] = 0;
  for (std::size_t c = 0; c < chains.size(); ++c) {
    const std::size_t half = std::size_t{1} << c;
    for (std::size_t set = 0; set < half; ++set) time[half + set] = std::max(time[set], chains[c]->hosts);
  }
  by_blocks[0] = time[sets - 1];
  for (std::size_t n = 1; n < by_blocks.size(); ++n) {
    // The larger sets first, so that those with fewer blocks are still there. Of the last ones only one is needed.
    for (std::size_t set = sets; set-- > 1 && n <= chains.size();) {
      for (std::size_t part = set; part > 0; part = (part - 1) & set)
        time[set] = std::min(time[set], std::max(one[part], time[set & ~part]));
      if (n == chains.size()) break;
    }
    by_blocks[n] = time[sets - 1];
  }
}

std::vector<std::vector<ChainPacking::Stretch>> ChainPacking::cheapest(const std::vector<Stretch>& chains,
                                                                       std::size_t most_blocks) const {
  std::vector<Rest> rests;
  for (const Stretch& chain : chains) rests.push_back(rest(chain));
  // Each chain goes to a host or to one of the blocks; a way through all of that.
  std::vector<std::vector<std::size_t>> now, best;
  double least = kNever;
  const auto rests_of = [&](const std::vector<std::size_t>& block) {
    std::vector<const Rest*> found;
    for (const std::size_t c : block) found.push_back(&rests[c]);
    return found;
  };
  const auto deal = [&](const auto& self, std::size_t c, double on_hosts) -> void {
    if (c == chains.size()) {
      double time = on_hosts;
      for (const auto& block : now) {
        const std::vector<const Rest*> of_block = rests_of(block);
        time = std::max(time, in_one_block(of_block)[(std::size_t{1} << block.size()) - 1]);
      }
      if (time < least) {
        least = time;
        best = now;
      }
      return;
    }
    self(self, c + 1, std::max(on_hosts, rests[c].hosts));
    for (std::size_t b = 0; b < now.size(); ++b) {
      now[b].push_back(c);
      self(self, c + 1, on_hosts);
      now[b].pop_back();
    }
    if (now.size() == most_blocks) return;
    now.push_back({c});
    self(self, c + 1, on_hosts);
    now.pop_back();
  };
  deal(deal, 0, 0);
  std::vector<std::vector<Stretch>> found;
  for (const auto& block : best) {
    std::vector<Stretch> of_block;
    for (const std::size_t c : block) of_block.push_back(chains[c]);
    found.push_back(stretches(of_block, rests_of(block)));
  }
  return found;
}

// What one block holds of these chains at the level where it takes least.
std::vector<ChainPacking::Stretch> ChainPacking::stretches(std::span<const Stretch> chains,
                                                           std::span<const Rest* const> rests) const {
  double least = kNever;
  std::size_t at = 0;
  bool only_later = false;
  for (std::size_t k = 0; k < kLevels && levels_[k] < kNever; ++k) {
    double anywhere = levels_[k] + from_end_, later = levels_[k];
    for (const Rest* rest : rests) {
      anywhere += rest->anywhere[k];
      later += rest->later[k];
    }
    if (std::min(anywhere, later) >= least) continue;
    least = std::min(anywhere, later);
    at = k;
    only_later = later < anywhere;
  }
  std::vector<Stretch> found;
  for (const Stretch& chain : chains) {
    double least_work = kNever;
    Stretch best = chain;
    for_each_stretch(chain, [&](std::size_t from, std::size_t to, double beside, double own) {
      const bool alone = chains.size() == 1;
      const double work = alone ? beside + chains_[chain.chain].alone[from][to] : own;
      if (!alone && (level(beside) > at || (only_later && from == 0))) return;
      if (work >= least_work) return;
      least_work = work;
      best = {chain.chain, from, to};
    });
    found.push_back(best);
  }
  return found;
}

}  // namespace partita::detail
