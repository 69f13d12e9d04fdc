// SPDX-License-Identifier: Apache-2.0
// Is this split legal, and what does it cost? Recomputed from the definitions of docs/formats.md and the input graph
// alone: this room uses neither `reduce` nor `solve`, and shares no code with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partita/model/problem.h"
#include "partita/model/split.h"

namespace partita {

struct Violation {
  enum class Kind {
    UnknownNode,
    DuplicateNode,
    MissingNode,
    TooManyDevices,
    Memory,
    Colour,
    Support,
    Subgraph,   // latency: more subgraphs than an accelerator may run, or lists of them that make no sense
    Copies,     // replication: more copies than allowed, or copies in a constellation that is none
    Recompute,  // recomputing where the question does not allow it, or not as the original does
    Pin,        // a node that is not where Problem::wishes pins it
    Together,   // nodes on several devices that are to be on one
    Apart,      // nodes on one device that are to be apart
    Shape,      // also an order of stages that is missing or wrong where the samples in flight depend on it
    Value
  };
  Kind kind;
  std::string message;  // one line: which nodes or devices, by original id, and by how much
};

// One pass (forward or backward) of one device.
struct PassLoad {
  double compute = 0;
  double in = 0;   // transfers into the device of outputs produced in this pass
  double out = 0;  // transfers out of it
};

// What counts against a device's memory, in all models but the flat one, in bytes.
// Of the flat model they are what is known of the sum, which they need not add up to.
struct MemoryItems {
  double weights = 0;
  double gradients = 0;
  double optimizer_state = 0;
  double activation = 0;      // for each sample in flight: what is kept of it, less where the stage recomputes
  double recomputed = 0;      // for the sample that is worked on, where the stage recomputes: all its activations
  std::size_t in_flight = 0;  // samples

  double total() const {
    return weights + gradients + optimizer_state + static_cast<double>(in_flight) * activation + recomputed;
  }
};

// A copy has the same costs as its original, and no nodes of its own.
struct DeviceReport {
  PassLoad forward;   // for a sample that this device takes: not divided by the number of copies
  PassLoad backward;  // with the time of recomputing
  double sync = 0;    // for each sample: exchanging weights with the devices and clusters that hold copies
  double memory = 0;  // in the problem's memory model
  MemoryItems memory_items;
  bool recomputes = false;
  std::size_t node_count = 0;
  DeviceId original;        // whose nodes it runs: itself or the one it copies; names nothing where it holds nothing
  std::size_t sharing = 1;  // how many devices share the stage, itself included: each takes every so many samples

  double compute() const { return forward.compute + backward.compute; }
  double in() const { return forward.in + backward.in; }
  double out() const { return forward.out + backward.out; }
};

// Throughput: what all that is behind a shared link moves over it for a sample, at the link's price. A device that
// computes nothing, so to say.
struct SharedLinkReport {
  std::string name;      // with the cluster where every cluster of a level has one
  std::size_t link = 0;  // which of the platform's
  PassLoad forward;
  PassLoad backward;
  double load = 0;  // in the problem's transfer mode, both passes
};

// Latency: one uninterrupted piece of work: a subgraph of an accelerator, or a node on a host.
struct ScheduleStep {
  DeviceId device;
  NodeId node;  // on a host; names nothing on an accelerator
  bool backward = false;
  std::uint32_t subgraph = 0;  // on an accelerator: which of its pass, as in Split::subgraph_of
  std::size_t node_count = 1;
  double start = 0;   // all its inputs are in host memory
  double finish = 0;  // all its outputs are
};

struct CheckReport {
  std::vector<Violation> violations;
  IdVector<DeviceId, DeviceReport> devices;
  IdVector<DeviceId, double> load;  // for each sample, in the problem's transfer mode, both passes and sync
  double value = 0;                 // the problem's objective; infinite for a latency split that waits for itself
  DeviceId bottleneck;              // the device with the largest load, the first of equals
  std::vector<SharedLinkReport> shared_links;  // throughput: by shared link of the platform, then by cluster
  std::optional<std::size_t> slowest_link;     // of those, where its load is above that of every device
  // Throughput, staged, and no violation of the shape: the devices that have nodes, copies left out, in an order that
  // takes every forward edge forward and keeps the devices of a cluster together. The split's own order where that is
  // one.
  std::vector<DeviceId> order;
  // Latency: what runs when, by start and in an order that respects every dependency, and how many host cores that
  // keeps busy at once. More than the platform has hosts is no violation unless problem.strict_host_cores, and then
  // cannot happen.
  std::vector<ScheduleStep> schedule;
  std::size_t host_cores = 0;

  bool legal() const { return violations.empty(); }
  // The one that everything waits for, where it is a device.
  bool is_bottleneck(DeviceId device) const { return !slowest_link && bottleneck == device; }
};

// Every violation is named, not only the first. The value is computed as far as the split goes, legal or not: nodes on
// no device, and the edges that touch them, count for nothing, nor does the time of a node where it cannot run. With
// the objective Latency the shape is what that objective needs (see latency.h) and problem.shape is not asked.
// Near-linear in nodes and edges; the shape `contiguous` takes O(devices * (nodes + edges)). Precondition: validate()
// accepts the problem; the split may be wrong in every way.
CheckReport check(const Problem& problem, const Split& split);

// The same for a split as a file lists it, with unknown, duplicate and missing nodes and too many devices named, and
// the file's claimed value, if it has one, compared with the one recomputed (kind Value, beyond kValueTolerance
// relative). Reset listing.claimed_value to leave that out.
CheckReport check(const Problem& problem, const SplitListing& listing);

inline constexpr double kValueTolerance = 1e-6;

// The load of one pass in a transfer mode. A host's `in` and `out` are 0.
double pass_load(const PassLoad& pass, TransferMode mode);

// The load per sample of a device that shares its stage: a load for the samples that it takes, and the exchange of
// weights, before it or beside it.
double shared_load(double load, std::size_t sharing, double sync, TransferMode mode);

// What each pass contributes to the objective gpipe; sync is in the backward pass, or in the only one.
struct PassLoads {
  double forward = 0;
  double backward = 0;
};
PassLoads pass_loads(const Problem& problem, const DeviceReport& device);

const char* to_string(Violation::Kind kind);

}  // namespace partita
