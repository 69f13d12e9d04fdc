// SPDX-License-Identifier: Apache-2.0
// Re-splits pairs of devices (pair_resplit.h) as long as one of them gets better: heavy devices with light ones first,
// and of the pairs only those of which one has changed since they were tried last. Tests:
// tests/solve/free_search_test.cpp.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "partita/solve/free/pair_resplit.h"
#include "partita/util/budget.h"
#include "partita/util/dice.h"

namespace partita::detail {

template <class Loads>
class PairSearch {
 public:
  // The instance must outlive it.
  explicit PairSearch(const FreeInstance& instance);

  // Every group must stand on a device that can run it.
  void start(const IdVector<GroupId, DeviceId>& device_of, std::uint64_t ticks);
  // Tries the next pair; false if there is none, or no ticks are left for it. `sharpness` is a factor of the power of
  // the soft maximum. Runs over the end of the slice by at most a pair.
  bool advance(double sharpness, Dice& dice, Budget& slice);

  const Loads& loads() const { return loads_; }

 private:
  void list_pairs();
  std::size_t window_begin(const std::vector<GroupId>& order, std::size_t window, Dice& dice);

  const NetGraph& graph_;
  Loads loads_;
  std::vector<std::pair<DeviceId, DeviceId>> pairs_;  // to try, last first
  IdVector<DeviceId, char> changed_;                  // since the pairs were listed
  std::uint64_t ticks_left_ = 0;
};

}  // namespace partita::detail
