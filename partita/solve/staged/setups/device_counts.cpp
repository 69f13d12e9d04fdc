// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/setups/device_counts.h"

#include <fmt/format.h>

#include <algorithm>

#include "partita/util/error.h"

namespace partita::detail {

std::size_t DeviceCounts::vectors(const ClusterType& cluster) {
  std::size_t size = 1;
  for (const ClusterMember& member : cluster.members) {
    size *= static_cast<std::size_t>(member.count) + 1;
    if (size > kMost) return size;
  }
  return size;
}

DeviceCounts::DeviceCounts(const ClusterType& cluster) {
  for (const ClusterMember& member : cluster.members) {
    count_.push_back(member.count);
    stride_.push_back(size_);
    size_ *= static_cast<std::size_t>(member.count) + 1;
  }
  total_.resize(size_);
  for (std::size_t vector = 0; vector < size_; ++vector) {
    for (std::size_t m = 0; m < members(); ++m) total_[vector] += used(vector, m);
  }
  for (std::size_t m = 0; m < members(); ++m) {
    BitMatrix rows(static_cast<std::size_t>(count_[m]) + 1, size_);
    for (std::size_t vector = 0; vector < size_; ++vector) {
      for (int more = 0; more + used(vector, m) <= count_[m]; ++more) rows.set(static_cast<std::size_t>(more), vector);
    }
    room_.push_back(std::move(rows));
  }
  const int all = most_used();
  at_most_ = BitMatrix(static_cast<std::size_t>(all) + 1, size_);
  for (std::size_t vector = 0; vector < size_; ++vector) at_most_.set(static_cast<std::size_t>(total_[vector]), vector);
  for (int limit = 1; limit <= all; ++limit)
    at_most_.join_row(static_cast<std::size_t>(limit), static_cast<std::size_t>(limit - 1));
}

void DeviceCounts::add(std::span<const Word> from, std::size_t member, int more, std::span<Word> to) const {
  const std::span<const Word> room = room_[member].row(static_cast<std::size_t>(more));
  const std::size_t shift = stride_[member] * static_cast<std::size_t>(more);
  const std::size_t words = shift / kWordBits, bits = shift % kWordBits;
  for (std::size_t w = to.size(); w-- > 0;) {
    to[w] = 0;
    if (w < words) continue;
    to[w] = (from[w - words] & room[w - words]) << bits;
    if (bits > 0 && w > words) to[w] |= (from[w - words - 1] & room[w - words - 1]) >> (kWordBits - bits);
  }
}

std::span<const Word> DeviceCounts::at_most(int members) const {
  return at_most_.row(static_cast<std::size_t>(std::clamp(members, 0, most_used())));
}

void refuse_too_many_vectors(const SetupRules& rules) {
  for (const ClusterType& cluster : rules.clusters) {
    if (DeviceCounts::vectors(cluster) <= DeviceCounts::kMost) continue;
    throw InputError(ErrorKind::Unsupported, "platform",
                     fmt::format("too many ways to use the devices of one cluster: (number of devices + 1), multiplied "
                                 "over its classes and equal clusters, is above {}; use fewer classes or devices",
                                 DeviceCounts::kMost));
  }
}

}  // namespace partita::detail
