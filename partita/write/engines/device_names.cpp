// SPDX-License-Identifier: Apache-2.0
#include "partita/write/engines/device_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita::detail {

bool is_host(const ExportRequest& request, DeviceId device) {
  const Platform& platform = request.problem.workload->platform;
  return platform.classes[platform.class_of(device)].kind == DeviceKind::Host;
}

std::size_t accelerator_number(const ExportRequest& request, DeviceId device) {
  const Platform& platform = request.problem.workload->platform;
  const ClassId own = platform.class_of(device);
  std::size_t number = device.index() - platform.first_device(own).index();
  for (ClassId c : platform.classes.all()) {
    if (c == own) break;
    if (platform.classes[c].kind == DeviceKind::Accelerator)
      number += static_cast<std::size_t>(platform.classes[c].count);
  }
  return number;
}

std::string engine_name(const ExportRequest& request, DeviceId device, const std::string& prefix,
                        const std::string& host) {
  if (is_host(request, device)) return host;
  const std::size_t number = accelerator_number(request, device);
  return request.devices.empty() ? fmt::format("{}{}", prefix, number) : request.devices[number];
}

void check_device_names(const ExportRequest& request) {
  if (request.devices.empty()) return;
  const auto fail = [](const std::string& problem) {
    throw InputError(ErrorKind::Usage, "ExportRequest::devices", problem);
  };
  const std::size_t count = request.problem.workload->platform.device_count(DeviceKind::Accelerator);
  if (request.devices.size() != count) {
    fail(fmt::format("found {} names; expected {}, one for each accelerator of the platform, in its order",
                     request.devices.size(), count));
  }
  std::set<std::string> seen;
  for (const std::string& name : request.devices) {
    const bool is_word = std::ranges::all_of(name, [](unsigned char c) { return c > 0x20 && c < 0x7f && c != ','; });
    if (name.empty() || !is_word) fail(fmt::format("'{}' is no name of a device, such as CUDA1", visible(name)));
    if (!seen.insert(name).second) fail(fmt::format("'{}' is given twice; expected names that differ", visible(name)));
  }
}

}  // namespace partita::detail
