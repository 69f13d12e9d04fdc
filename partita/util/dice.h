// SPDX-License-Identifier: Apache-2.0
// Random numbers for the inner loops of searches: xorshift64* [Marsaglia-JSS'03, Vigna-TOMS'16].
// Twice as fast as std::mt19937_64 behind standard distributions, and the same on every platform.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace partita::detail {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull ^ 0xD1B54A32D192ED03ull) {
    if (state_ == 0) state_ = 1;
    for (int i = 0; i < 8; ++i) next();
  }

  // One of 0 .. n-1; n is below 2^32.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>((next() >> 32) * n >> 32); }
  std::uint64_t bits() { return next(); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  double chance() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }  // inside (0, 1)
  double between(double low, double high) { return low + (high - low) * chance(); }
  // Evenly on a logarithmic scale.
  double between_logs(double low, double high) { return low * std::pow(high / low, chance()); }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1Dull;
  }

  std::uint64_t state_;
};

}  // namespace partita::detail
