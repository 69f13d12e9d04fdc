// SPDX-License-Identifier: Apache-2.0
#include "partita/util/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <new>
#include <system_error>
#include <thread>

#include "partita/util/sanitized.h"

namespace partita::detail {
namespace {

constexpr int kOutOfMemory = 101, kException = 102;  // exit codes of the child
constexpr double kGraceSeconds = 0.5;                // between the end of its pipe and its own

// ---- in the child ----

void limit(int resource, rlim_t most) {
  rlimit now{};
  if (getrlimit(static_cast<__rlimit_resource_t>(resource), &now) != 0) return;
  now.rlim_cur = std::min(now.rlim_max, most);
  now.rlim_max = now.rlim_cur;
  setrlimit(static_cast<__rlimit_resource_t>(resource), &now);
}

rlim_t address_space_in_use() {
  unsigned long pages = 0;
  if (FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

void settle_in(pid_t parent, std::size_t memory_bytes) {
  struct sigaction action {};
  sigemptyset(&action.sa_mask);
  for (int number = 1; number < NSIG; ++number) {
    const bool for_the_parent = number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
    action.sa_handler = for_the_parent ? SIG_IGN : SIG_DFL;
    sigaction(number, &action, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // it died before we asked
  limit(RLIMIT_CORE, 0);
  if (!kSanitized) limit(RLIMIT_AS, address_space_in_use() + static_cast<rlim_t>(memory_bytes));
}

// Nothing but the pipe leads out of the child: descriptor 3, and standard streams that lead nowhere.
int close_all_but(int pipe) {
  constexpr int kPipe = 3;
  if (pipe != kPipe) pipe = dup2(pipe, kPipe);
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (nowhere < 0) {
      close(stream);
    } else {
      dup2(nowhere, stream);
    }
  }
  close_range(kPipe + 1, ~0U, 0);
  return pipe;
}

[[noreturn]] void run(const std::function<void(int)>& work, int pipe, pid_t parent, std::size_t memory_bytes) {
  try {
    pipe = close_all_but(pipe);
    settle_in(parent, memory_bytes);
    work(pipe);
  } catch (const std::bad_alloc&) {
    _exit(kOutOfMemory);
  } catch (...) {
    _exit(kException);
  }
  _exit(0);
}

}  // namespace

bool write_all(int pipe, const void* data, std::size_t size) {
  const char* rest = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = write(pipe, rest, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    rest += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

ChildProcess::ChildProcess(const std::function<void(int pipe)>& work, std::size_t memory_bytes) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  // No handler of this process may run in the child.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    close(ends[0]);
    run(work, ends[1], parent, memory_bytes);
  }
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  close(ends[1]);
  pipe_ = ends[0];
  if (pid_ < 0) {
    close(pipe_);
    throw std::system_error(error, std::generic_category(), "fork");
  }
}

ChildProcess::~ChildProcess() {
  kill();
  close(pipe_);
}

bool ChildProcess::read(std::vector<char>& bytes, double seconds) {
  pollfd waiting{pipe_, POLLIN, 0};
  const int ready = poll(&waiting, 1, static_cast<int>(std::ceil(1000 * std::clamp(seconds, 0.0, 1e6))));
  if (ready <= 0) return ready == 0 || errno == EINTR;
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(pipe_, buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR;
  bytes.insert(bytes.end(), buffer.begin(), buffer.begin() + count);
  return count > 0;
}

// True once there is no child any more. Somebody else may have waited for it: then nobody knows how it ended.
bool ChildProcess::reap(bool wait) {
  while (pid_ > 0) {
    const pid_t ended = waitpid(pid_, &status_, wait ? 0 : WNOHANG);
    if (ended == 0) return false;
    if (ended < 0 && errno == EINTR) continue;
    if (ended < 0) status_ = 0;
    pid_ = -1;
  }
  return true;
}

void ChildProcess::kill() {
  if (reap(false)) return;
  ::kill(pid_, SIGKILL);
  reap(true);
}

std::string ChildProcess::end() {
  using Clock = std::chrono::steady_clock;
  const auto latest = Clock::now() + std::chrono::duration<double>(kGraceSeconds);
  while (!reap(false) && Clock::now() < latest) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  kill();
  if (WIFSIGNALED(status_)) return "signal " + std::to_string(WTERMSIG(status_));
  switch (WEXITSTATUS(status_)) {
    case 0: return "";
    case kOutOfMemory: return "out of memory";
    case kException: return "an exception";
    default: return "exit code " + std::to_string(WEXITSTATUS(status_));
  }
}

}  // namespace partita::detail
