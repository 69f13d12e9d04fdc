// SPDX-License-Identifier: Apache-2.0
// measure FILE COMMAND...: runs the command and writes "wall-seconds peak-kilobytes" to FILE; exits as the command
// does.
//
// A program of its own because Linux counts the memory that a process had before exec() in its peak: started from a
// script of 16 MB, /bin/true peaks at 16 MB. This one is small, so what it reports is the command's.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: measure FILE COMMAND...\n");
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child < 0) {
    std::perror("measure: fork");
    return 125;
  }
  if (child == 0) {
    execvp(argv[2], argv + 2);
    std::perror(argv[2]);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child) {
    std::perror("measure: wait4");
    return 125;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::FILE* file = std::fopen(argv[1], "w");
  if (file == nullptr || std::fprintf(file, "%.6f %ld\n", seconds, usage.ru_maxrss) < 0 || std::fclose(file) != 0) {
    std::perror(argv[1]);
    return 125;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
