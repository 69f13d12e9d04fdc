// SPDX-License-Identifier: Apache-2.0
// Better splits for the sum of the largest forward and the largest backward load, by simulated annealing.
//
// As in anneal.h, the devices stand in a row and groups move between places; what is minimised is the load above a
// target, summed over the devices, here with a target for each pass. The two targets add up to a little less than the
// best value; how much of that is asked of which pass is drawn afresh after every success and now and then without one,
// for a little more forward may be worth much less backward. With an order, a group moves as far as its predecessors
// and successors allow, so staged splits stay staged; without one, anywhere, mostly to where a neighbour is. A move
// costs O(pins of what moves). It only ever gives splits, never bounds. Tests: tests/solve/gpipe_anneal_test.cpp.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "partita/reduce/pass_graphs.h"
#include "partita/solve/staged/gpipe/pass_loads.h"
#include "partita/solve/staged/orders.h"
#include "partita/util/budget.h"

namespace partita {

// Devices in a row, and where each group stands.
struct PassRow {
  std::vector<char> on_host;  // by place
  IdVector<GroupId, std::size_t> place_of;
};

struct PassAnnealOptions {
  std::uint64_t moves = 1'000'000;
  double hot = 0.01, cold = 0.0001;  // first and last temperature, as shares of the value to beat
};

// Forward and backward nets of the same groups. `order` may be null: then any place will do.
struct PassView {
  std::array<const NetGraph*, kPasses> pass;
  const StageGraph* order = nullptr;
};

PassValue pass_value(const PassView& view, const PassRow& row);

// A row with a smaller value than `start`, or none. `start` must be legal. One run; call again for other chances.
std::optional<PassRow> anneal_passes(const PassView& view, const StagePlatform& platform, const PassRow& start,
                                     const PassAnnealOptions& options, Rng& rng, Budget& budget);

// The stages of a split in a row, with unused devices at random between them; and back.
PassRow row_of(std::size_t groups, const StagePlatform& platform, const std::vector<Stage>& stages, Rng& rng);
std::vector<Stage> stages_of(const PassRow& row);

}  // namespace partita
