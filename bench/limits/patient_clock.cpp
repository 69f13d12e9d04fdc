// SPDX-License-Identifier: Apache-2.0
// A steady clock that stands still while other programs have the processor: time since the system started, less the
// time that the program was ready to run and was not let (the second number of /proc/self/schedstat, of its first
// thread). Preloaded into a program whose limits are measured, it makes the measurement one of the program, not of the
// machine's load. Where the system does not say how long a program waited, it is the ordinary clock.
#include <dlfcn.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>

namespace {

// Nanoseconds; 0 where it is not known.
long long waited() {
  char text[128];
  const int file = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return 0;
  text[length] = 0;
  long long run = 0, wait = 0;
  return std::sscanf(text, "%lld %lld", &run, &wait) == 2 ? wait : 0;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static const auto ordinary = reinterpret_cast<int (*)(clockid_t, timespec*)>(dlsym(RTLD_NEXT, "clock_gettime"));
  const int failed = ordinary(clock, time);
  if (failed != 0 || clock != CLOCK_MONOTONIC) return failed;
  constexpr long long kSecond = 1'000'000'000;
  const long long now = time->tv_sec * kSecond + time->tv_nsec - waited();
  time->tv_sec = now / kSecond;
  time->tv_nsec = now % kSecond;
  return 0;
}
