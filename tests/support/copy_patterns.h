// SPDX-License-Identifier: Apache-2.0
// Every way in which devices of a platform may share stages, made by following the definition of docs/formats.md
// ("Replication") from the root of the clusters down: for platforms of a handful of devices. Shares no code with
// `check`, `reduce` or `solve`.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "partita/model/platform.h"

namespace partita::detail {

// Where a device is: the clusters around it, from the root on. A platform without clusters is one with factor 1.
struct DevicePlace {
  ClassId its_class;
  std::vector<std::size_t> path;  // which cluster inside to take, level by level
  std::vector<double> factors;    // of the clusters on the path, the root's first: one more than the path is long
  std::vector<std::optional<Link>> links;  // the same: what some of them have instead
};

std::vector<DevicePlace> device_places(const Platform& platform);

// What a device of the class at `payer` pays for an output of this cost that it exchanges with the one at `other`: nothing
// for what costs nothing, nor on a host.
double transfer_price(const Platform& platform, const DevicePlace& payer, const DevicePlace& other, double cost);

// Copies at one level: so many, with the weights of these devices exchanged at this factor.
struct CopyLevel {
  std::size_t copies = 1;
  double factor = 1;
  std::vector<std::size_t> devices;
};

struct CopyPattern {
  std::vector<std::size_t> original;           // by device: the one whose stage it runs, itself if not a copy
  std::vector<std::vector<CopyLevel>> levels;  // by original: from the inside out
  std::vector<std::size_t> sharing;            // by original: how many devices run its stage
};

// Up to `most` copies at every level. Which of the copies is the original makes no difference to what a split costs:
// all choices are listed with `any_original`, else the one with the smallest numbers.
std::vector<CopyPattern> copy_patterns(const Platform& platform, std::size_t most, bool any_original);

}  // namespace partita::detail
