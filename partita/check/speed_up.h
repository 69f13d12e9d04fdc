// SPDX-License-Identifier: Apache-2.0
// What a split for throughput is worth: against a single device, and against the operator that no split can cut.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partita/model/problem.h"

namespace partita::detail {

// Throughput: how many times as many samples go through as through one device that holds everything. That device is of
// the class that needs least time for all nodes, accelerators before hosts; its memory is not looked at, and it moves
// nothing. `why_not` says why there is no such number.
struct SpeedUp {
  double factor = 0;      // one_device / value
  double one_device = 0;  // the sum of all nodes' times on a device of the class
  ClassId device_class;   // of that device
  std::size_t of = 0;     // how many devices of its kind there are
  std::string why_not;    // empty: the numbers above hold
};

// Nothing for latency, where one sample runs through all devices one after the other. Linear.
std::optional<SpeedUp> speed_up(const Problem& problem, double value);

// The nodes that alone make the value what it is: one node, or the nodes of one colour class, which share a device.
struct LoneBottleneck {
  std::vector<NodeId> nodes;
  ClassId device_class;  // where they are fastest
};

// Throughput: nodes that must share a device and whose time on their fastest class of devices is the value, up to
// kOptimalGap: no split is faster, of any shape and over any number of these devices. Nothing where there are none, and
// where devices may take turns at a stage, which makes it faster. Linear.
std::optional<LoneBottleneck> lone_bottleneck(const Problem& problem, double value);

// One line each, without a line end. "speed-up over one accelerator: 5.22x of 6", or why it is not known.
std::string speed_up_text(const Problem& problem, const SpeedUp& speed_up);
// "node 17 (conv1) alone takes 2.491 ms on its fastest device (accelerator): no split is faster, ..."
std::string lone_bottleneck_text(const Problem& problem, const LoneBottleneck& bottleneck, double value);

}  // namespace partita::detail
