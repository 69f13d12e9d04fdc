// SPDX-License-Identifier: Apache-2.0
// The devices: classes of equal ones, and how close they are to each other. Devices are numbered class by class, in the
// order of the classes.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "partita/util/ids.h"

namespace partita {

enum class DeviceKind {
  Accelerator,  // pays for transfers
  Host,         // reads and writes host memory for nothing
};

// More than these are taken for a mistake.
inline constexpr int kMaxDevicesOfAKind = 1'000'000;
inline constexpr int kMaxClasses = 1'000;
inline constexpr int kMaxClusters = 100'000;
inline constexpr int kMaxSharedLinks = 100;

inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// What it takes to move an output, made of what the edge says that it costs. What costs nothing (a view) moves at once.
struct Link {
  double factor = 1;   // of the cost
  double latency = 0;  // more, for each output that is moved

  double price(double cost) const { return cost > 0 ? factor * cost + latency : 0; }
  friend bool operator==(const Link&, const Link&) = default;
};

struct DeviceClass {
  std::string name;
  DeviceKind kind = DeviceKind::Accelerator;
  int count = 0;
  double memory = kUnlimited;  // bytes, per device
  double link_factor = 1;      // an accelerator pays so many times the cost of what it moves,
  double link_latency = 0;     // and so much more for each output
  double contention = 1;       // nodes take so many times their time where other devices work beside this one
};

// Devices with links between them, and clusters inside with links of their own: a tree. What moves between two devices
// costs `factor` times as much, for the innermost cluster that holds both: link_factor * factor * cost + link_latency of
// the class of the device that pays. A cluster whose links are what they are whoever uses them has a `link`, which then
// takes the place of the class's link and of `factor`, which must be 1.
struct Cluster {
  double factor = 1;
  IdVector<ClassId, int> devices;  // how many of each class are in it, but in no cluster inside
  std::vector<Cluster> clusters;
  std::optional<Link> link = std::nullopt;

  friend bool operator==(const Cluster&, const Cluster&) = default;
};

// One link that several accelerators are behind: what all of them move for a sample goes over it one after the other, so
// it bounds the time per sample as a device does. An output that an accelerator moves, in or out, takes link.price(cost)
// there, beside what the accelerator pays itself. Throughput only: for latency, one sample alone, nobody queues.
struct SharedLink {
  std::string name;
  Link link;
  std::vector<ClassId> classes;  // of accelerators; none: all that the platform has
  // 0: one link for all that these move. Else every cluster so many levels below the outermost one has such a link, for
  // what the accelerators in it move to and from devices that are not in it.
  int level = 0;

  friend bool operator==(const SharedLink&, const SharedLink&) = default;
};

struct Platform {
  IdVector<ClassId, DeviceClass> classes;
  // Where the devices are. None: all in one cluster, at factor 1. The counts of the classes are the sums over the tree,
  // and the devices of a class are numbered in the order of the tree: a cluster's own first, then cluster by cluster.
  std::optional<Cluster> clusters = std::nullopt;
  // Bytes per unit of time at which the copies of a stage exchange their weights, at factor 1. Unlimited: for nothing.
  double sync_bandwidth = kUnlimited;
  std::vector<SharedLink> shared_links = {};  // with different names

  std::size_t device_count() const;
  std::size_t device_count(DeviceKind kind) const;
  std::vector<ClassId> classes_of(DeviceKind kind) const;
  ClassId class_of(DeviceId device) const;
  DeviceId first_device(ClassId id) const;
  // The class's name and the device's place in it, counted from 0: "accelerator 2".
  std::string device_name(DeviceId device) const;
};

// The paper's platform: `accelerators` with `memory` bytes each (class 0) and `hosts` (class 1). Either may be 0.
Platform make_platform(int accelerators, double memory, int hosts);

const char* to_string(DeviceKind kind);

}  // namespace partita
