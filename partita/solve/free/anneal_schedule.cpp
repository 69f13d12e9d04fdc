// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/anneal_schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "partita/reduce/never.h"

namespace partita::detail {
namespace {

constexpr std::uint64_t kFirstRunPerGroup = 1000;  // length of the first runs, within these limits,
constexpr std::uint64_t kShortestFirstRun = 20'000, kLongestFirstRun = 400'000;
constexpr std::uint64_t kLeastRunPerGroup = 100;  // unless it is less than this
constexpr double kRunGrowth = 1.3;
// On a transformer of 20,000 groups none of 8 runs that began with a power of 8 beat the staged split, and 7 of 16 that
// began with 40 or 200 did.
constexpr double kGroupsForTemperatures = 500;
constexpr std::uint64_t kLeastRandomRunPerGroup = 400;  // shorter runs get nowhere from a random start, or a hot one
constexpr std::uint64_t kLongestRun = 100'000'000;
constexpr double kScoreDecay = 1.0005;  // old successes of an arm count for less and less
constexpr double kMostMemoryPrice = 1000;

std::uint64_t first_run(std::size_t groups) {
  const std::uint64_t usual = std::clamp(kFirstRunPerGroup * groups, kShortestFirstRun, kLongestFirstRun);
  return std::max<std::uint64_t>(usual, kLeastRunPerGroup * groups);
}

}  // namespace

AnnealSchedule::AnnealSchedule(std::size_t groups)
    : groups_(groups),
      arms_{{0.00005, 0.0005, kNever},
            {0.0005, 0.002, kNever},
            {0.002, 0.01, kNever},
            {0.01, 0.05, kNever},
            {0.05, 0.3, kNever}},
      run_length_(first_run(groups)) {}

bool AnnealSchedule::too_short_for_random() const { return run_length_ < kLeastRandomRunPerGroup * groups_; }

double AnnealSchedule::cooling() const { return std::min(1.0, kGroupsForTemperatures / static_cast<double>(groups_)); }

void AnnealSchedule::choose(Dice& dice) {
  const std::size_t arms = arms_.size();
  if (runs_ < 2 * arms) {
    arm_ = too_short_for_random() ? runs_ % arms : arms - 1 - runs_ % arms;
  } else if (dice.one_in(2)) {
    arm_ = static_cast<std::size_t>(
        std::min_element(arms_.begin(), arms_.end(), [](const Arm& a, const Arm& b) { return a.score < b.score; }) -
        arms_.begin());
  } else {
    arm_ = dice.below(arms);
  }
}

FreeAnnealOptions AnnealSchedule::options(double scale, Dice& dice) const {
  FreeAnnealOptions options;
  options.proposals = run_length_;
  options.scale = scale;
  options.hot = cooling() * dice.between_logs(arms_[arm_].coolest, arms_[arm_].hottest);
  options.cold = cooling() * dice.between_logs(2e-6, 1e-5);
  options.first_power = dice.between(5, 10) / std::sqrt(cooling());
  options.last_power = dice.between(50, 130) / std::sqrt(cooling());
  options.memory_price = memory_price_;
  return options;
}

void AnnealSchedule::ended(double value) {
  memory_price_ = value == kNever ? std::min(2 * memory_price_, kMostMemoryPrice) : std::max(2.0, 0.9 * memory_price_);
  Arm& arm = arms_[arm_];
  arm.score = std::min(arm.score * kScoreDecay, value);
  if (++runs_ % arms_.size() == 0)
    run_length_ = std::min(kLongestRun, static_cast<std::uint64_t>(static_cast<double>(run_length_) * kRunGrowth));
}

}  // namespace partita::detail
