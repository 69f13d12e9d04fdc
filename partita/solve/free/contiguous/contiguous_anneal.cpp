// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/contiguous/contiguous_anneal.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "partita/solve/free/contiguous/contiguity.h"
#include "partita/solve/free/part_loads.h"
#include "partita/solve/free/sum_loads.h"
#include "partita/util/dice.h"

namespace partita::detail {
namespace {

constexpr double kAmbition = 0.002;  // how far below the best value the target is
constexpr double kOverfull = 0.05;   // price of any excess of memory, so that tiny ones do not pay
constexpr double kBlockShare = 0.4;
constexpr std::size_t kLargestBlock = 40;
constexpr std::uint64_t kMovesPerLook = 256;
constexpr std::uint64_t kMovesPerGroup = 1000, kMostMoves = 300'000;  // of a run
constexpr int kRunsWithoutGain = 30;
constexpr double kCoolest = 0.002, kHottest = 0.1, kCooling = 0.01;  // first temperatures, and last over first

template <class Loads>
class ContiguousAnnealer {
 public:
  ContiguousAnnealer(const FreeInstance& instance, Contiguity& contiguity, const FreeSplit& start, Dice& dice)
      : instance_(instance),
        graph_(instance.graph),
        contiguity_(contiguity),
        dice_(dice),
        loads_(instance),
        best_value_(start.value),
        target_(start.value * (1 - kAmbition)) {
    loads_.reset(start.device_of);
    contiguity_.reset(start.device_of);
  }

  // A better split than the start, if one is met. `hot`: the first temperature, as a share of the value to beat.
  std::optional<FreeSplit> run(double hot, Budget& budget) {
    const std::uint64_t moves = std::min(kMostMoves, kMovesPerGroup * graph_.size());
    for (std::uint64_t move = 0; move < moves; ++move) {
      if (move % kMovesPerLook == 0) {
        budget.spend(kMovesPerLook);
        if (budget.exhausted()) break;
        const double progress = static_cast<double>(move) / static_cast<double>(moves);
        temperature_ = best_value_ * hot * std::pow(kCooling, progress);
        loads_.refresh();
      }
      if (try_move() && loads_.largest() < best_value_ && loads_.memory_fits()) note_best();
    }
    return std::move(best_);
  }

 private:
  bool try_move() {
    const GroupId v(dice_.below(graph_.size()));
    const DeviceId from = loads_.device_of(v), to = destination(v);
    if (from == to) return false;
    block_.assign(1, v);
    if (dice_.chance() < kBlockShare && !gather_block(dice_.one_in(2))) return false;
    for (GroupId u : block_) {
      if (!loads_.can_run(u, to)) return false;
    }
    if (!contiguity_.allows(block_, from, to)) return false;
    const typename Loads::Saved saved[2] = {loads_.save(from), loads_.save(to)};
    const double before = excess(from) + excess(to);
    for (GroupId u : block_) loads_.move(u, to);
    const double change = excess(from) + excess(to) - before;
    if (change > 0 && dice_.chance() >= std::exp(-change / temperature_)) {
      for (GroupId u : block_) loads_.move(u, from);
      for (const auto& numbers : saved) loads_.restore(numbers);
      return false;
    }
    for (GroupId u : block_) contiguity_.move(u, from, to);
    return true;
  }

  // Where a neighbour is, mostly.
  DeviceId destination(GroupId v) {
    const auto nets = graph_.nets_of(v);
    if (nets.empty() || dice_.one_in(5)) return DeviceId(dice_.below(loads_.device_count()));
    const auto members = graph_.members(nets[dice_.below(nets.size())]);
    return loads_.device_of(members[dice_.below(members.size())]);
  }

  // All groups of the device that come after the first of the block, or before it. False if they are too many.
  bool gather_block(bool after) {
    const DeviceId from = loads_.device_of(block_[0]);
    for (std::size_t i = 0; i < block_.size(); ++i) {
      for (GroupId w : after ? contiguity_.after(block_[i]) : contiguity_.before(block_[i])) {
        if (loads_.device_of(w) != from || std::find(block_.begin(), block_.end(), w) != block_.end()) continue;
        block_.push_back(w);
        if (block_.size() > kLargestBlock) return false;
      }
    }
    return true;
  }

  double excess(DeviceId d) const {
    const double overfull = loads_.overfull(d);
    return std::max(0.0, loads_.load(d) - target_) + (overfull > 0 ? (overfull + kOverfull) * target_ : 0);
  }

  // The value is recomputed: sums that moves kept up have rounding in them.
  void note_best() {
    const double value = free_value(instance_, loads_.device_of());
    if (value >= best_value_) return;
    best_value_ = value;
    target_ = value * (1 - kAmbition);
    best_ = FreeSplit{value, loads_.device_of()};
  }

  const FreeInstance& instance_;
  const NetGraph& graph_;
  Contiguity& contiguity_;
  Dice& dice_;
  Loads loads_;
  double best_value_, target_, temperature_ = 0;
  std::vector<GroupId> block_;
  std::optional<FreeSplit> best_;
};

template <class Loads>
FreeSplit improve(const Problem& problem, const FreeInstance& instance, FreeSplit start, std::uint64_t seed,
                  Budget& budget) {
  const std::size_t devices = instance.devices.size();
  if (instance.graph.size() < 2 || devices < 2 || start.value <= 0) return start;
  if (instance.group_of.size() > Contiguity::kMostNodes) return start;
  Contiguity contiguity(problem, instance.group_of, devices);
  Dice dice(seed);
  FreeSplit best = std::move(start);
  for (int without_gain = 0; without_gain < kRunsWithoutGain && !budget.exhausted(); ++without_gain) {
    ContiguousAnnealer<Loads> annealer(instance, contiguity, best, dice);
    auto better = annealer.run(dice.between_logs(kCoolest, kHottest), budget);
    if (!better) continue;
    best = std::move(*better);
    without_gain = -1;
  }
  return best;
}

}  // namespace

FreeSplit improve_contiguous(const Problem& problem, const FreeInstance& instance, FreeSplit start, std::uint64_t seed,
                             Budget& budget) {
  return SumLoads::serves(instance) ? improve<SumLoads>(problem, instance, std::move(start), seed, budget)
                                    : improve<PartLoads>(problem, instance, std::move(start), seed, budget);
}

}  // namespace partita::detail
