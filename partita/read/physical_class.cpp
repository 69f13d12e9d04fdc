// SPDX-License-Identifier: Apache-2.0
#include "partita/read/physical_class.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "partita/read/physical_fields.h"
#include "partita/read/presets.h"
#include "partita/util/nearest_name.h"

namespace partita::detail {

namespace {

// The device that a class is made of; none where the class says all itself.
const DevicePreset* named_device(const ObjectView& fields) {
  const std::optional<std::string> name = fields.text("device", "the name of a known device, such as a100");
  if (!name) return nullptr;
  if (const DevicePreset* preset = find_preset(device_presets(), *name)) return preset;
  std::vector<std::string> names;
  for (const DevicePreset& preset : device_presets()) names.push_back(preset.name);
  const std::optional<std::string> nearest = nearest_name(*name, names);
  fields.place().member("device").fail(
      ErrorKind::BadPlatform, fmt::format("no device is known as \"{}\"; {}", one_line(*name, 60),
                                          nearest ? fmt::format("did you mean \"{}\"?", *nearest)
                                                  : fmt::format("the known ones are {}", fmt::join(names, ", "))));
}

}  // namespace

Link read_physical_link(const nlohmann::json& value, const Place& place) {
  if (!value.is_string()) {
    return physical_link(
        ObjectView(value, place, "a link: a known one's name, or an object with bandwidth and latency"));
  }
  const std::string& name = value.get_ref<const std::string&>();
  if (const LinkPreset* preset = find_preset(link_presets(), name)) return preset->link;
  place.fail(ErrorKind::BadPlatform,
             fmt::format("no link is known as \"{}\"; expected one such as pcie4, nvlink3 or eth100, or an "
                         "object with bandwidth and latency",
                         one_line(name, 60)));
}

bool is_physical_class(const ObjectView& fields) { return fields.find("flops") || fields.find("device"); }

DeviceRates read_physical_class(const ObjectView& fields, DeviceClass& one) {
  DeviceRates rates;
  if (const DevicePreset* preset = named_device(fields)) {
    if (!fields.find("kind")) one.kind = preset->device.kind;
    one.memory = preset->device.memory;
    one.link_factor = preset->device.link_factor;
    one.link_latency = preset->device.link_latency;
    rates = preset->rates;
    if (fields.find("flops")) rates.flops = peak_flops(fields);
    if (const auto bandwidth = quantity(fields, "memoryBandwidth", Quantity::Bandwidth))
      rates.memory_bandwidth = *bandwidth;
    if (const auto launch = quantity(fields, "launch", Quantity::Seconds)) rates.launch = *launch;
  } else {
    rates = device_rates(fields);
  }
  if (fields.find("memory")) one.memory = quantity(fields, "memory", Quantity::Bytes).value_or(kUnlimited);
  const bool pays = one.kind == DeviceKind::Accelerator;
  if (!pays) {
    one.link_factor = 1;
    one.link_latency = 0;
  } else if (fields.find("link")) {
    const Place place = fields.place().member("link");
    const Link link = read_physical_link(*fields.find("link"), place);
    one.link_factor = link.factor;
    one.link_latency = link.latency;
  } else if (!fields.find("device")) {
    fields.place().member("link").fail(ErrorKind::BadPlatform,
                                       "is missing; expected how an accelerator reaches the others: an object with "
                                       "bandwidth and latency, or the name of a known link");
  }
  return rates;
}

}  // namespace partita::detail
