// SPDX-License-Identifier: Apache-2.0
// Random questions for free and contiguous splits beyond the plain one: unequal devices and transfers that overlap.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/reduce/free_instance.h"
#include "tests/support/random_setup.h"

namespace partita::detail::test {

inline Problem random_free_question(std::uint64_t seed, Shape shape = Shape::Free) {
  SetupFeatures features = SetupFeatures::none();
  features.transfers = true;
  features.classes = seed % 4 != 0;
  features.latencies = seed % 3 != 0;
  Problem problem = random_setup(seed, features);
  problem.shape = shape;
  return problem;
}

// By node index, as the brute force wants it: where an assignment of groups puts the nodes.
inline std::vector<std::size_t> devices_by_node(const FreeInstance& instance,
                                                const IdVector<GroupId, DeviceId>& device_of) {
  std::vector<std::size_t> result;
  for (DeviceId d : lift_free(instance, {0, device_of}).device_of) result.push_back(d.index());
  return result;
}

}  // namespace partita::detail::test
