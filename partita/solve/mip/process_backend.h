// SPDX-License-Identifier: Apache-2.0
// Somebody else's solver in a process of its own: its crashes, its output, its leaks and its idea of time are not ours.
//
// The solver runs in a child (util/child_process.h) and reports through a pipe: each better solution and bound as soon
// as it has them, and the work done. The thread that asked reads the pipe, tells the caller, and kills the child at the
// limit, when somebody cancels, or when a solution is good enough; what was reported until then is the outcome. So the
// solver need not know how to stop. Where work is limited (ticks), the child ends itself between two reports, so that
// the outcome is the same on every machine.
#pragma once

#include <span>

#include "partita/solve/mip/backend.h"

namespace partita::detail {

// Where the solver reports to, in the child. Each call may end the process.
class MipReporter {
 public:
  virtual ~MipReporter() = default;
  virtual void solution(std::span<const double> x) = 0;
  virtual void bound(double bound) = 0;
  virtual void work(std::uint64_t ticks) = 0;
  virtual void finished(bool infeasible) = 0;
};

class ProcessBackend : public MipBackend {
 public:
  // Runs in the child. It may crash, throw, print, or never return.
  using Solver = std::function<void(const MipRequest& request, MipReporter& reporter)>;

  ProcessBackend(const char* name, Solver solver) : name_(name), solver_(std::move(solver)) {}

  const char* name() const override { return name_; }
  MipOutcome solve(const MipRequest& request, Budget& budget) override;

 private:
  const char* name_;
  Solver solver_;
};

}  // namespace partita::detail
