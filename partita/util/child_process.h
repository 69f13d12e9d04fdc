// SPDX-License-Identifier: Apache-2.0
// Work in a process of its own, for code that may crash, print, leak or never end. Whatever it does, this process lives
// on: it reads what the child writes into a pipe, and kills it when it has had enough.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace partita::detail {

class ChildProcess {
 public:
  // Forks. The child runs `work` with the writing end of a pipe and then ends, without destructors or anything else of
  // this process. Its standard streams lead nowhere, it leaves no core file, it dies with the thread that made it, and
  // the signals that end a program (Ctrl-C reaches a whole group of processes) are left to this process. It may take so
  // much memory besides what is taken now; under sanitizers, which reserve terabytes, any amount. Throws
  // std::system_error where no process can be started.
  ChildProcess(const std::function<void(int pipe)>& work, std::size_t memory_bytes);
  ~ChildProcess();  // kills it
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Waits until the child has written something, so long at most, and appends it. False once nothing can come any more.
  bool read(std::vector<char>& bytes, double seconds);
  void kill();  // and waits for its end
  // How it ended, where it ended badly ("signal 11", "out of memory"); empty where it ended well. Kills it if it does
  // not end by itself, which it should once read() has said that nothing can come.
  std::string end();

 private:
  bool reap(bool wait);

  pid_t pid_ = -1;  // no child any more
  int pipe_ = -1;
  int status_ = 0;  // as waitpid() has it
};

// All of it, or false. For the child.
bool write_all(int pipe, const void* data, std::size_t size);

}  // namespace partita::detail
