// SPDX-License-Identifier: Apache-2.0
// Chains that run side by side, packed into n blocks, if no chain has stretches in two of them.
//
// A block with stretches of several chains starts when the first part of each, on hosts, is done, and the last parts
// wait for it. So with z the time on hosts before and after the block, on whichever chains that is longest, it all
// takes at least z plus the block's load; and the block can hold, of each chain, only a stretch that leaves no more
// than z on hosts. The load is at least the *own work* of each stretch, the times of its nodes and the nets that start
// on this chain and are cut, plus, if some stretch begins at the upper end, the net from there, which is paid once. So
// the least time for one block with stretches of a set of chains is a minimum over z of sums over the chains, and for n
// blocks the best way to deal out the chains decides. Chains may also stay on hosts. What z may be is known up to the
// next of a few levels below it. Tests: tests/solve/chain_packing_test.cpp.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace partita::detail {

class ChainPacking {
 public:
  static constexpr std::size_t kMostChains = 4;
  static constexpr std::size_t kLevels = 32;

  struct Chain {
    std::vector<double> time, host_time;  // of each node; infinite hosts: it cannot run there
    std::vector<double> cut;              // nets between each node and the one before; the first and last: the ends
    // alone[p][e]: a block with the nodes from p up to e, and nothing before or after on this chain, takes at least
    // this.
    std::vector<std::vector<double>> alone;
  };

  // What is left of a chain between two extents, or the least of each number for several such stretches.
  struct Rest {
    double hosts;   // all on hosts
    double single;  // with one block at least
    // Least own work in a block, by level of time on hosts beside it: of stretches that begin anywhere, and of those
    // that do not begin at the upper end.
    std::array<double, kLevels> anywhere, later;
    Rest();
    void join(const Rest& other);
  };

  struct Stretch {
    std::size_t chain, from, to;  // its nodes from one up to the other
  };

  ChainPacking() = default;
  explicit ChainPacking(std::vector<Chain> chains);

  Rest rest(const Stretch& stretch) const;

  // The least time with n blocks, for n from 0 on. At most kMostChains chains.
  void least_times(std::span<const Rest* const> chains, std::span<double> by_blocks) const;

  // Blocks that need so little time, as the stretches each of them holds.
  std::vector<std::vector<Stretch>> cheapest(const std::vector<Stretch>& chains, std::size_t most_blocks) const;

 private:
  static constexpr std::size_t kSets = std::size_t{1} << kMostChains;
  using BySet = std::array<double, kSets>;  // of chains

  void make_levels(std::vector<double> times);
  std::size_t level(double on_hosts) const;
  template <class Visit>
  void for_each_stretch(const Stretch& within, const Visit& visit) const;
  BySet in_one_block(std::span<const Rest* const> chains) const;
  std::vector<Stretch> stretches(std::span<const Stretch> chains, std::span<const Rest* const> rests) const;

  std::vector<Chain> chains_;
  std::array<double, kLevels> levels_{};  // ascending, from 0; infinite ones are not used
  double from_end_ = 0;                   // the least net of a chain from the upper end
};

}  // namespace partita::detail
