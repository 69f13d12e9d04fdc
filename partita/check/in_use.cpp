// SPDX-License-Identifier: Apache-2.0
#include "partita/check/in_use.h"

namespace partita::detail {

std::vector<DeviceId> devices_in_use(const CheckReport& report) {
  if (!report.order.empty()) return report.order;
  std::vector<DeviceId> devices;
  for (DeviceId d : report.devices.all()) {
    if (report.devices[d].node_count > 0) devices.push_back(d);
  }
  return devices;
}

std::vector<DeviceId> with_copies(const CheckReport& report, const std::vector<DeviceId>& originals) {
  IdVector<DeviceId, std::vector<DeviceId>> copies(report.devices.size());
  for (DeviceId d : report.devices.all()) {
    const DeviceId original = report.devices[d].original;
    if (original.valid() && original != d) copies[original].push_back(d);
  }
  std::vector<DeviceId> devices;
  for (DeviceId original : originals) {
    devices.push_back(original);
    devices.insert(devices.end(), copies[original].begin(), copies[original].end());
  }
  return devices;
}

}  // namespace partita::detail
