// SPDX-License-Identifier: Apache-2.0
#include "partita/report/used_devices.h"

#include "partita/check/in_use.h"

namespace partita::detail {
namespace {

std::vector<DeviceId> by_first_piece(const Simulation& simulation) {
  std::vector<DeviceId> order;
  IdVector<DeviceId, char> seen(simulation.devices.size(), 0);
  for (const Piece& piece : simulation.pieces.pieces) {
    if (!seen[piece.device]) order.push_back(piece.device);
    seen[piece.device] = 1;
  }
  return order;
}

}  // namespace

std::vector<UsedDevice> used_devices(const CheckReport& report, const Simulation& simulation) {
  const bool staged = !report.order.empty();
  std::vector<UsedDevice> used;
  std::size_t stage = 0;
  for (DeviceId d : with_copies(report, staged ? report.order : by_first_piece(simulation))) {
    if (staged && !used.empty() && report.devices[d].original == d) ++stage;
    used.push_back({d, staged ? std::optional(stage) : std::nullopt});
  }
  return used;
}

}  // namespace partita::detail
