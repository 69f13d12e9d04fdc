// SPDX-License-Identifier: Apache-2.0
// Platforms as objects of workloads and plans (docs/formats.md, "Platforms").
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "partita/model/platform_spec.h"

namespace partita::detail {

// The parts of such an object: a class of devices, and a cluster with all that is in it.
nlohmann::ordered_json class_json(const DeviceClass& one, double time_factor = 1);
nlohmann::ordered_json cluster_json(const Platform& platform, const Cluster& cluster);

// The whole. Of a physical platform, links are bandwidths and classes say what they can do.
nlohmann::ordered_json platform_object(const PlatformSpec& spec);

}  // namespace partita::detail
