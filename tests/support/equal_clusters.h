// SPDX-License-Identifier: Apache-2.0
// A random question moved to equal clusters of accelerators, with the hosts outside: what --clusters makes.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "partita/model/problem.h"

namespace partita::detail::test {

// Up to four accelerators in two or three clusters, on links with or without latency, and up to one host. Precondition: one class of accelerators, maybe
// one of hosts behind it.
inline Problem in_equal_clusters(Problem problem, std::uint64_t seed) {
  const auto pick = [&](std::uint64_t salt, std::uint64_t count) {
    return (seed * 2654435761u + salt * 40503u) / 97 % count;
  };
  Platform& platform = problem.workload.change().platform;
  const bool hosts = platform.classes.size() > 1;
  const int clusters = 2 + static_cast<int>(pick(1, 2));
  Cluster inside;
  inside.factor = std::array{0.0, 0.1, 0.25, 0.5, 1.0, 2.0}[pick(2, 6)];
  inside.devices = {clusters == 2 ? 1 + static_cast<int>(pick(3, 2)) : 1};
  Cluster root;
  root.factor = std::array{1.0, 1.0, 1.0, 0.5, 2.0}[pick(4, 5)];
  root.devices = {0};
  if (hosts) {
    inside.devices.push_back(0);
    root.devices.push_back(static_cast<int>(pick(5, 2)));
    platform.classes[ClassId(1)].count = root.devices[ClassId(1)];
  }
  // Links of their own, with a latency.
  constexpr std::array kLatencies{0.0, 0.1, 0.35};
  if (pick(6, 3) == 0) root.link = Link{std::exchange(root.factor, 1), kLatencies[pick(7, 3)]};
  if (pick(8, 3) == 0) inside.link = Link{std::exchange(inside.factor, 1), kLatencies[pick(9, 3)]};
  if (pick(10, 3) == 0) platform.classes[ClassId(0)].link_latency = kLatencies[pick(11, 3)];
  root.clusters.assign(static_cast<std::size_t>(clusters), inside);
  platform.classes[ClassId(0)].count = clusters * inside.devices[ClassId(0)];
  platform.clusters = root;
  return problem;
}

}  // namespace partita::detail::test
