// SPDX-License-Identifier: Apache-2.0
// What a user wants of a split besides that it is good: nodes on certain devices, on the same one, on different ones.
// docs/wishes.md says what each means together with copies of stages, colours and layers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "partita/util/ids.h"

namespace partita {

struct Workload;

// The node runs on a device of this class, or on this one device and nowhere else: its stage then has no copies.
struct Pin {
  NodeId node;
  std::variant<ClassId, DeviceId> to;
};

struct Wishes {
  std::vector<Pin> pins = {};
  std::vector<std::vector<NodeId>> together = {};  // the nodes of each list share a device
  std::vector<std::vector<NodeId>> apart = {};     // of each list, no two different nodes share a device

  bool empty() const { return pins.empty() && together.empty() && apart.empty(); }
};

// Wishes as a plan lists them: original ids and names, not yet matched with a workload.
struct WishListing {
  struct ListedPin {
    std::int64_t node = 0;
    std::string device_class;
    std::optional<std::int64_t> index = std::nullopt;  // of the device within the class; none: any of the class
  };
  std::vector<ListedPin> pins = {};
  std::vector<std::vector<std::int64_t>> together = {};
  std::vector<std::vector<std::int64_t>> apart = {};

  bool empty() const { return pins.empty() && together.empty() && apart.empty(); }
};

// The same for a workload. Throws InputError, where() being `source`, for a node, class or device that it does not have.
Wishes match_wishes(const WishListing& listing, const Workload& workload, const std::string& source);

}  // namespace partita
