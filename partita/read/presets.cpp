// SPDX-License-Identifier: Apache-2.0
#include "partita/read/presets.h"

#include <nlohmann/json.hpp>

#include "partita/read/embedded_presets.h"
#include "partita/read/fields.h"
#include "partita/read/physical_fields.h"

namespace partita {

using namespace detail;

namespace {

using nlohmann::ordered_json;

// One preset for each member of the object in `text`, in its order.
template <class Preset, class Make>
std::vector<Preset> presets_of(std::string_view text, const char* file, const Make& make) {
  const std::string source = file;
  const Place document(source);
  std::vector<Preset> result;
  const ordered_json presets = ordered_json::parse(text);
  for (const auto& [name, value] : presets.items()) {
    const Place place = document.member(name);
    const nlohmann::json plain = value;
    result.push_back(make(name, ObjectView(plain, place, "a preset")));
  }
  return result;
}

std::string text_of(const ObjectView& fields, const char* key) { return fields.text(key, "a text").value_or(""); }

DevicePreset read_device(const std::string& name, const ObjectView& fields) {
  DevicePreset preset{.name = name,
                      .label = text_of(fields, "label"),
                      .device = {},
                      .rates = device_rates(fields),
                      .link = text_of(fields, "link"),
                      .peer = text_of(fields, "peer"),
                      .source = text_of(fields, "source")};
  preset.device.name = name;
  preset.device.kind = text_of(fields, "kind") == "host" ? DeviceKind::Host : DeviceKind::Accelerator;
  preset.device.count = 1;
  preset.device.memory = quantity(fields, "memory", Quantity::Bytes).value_or(kUnlimited);
  if (const LinkPreset* link = find_preset(link_presets(), preset.link)) {
    preset.device.link_factor = link->link.factor;
    preset.device.link_latency = link->link.latency;
  }
  return preset;
}

}  // namespace

const std::vector<LinkPreset>& link_presets() {
  static const std::vector<LinkPreset> presets = presets_of<LinkPreset>(
      embedded_links(), "platforms/links.json", [](const std::string& name, const ObjectView& fields) {
        return LinkPreset{name, text_of(fields, "label"), physical_link(fields), text_of(fields, "source")};
      });
  return presets;
}

const std::vector<DevicePreset>& device_presets() {
  static const std::vector<DevicePreset> presets =
      presets_of<DevicePreset>(embedded_devices(), "platforms/devices.json", read_device);
  return presets;
}

const std::vector<ServerPreset>& server_presets() {
  static const std::vector<ServerPreset> presets = presets_of<ServerPreset>(
      embedded_servers(), "platforms/servers.json", [](const std::string& name, const ObjectView& fields) {
        return ServerPreset{name, text_of(fields, "label"), text_of(fields, "platform"), text_of(fields, "source")};
      });
  return presets;
}

}  // namespace partita
