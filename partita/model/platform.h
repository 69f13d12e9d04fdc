// SPDX-License-Identifier: Apache-2.0
// The devices: classes of equal ones. Devices are numbered class by class, in the order of the classes.
#pragma once

#include <limits>
#include <string>

#include "partita/util/ids.h"

namespace partita {

enum class DeviceKind {
  Accelerator,  // pays for transfers
  Host,         // reads and writes host memory for nothing
};

inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();

struct DeviceClass {
  std::string name;
  DeviceKind kind = DeviceKind::Accelerator;
  int count = 0;
  double memory = kUnlimited;  // bytes, per device
};

struct Platform {
  IdVector<ClassId, DeviceClass> classes;

  std::size_t device_count() const;
  std::size_t device_count(DeviceKind kind) const;
  ClassId class_of(DeviceId device) const;
  DeviceId first_device(ClassId id) const;
  // The class's name and the device's place in it, counted from 0: "accelerator 2".
  std::string device_name(DeviceId device) const;
};

// The paper's platform: `accelerators` with `memory` bytes each (class 0) and `hosts` (class 1). Either may be 0.
Platform make_platform(int accelerators, double memory, int hosts);

const char* to_string(DeviceKind kind);

}  // namespace partita
