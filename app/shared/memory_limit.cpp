// SPDX-License-Identifier: Apache-2.0
#include "app/shared/memory_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <limits>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "partita/util/machine_memory.h"
#include "partita/util/sanitized.h"

namespace partita::detail::app {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();
constexpr double kReservePart = 0.125;
constexpr double kLargestReserve = 256.0 * (1 << 20);

double limit_in_force = kUnlimited;

void set_limit(double bytes) {
  if (kSanitized) return;
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const double most = limit.rlim_max == RLIM_INFINITY ? kUnlimited : static_cast<double>(limit.rlim_max);
  constexpr double kLargest = 1e18;
  limit.rlim_cur = std::min(bytes, most) < kLargest ? static_cast<rlim_t>(std::min(bytes, most)) : limit.rlim_max;
  setrlimit(RLIMIT_DATA, &limit);
}

}  // namespace

double default_memory_limit() { return machine_memory() / 2; }

void limit_memory(double bytes) {
  limit_in_force = bytes;
  set_limit(bytes - std::min(bytes * kReservePart, kLargestReserve));
}

void use_memory_reserve() { set_limit(limit_in_force); }

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMostKept = 1 << 30;  // bytes that are free at the end of the heap
  constexpr int kByItself = 1 << 30;  // blocks of as many bytes still go back to the system at once
  mallopt(M_TRIM_THRESHOLD, kMostKept);
  mallopt(M_MMAP_THRESHOLD, kByItself);
#endif
}

double memory_limit() { return limit_in_force; }

}  // namespace partita::detail::app
