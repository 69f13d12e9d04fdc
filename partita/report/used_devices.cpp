// SPDX-License-Identifier: Apache-2.0
#include "partita/report/used_devices.h"

namespace partita {
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
  IdVector<DeviceId, std::vector<DeviceId>> copies(report.devices.size());
  for (DeviceId d : report.devices.all()) {
    const DeviceId original = report.devices[d].original;
    if (original.valid() && original != d) copies[original].push_back(d);
  }
  const bool staged = !report.order.empty();
  std::vector<UsedDevice> used;
  std::size_t stage = 0;
  for (DeviceId d : staged ? report.order : by_first_piece(simulation)) {
    const std::optional<std::size_t> place = staged ? std::optional(stage++) : std::nullopt;
    used.push_back({d, place});
    for (DeviceId copy : copies[d]) used.push_back({copy, place});
  }
  return used;
}

}  // namespace partita
