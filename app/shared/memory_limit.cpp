// SPDX-License-Identifier: Apache-2.0
#include "app/shared/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace partita::detail::app {
namespace {

namespace fs = std::filesystem;

constexpr double kUnlimited = std::numeric_limits<double>::infinity();
constexpr double kReservePart = 0.125;
constexpr double kLargestReserve = 256.0 * (1 << 20);

double limit_in_force = kUnlimited;

// The number that the file begins with; infinite if there is none, as for "max".
double number_in(const fs::path& file) {
  double number = 0;
  return std::ifstream(file) >> number ? number : kUnlimited;
}

// The least of the limits of a control group and of those around it. `mounted` holds the groups of one kind.
double least_limit(const fs::path& mounted, const std::string& group, const char* file) {
  double least = number_in(mounted / file);
  fs::path at = mounted;
  for (const fs::path& part : fs::path(group).relative_path()) {
    at /= part;
    least = std::min(least, number_in(at / file));
  }
  return least;
}

// "0::/user.slice" names the group of version 2, "4:memory:/docker" that of version 1.
double control_group_limit() {
  double least = kUnlimited;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string kind = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (kind.empty()) least = std::min(least, least_limit("/sys/fs/cgroup", group, "memory.max"));
    if (kind == "memory") least = std::min(least, least_limit("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
  }
  return least;
}

void set_limit(double bytes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static_cast<void>(bytes);
#else
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const double most = limit.rlim_max == RLIM_INFINITY ? kUnlimited : static_cast<double>(limit.rlim_max);
  constexpr double kLargest = 1e18;
  limit.rlim_cur = std::min(bytes, most) < kLargest ? static_cast<rlim_t>(std::min(bytes, most)) : limit.rlim_max;
  setrlimit(RLIMIT_DATA, &limit);
#endif
}

}  // namespace

double default_memory_limit() {
  const double machine = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return std::min(machine > 0 ? machine : kUnlimited, control_group_limit()) / 2;
}

void limit_memory(double bytes) {
  limit_in_force = bytes;
  set_limit(bytes - std::min(bytes * kReservePart, kLargestReserve));
}

void use_memory_reserve() { set_limit(limit_in_force); }

double memory_limit() { return limit_in_force; }

}  // namespace partita::detail::app
