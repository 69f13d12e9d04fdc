// SPDX-License-Identifier: Apache-2.0
#include "partita/util/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace partita::detail {
namespace {

namespace fs = std::filesystem;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// The number that the file begins with; infinite if there is none, as for "max".
double number_in(const fs::path& file) {
  double number = 0;
  return std::ifstream(file) >> number ? number : kNoLimit;
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
  double least = kNoLimit;
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

}  // namespace

double machine_memory() {
  const double machine = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return std::min(machine > 0 ? machine : kNoLimit, control_group_limit());
}

}  // namespace partita::detail
