// SPDX-License-Identifier: Apache-2.0
// The states of one layer of a trellis while it is built (trellis.h): how the open nets stand, and which labels are left
// to the points that wait for one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "partita/solve/configuration/trellis.h"

namespace partita::detail {

inline constexpr int kNetSlots = 64, kPointSlots = 64;

enum Standing : std::uint64_t { kAllOut = 0, kAllIn = 1, kMixed = 2 };

// The labels 0 (before), 1 (in) and 2 (after) that a point may still get.
struct LabelInterval {
  int low = 0, high = 2;

  bool empty() const { return low > high; }
  bool forced_in() const { return low == 1 && high == 1; }
  bool forced_out() const { return low == 2 || high == 0; }
  bool operator==(const LabelInterval&) const = default;
};

// Two bits for each open net and four for each point that waits, in slots that are reused.
class StateKey {
 public:
  bool operator==(const StateKey&) const = default;

  std::uint64_t net(int slot) const { return words_[slot / 32] >> (2 * (slot % 32)) & 3; }
  void set_net(int slot, std::uint64_t standing) { put(words_[slot / 32], 2 * (slot % 32), 3, standing); }
  // The high end is kept as its distance from 2: a point that nothing is known of is 0.
  LabelInterval point(int slot) const {
    const std::uint64_t bits = words_[kNetWords + slot / 16] >> (4 * (slot % 16));
    return {static_cast<int>(bits & 3), 2 - static_cast<int>(bits >> 2 & 3)};
  }
  void set_point(int slot, LabelInterval labels) {
    put(words_[kNetWords + slot / 16], 4 * (slot % 16), 15,
        static_cast<std::uint64_t>(labels.low) | static_cast<std::uint64_t>(2 - labels.high) << 2);
  }

  std::uint64_t hash() const {
    std::uint64_t h = 0x9e3779b97f4a7c15ull;
    for (std::uint64_t word : words_) {
      h = (h ^ word) * 0xff51afd7ed558ccdull;
      h ^= h >> 32;
    }
    return h;
  }

 private:
  static constexpr int kNetWords = kNetSlots / 32, kPointWords = kPointSlots / 16;

  static void put(std::uint64_t& word, int shift, std::uint64_t mask, std::uint64_t bits) {
    word = (word & ~(mask << shift)) | bits << shift;
  }
  std::array<std::uint64_t, kNetWords + kPointWords> words_{};
};

// One state per distinct key, with the least load that leads to it.
class StateSet {
 public:
  StateSet() : table_(64, -1) {}

  std::int32_t enter(const StateKey& key, Load load) {
    std::size_t at = key.hash() & (table_.size() - 1);
    while (table_[at] >= 0 && !(keys[table_[at]] == key)) at = (at + 1) & (table_.size() - 1);
    if (table_[at] >= 0) {
      least[table_[at]] = std::min(least[table_[at]], load);
      return table_[at];
    }
    table_[at] = static_cast<std::int32_t>(keys.size());
    keys.push_back(key);
    least.push_back(load);
    if (2 * keys.size() > table_.size()) grow();
    return static_cast<std::int32_t>(keys.size()) - 1;
  }

  std::vector<StateKey> keys;
  std::vector<Load> least;

 private:
  void grow() {
    table_.assign(4 * table_.size(), -1);
    for (std::size_t s = 0; s < keys.size(); ++s) {
      std::size_t at = keys[s].hash() & (table_.size() - 1);
      while (table_[at] >= 0) at = (at + 1) & (table_.size() - 1);
      table_[at] = static_cast<std::int32_t>(s);
    }
  }
  std::vector<std::int32_t> table_;  // of states, by hash; -1: free
};

}  // namespace partita::detail
