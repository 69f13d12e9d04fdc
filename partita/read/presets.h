// SPDX-License-Identifier: Apache-2.0
// Devices, links and servers that are known by name, and platforms composed of them: "2x(4xa100-nvlink)+ib". The folder
// platforms/ holds them, with the source of each figure; docs/platforms.md says what the words mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partita/read/platform.h"

namespace partita {

struct DevicePreset {
  std::string name;    // as platforms are composed of it
  std::string label;   // as people know it
  DeviceClass device;  // one of it, on its usual link; in seconds and bytes
  DeviceRates rates;
  std::string link;  // the name of that link; "none" for hosts
  std::string peer;  // the link between devices of the kind; empty: none
  std::string source;
};

struct LinkPreset {
  std::string name;
  std::string label;
  Link link;  // seconds per byte, seconds
  std::string source;
};

struct ServerPreset {
  std::string name;
  std::string label;
  std::string platform;  // composed of the others
  std::string source;
};

const std::vector<DevicePreset>& device_presets();
const std::vector<LinkPreset>& link_presets();
const std::vector<ServerPreset>& server_presets();

// The one of a list above that has this name; null: none.
template <class Preset>
const Preset* find_preset(const std::vector<Preset>& presets, std::string_view name) {
  for (const Preset& preset : presets)
    if (preset.name == name) return &preset;
  return nullptr;
}

// A platform written as "4xa100", "a100+2xrtx3090+t4", "2x(4xa100-nvlink+epyc)+ib". Its links are in seconds per byte
// and seconds, and `rates` says what its devices can do. Throws InputError(BadPlatform), which names what was not
// understood and what would be.
PlatformSpec compose_platform(std::string_view text);

}  // namespace partita
