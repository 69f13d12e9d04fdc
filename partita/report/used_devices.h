// SPDX-License-Identifier: Apache-2.0
// The devices of a simulation in the order in which a sample meets them, as tables, pictures and traces show them.
#pragma once

#include <optional>
#include <vector>

#include "partita/schedule/simulation.h"

namespace partita::detail {

struct UsedDevice {
  DeviceId device;
  std::optional<std::size_t> stage;  // place in the pipeline, from 0; none where the split has no order
};

// Those that run a piece, in pipeline order, else by their first pieces;
// copies follow their originals and share their stage.
std::vector<UsedDevice> used_devices(const CheckReport& report, const Simulation& simulation);

}  // namespace partita::detail
