// SPDX-License-Identifier: Apache-2.0
#include "tests/support/wishes.h"

#include <random>
#include <variant>

#include <fmt/format.h>

namespace partita::detail {
namespace {

std::size_t class_index(const Platform& platform, std::size_t device) {
  std::size_t c = 0;
  for (const DeviceClass& one : platform.classes) {
    if (device < static_cast<std::size_t>(one.count)) break;
    device -= static_cast<std::size_t>(one.count);
    ++c;
  }
  return c;
}

}  // namespace

bool keeps_wishes(const Problem& problem, const std::vector<std::size_t>& device_of,
                  const std::vector<std::size_t>& original) {
  const Platform& platform = problem.workload->platform;
  const std::size_t devices = platform.device_count();
  for (const Pin& pin : problem.wishes.pins) {
    const std::size_t d = device_of[pin.node.index()];
    if (d >= devices) continue;
    if (const ClassId* c = std::get_if<ClassId>(&pin.to)) {
      if (class_index(platform, d) != c->index()) return false;
      continue;
    }
    if (d != std::get<DeviceId>(pin.to).index()) return false;
    for (std::size_t other = 0; other < original.size(); ++other) {
      if (other != d && original[other] == d) return false;
    }
  }
  const auto same = [&](NodeId u, NodeId v) {
    const std::size_t a = device_of[u.index()], b = device_of[v.index()];
    return a < devices && b < devices ? static_cast<int>(a == b) : 2;  // 2: not known yet
  };
  for (const auto& nodes : problem.wishes.together) {
    for (NodeId u : nodes) {
      for (NodeId v : nodes) {
        if (same(u, v) == 0) return false;
      }
    }
  }
  for (const auto& nodes : problem.wishes.apart) {
    for (NodeId u : nodes) {
      for (NodeId v : nodes) {
        if (u != v && same(u, v) == 1) return false;
      }
    }
  }
  return true;
}

Wishes random_wishes(const Workload& workload, std::uint64_t seed) {
  std::mt19937_64 engine(seed * 3 + 7);
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(engine() % count); };
  const auto node = [&] { return NodeId(below(workload.graph.nodes.size())); };
  const auto several = [&](std::size_t least) {
    std::vector<NodeId> nodes;
    for (std::size_t left = least + below(2); left > 0; --left) nodes.push_back(node());
    return nodes;
  };
  Wishes wishes;
  for (std::size_t left = below(3); left > 0; --left) {
    if (below(3) == 0) {
      wishes.pins.push_back({node(), ClassId(below(workload.platform.classes.size()))});
    } else {
      wishes.pins.push_back({node(), DeviceId(below(workload.platform.device_count()))});
    }
  }
  if (below(3) == 0) wishes.together.push_back(several(2));
  if (wishes.empty() || below(2) == 0) wishes.apart.push_back(several(2));
  if (below(6) == 0) wishes.apart.push_back(several(2));
  return wishes;
}

std::string describe(const Wishes& wishes) {
  std::string text = "wishes:";
  for (const Pin& pin : wishes.pins) {
    const DeviceId* device = std::get_if<DeviceId>(&pin.to);
    text += fmt::format(" node {} on {} {};", pin.node.index(), device ? "device" : "class",
                        device ? device->index() : std::get<ClassId>(pin.to).index());
  }
  const auto list = [&](const char* what, const std::vector<NodeId>& nodes) {
    text += fmt::format(" {}", what);
    for (NodeId v : nodes) text += fmt::format(" {}", v.index());
    text += ";";
  };
  for (const auto& nodes : wishes.together) list("together", nodes);
  for (const auto& nodes : wishes.apart) list("apart", nodes);
  return text + "\n";
}

}  // namespace partita::detail
