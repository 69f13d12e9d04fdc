// SPDX-License-Identifier: Apache-2.0
#include "partita/model/platform.h"

#include <cassert>

#include "partita/util/visible_text.h"

namespace partita {

using namespace detail;

std::size_t Platform::device_count() const {
  std::size_t total = 0;
  for (const DeviceClass& c : classes) total += static_cast<std::size_t>(c.count);
  return total;
}

std::size_t Platform::device_count(DeviceKind kind) const {
  std::size_t total = 0;
  for (const DeviceClass& c : classes) total += c.kind == kind ? static_cast<std::size_t>(c.count) : 0;
  return total;
}

std::vector<ClassId> Platform::classes_of(DeviceKind kind) const {
  std::vector<ClassId> result;
  for (ClassId id : classes.all()) {
    if (classes[id].kind == kind) result.push_back(id);
  }
  return result;
}

ClassId Platform::class_of(DeviceId device) const {
  std::size_t first = 0;
  for (ClassId id : classes.all()) {
    first += static_cast<std::size_t>(classes[id].count);
    if (device.index() < first) return id;
  }
  assert(false && "no such device");
  return ClassId();
}

DeviceId Platform::first_device(ClassId id) const {
  std::size_t first = 0;
  for (ClassId c : ids<ClassId>(id.index())) first += static_cast<std::size_t>(classes[c].count);
  return DeviceId(first);
}

std::string Platform::device_name(DeviceId device) const {
  const ClassId id = class_of(device);
  return visible(classes[id].name, kLongestShownName) + " " + std::to_string(device.index() - first_device(id).index());
}

Platform make_platform(int accelerators, double memory, int hosts) {
  Platform platform;
  platform.classes.push_back({"accelerator", DeviceKind::Accelerator, accelerators, memory});
  platform.classes.push_back({"host", DeviceKind::Host, hosts, kUnlimited});
  return platform;
}

const char* to_string(DeviceKind kind) { return kind == DeviceKind::Accelerator ? "accelerator" : "host"; }

}  // namespace partita
