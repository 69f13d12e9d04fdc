// SPDX-License-Identifier: Apache-2.0
// The output of the paper's code: two lists of devices, each with its load and its nodes.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "partita/report/plan/device_lists.h"
#include "partita/report/plan_json.h"
#include "partita/util/error.h"
#include "partita/util/json_writer.h"

namespace partita {

using namespace detail;

namespace {

constexpr double kNotStated = -1;  // how the paper's files say that a load is not known

struct SeedDevice {
  double load = 0;
  OriginalIds nodes;
};

struct SeedFile {
  double value = 0;
  std::vector<SeedDevice> accelerators;
  std::vector<SeedDevice> hosts;

  std::string text() const {
    JsonWriter json(JsonLayout::Pretty);
    const auto add_devices = [&](const char* name, const std::vector<SeedDevice>& devices) {
      json.rows(name, devices, [&](const SeedDevice& device) {
        json.field("load", device.load);
        json.column("nodes", device.nodes);
      });
    };
    json.object([&] {
      json.field("maxLoad", value);
      add_devices("fpgas", accelerators);
      add_devices("cpus", hosts);
    });
    return json.take();
  }
};

// The format would make idle devices of copies, and other stages of those that recompute.
void refuse_pipelines(bool copies, bool recomputing) {
  if (!copies && !recomputing) return;
  throw InputError(ErrorKind::Unsupported, "seed format",
                   fmt::format("cannot say which {}; write a plan instead",
                               copies ? "devices are copies of others" : "stages recompute their activations"));
}

// The subgraphs of each accelerator, each as an accelerator of its own, in running order; its load is the time it takes.
IdVector<DeviceId, std::vector<SeedDevice>> seed_subgraphs(const Problem& problem, const Split& split,
                                                           const CheckReport& report) {
  SubgraphLists lists = subgraph_lists(problem, split);
  IdVector<DeviceId, std::vector<SeedDevice>> entries(lists.forward.size());
  for (const ScheduleStep& step : report.schedule) {
    if (step.node.valid()) continue;
    OriginalIds& nodes = (step.backward ? lists.backward : lists.forward)[step.device][step.subgraph];
    entries[step.device].push_back({step.finish - step.start, std::move(nodes)});
  }
  return entries;
}

// The subgraphs that a device lists, those of both passes, and what it holds besides: a pass without a list is one.
std::vector<OriginalIds> listed_subgraphs(const SplitListing::Device& device) {
  std::vector<OriginalIds> subgraphs = device.subgraphs;
  subgraphs.insert(subgraphs.end(), device.backward_subgraphs.begin(), device.backward_subgraphs.end());
  std::unordered_set<std::int64_t> listed;
  for (const auto& subgraph : subgraphs) listed.insert(subgraph.begin(), subgraph.end());
  OriginalIds rest;
  std::copy_if(device.node_ids.begin(), device.node_ids.end(), std::back_inserter(rest),
               [&](std::int64_t id) { return !listed.contains(id); });
  subgraphs.push_back(std::move(rest));
  return subgraphs;
}

}  // namespace

std::string seed_json(const Problem& problem, const Result& result, const CheckReport& report) {
  assert(result.split);
  refuse_pipelines(has_copies(*result.split), has_recomputing(*result.split));
  const Platform& platform = problem.workload->platform;
  const bool subgraphs = has_subgraphs(problem);
  auto nodes = node_lists(problem, *result.split);
  auto entries =
      subgraphs ? seed_subgraphs(problem, *result.split, report) : IdVector<DeviceId, std::vector<SeedDevice>>();
  SeedFile file{result.value, {}, {}};
  for (DeviceId d : nodes.all()) {
    const bool host = platform.classes[platform.class_of(d)].kind == DeviceKind::Host;
    if (subgraphs && !host && !nodes[d].empty()) {
      std::ranges::move(entries[d], std::back_inserter(file.accelerators));
    } else {
      (host ? file.hosts : file.accelerators).push_back({report.load[d], std::move(nodes[d])});
    }
  }
  return file.text();
}

std::string seed_json(const SplitListing& listing) {
  const auto any = [&](auto test) { return std::any_of(listing.devices.begin(), listing.devices.end(), test); };
  refuse_pipelines(any([](const SplitListing::Device& device) { return device.copy_of.has_value(); }),
                   any([](const SplitListing::Device& device) { return device.recomputes; }));
  SeedFile file{listing.claimed_value.value_or(kNotStated), {}, {}};
  for (const SplitListing::Device& device : listing.devices) {
    const bool host = device.kind == DeviceKind::Host;
    if (!host && !(device.subgraphs.empty() && device.backward_subgraphs.empty())) {
      for (OriginalIds& subgraph : listed_subgraphs(device)) {
        if (!subgraph.empty()) file.accelerators.push_back({kNotStated, std::move(subgraph)});
      }
    } else {
      (host ? file.hosts : file.accelerators).push_back({device.claimed_load.value_or(kNotStated), device.node_ids});
    }
  }
  return file.text();
}

}  // namespace partita
