// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/gpipe_free.h"

#include <algorithm>
#include <cmath>

#include "partita/solve/staged/anneal.h"

namespace partita {
namespace {

constexpr std::uint64_t kMovesPerRound = 500'000;

PassRow to_row(const StagePlatform& platform, const FreeSplit& split) {
  PassRow row;
  row.on_host.assign(static_cast<std::size_t>(platform.accelerators + platform.hosts), 0);
  std::fill(row.on_host.begin() + platform.accelerators, row.on_host.end(), 1);
  for (DeviceId device : split.device_of) row.place_of.push_back(device.index());
  return row;
}

PassView view_of(const PassNets& passes) { return {{&passes[0], &passes[1]}, nullptr}; }

}  // namespace

double gpipe_value(const PassNets& passes, const StagePlatform& platform, const FreeSplit& split) {
  return pass_value(view_of(passes), to_row(platform, split)).sum();
}

FreeSplit anneal_free_gpipe(const PassNets& passes, const StagePlatform& platform, const FreeSplit& start,
                            std::uint64_t moves, double enough, std::uint64_t seed, Budget& budget) {
  Rng rng(seed);
  const PassView view = view_of(passes);
  PassRow best = to_row(platform, start);
  double value = pass_value(view, best).sum();
  while (moves > 0 && value > enough && !budget.exhausted()) {
    AnnealOptions options;
    options.moves = std::min(moves, kMovesPerRound);
    options.hot = 0.001 * std::pow(30, std::uniform_real_distribution<double>(0, 1)(rng));
    options.cold = options.hot / 100;
    if (auto better = anneal_passes(view, platform, best, options, rng, budget)) {
      best = std::move(*better);
      value = pass_value(view, best).sum();
    }
    moves -= options.moves;
  }
  FreeSplit result{value, {}};
  for (const std::size_t place : best.place_of) result.device_of.push_back(DeviceId(place));
  return result;
}

}  // namespace partita
