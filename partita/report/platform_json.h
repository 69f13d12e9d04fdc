// SPDX-License-Identifier: Apache-2.0
// Platforms as objects of workloads and plans (docs/formats.md, "Platforms").
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "partita/model/platform_spec.h"

namespace partita::detail {

// The parts of such an object: a class of devices, a cluster with all that is in it, and the
// links that several devices are behind.
nlohmann::ordered_json class_json(const DeviceClass& one, double time_factor = 1);
nlohmann::ordered_json cluster_json(const Platform& platform, const Cluster& cluster);
nlohmann::ordered_json shared_links_json(const Platform& platform, bool physical = false);

// The whole. Of a physical platform, links are bandwidths and classes say what they can do.
nlohmann::ordered_json platform_object(const PlatformSpec& spec);

}  // namespace partita::detail
