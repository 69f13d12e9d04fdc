// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/process_backend.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <system_error>

#include "partita/util/child_process.h"

namespace partita::detail {
namespace {

constexpr double kMeets = 5e-7;         // a solution this near to a bound, relatively, meets it
constexpr double kLookSeconds = 0.025;  // between two looks at the clock

// What goes through the pipe: a header, and the numbers of a solution.
enum class Kind : std::uint32_t { Solution = 1, Bound, Work, Finished, Infeasible };
struct Header {
  Kind kind;
  std::uint32_t numbers;  // that follow
  double number;          // a bound
  std::uint64_t ticks;    // of work
};

// ---- in the child ----

class PipeReporter : public MipReporter {
 public:
  PipeReporter(int pipe, Budget& budget) : pipe_(pipe), budget_(budget) {}

  void solution(std::span<const double> x) override {
    send({Kind::Solution, static_cast<std::uint32_t>(x.size()), 0, 0});
    if (!write_all(pipe_, x.data(), x.size_bytes())) _exit(0);
  }
  void bound(double bound) override { send({Kind::Bound, 0, bound, 0}); }
  void work(std::uint64_t ticks) override {
    budget_.spend(ticks);  // the child's own copy
    unsent_ += ticks;
    if (!budget_.exhausted()) return;
    finished_work();
    _exit(0);
  }
  void finished(bool infeasible) override {
    finished_work();
    send({infeasible ? Kind::Infeasible : Kind::Finished, 0, 0, 0});
  }

 private:
  void finished_work() {
    send({Kind::Work, 0, 0, unsent_});
    unsent_ = 0;
  }
  void send(const Header& header) const {
    if (!write_all(pipe_, &header, sizeof header)) _exit(0);  // nobody listens any more
  }

  int pipe_;
  Budget& budget_;
  std::uint64_t unsent_ = 0;
};

// ---- in this process ----

class Hearing {
 public:
  Hearing(const MipRequest& request, Budget& budget) : request_(request), budget_(budget) {}

  // Takes all complete messages off the front. False if they make no sense.
  bool hear(std::vector<char>& bytes) {
    std::size_t at = 0;
    while (bytes.size() - at >= sizeof(Header)) {
      Header header;
      std::memcpy(&header, bytes.data() + at, sizeof header);
      if (header.numbers != (header.kind == Kind::Solution ? request_.model.columns().size() : 0)) return false;
      const std::size_t size = sizeof header + header.numbers * sizeof(double);
      if (bytes.size() - at < size) break;
      std::vector<double> numbers(header.numbers);
      if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data() + at + sizeof header, size - sizeof header);
      if (!take(header, std::move(numbers))) return false;
      at += size;
    }
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
    return true;
  }

  // Its own bound is the solver's business: it ends by itself.
  bool good_enough() const {
    if (!outcome_.solution) return false;
    return objective_ - request_.known_bound <= std::max(request_.gap, kMeets) * std::abs(objective_);
  }

  MipOutcome& outcome() { return outcome_; }

 private:
  bool take(const Header& header, std::vector<double> numbers) {
    switch (header.kind) {
      case Kind::Solution: return take_solution(std::move(numbers));
      case Kind::Bound:
        if (std::isnan(header.number)) return false;
        if (header.number > outcome_.bound) {
          outcome_.bound = header.number;
          if (request_.raised) request_.raised(outcome_.bound);
        }
        return true;
      case Kind::Work: budget_.spend(header.ticks); return true;
      case Kind::Finished: outcome_.finished = true; return true;
      case Kind::Infeasible: outcome_.finished = outcome_.infeasible = true; return true;
    }
    return false;
  }

  bool take_solution(std::vector<double> x) {
    if (!std::ranges::all_of(x, [](double value) { return std::isfinite(value); })) return false;
    const double objective = request_.model.objective(x);
    if (outcome_.solution && objective >= objective_) return true;
    objective_ = objective;
    outcome_.solution = std::move(x);
    if (request_.found) request_.found(*outcome_.solution);
    return true;
  }

  const MipRequest& request_;
  Budget& budget_;
  MipOutcome outcome_;
  double objective_ = kNoLimit;
};

}  // namespace

MipOutcome ProcessBackend::solve(const MipRequest& request, Budget& budget) {
  Hearing hearing(request, budget);
  MipOutcome& outcome = hearing.outcome();
  if (budget.exhausted()) return outcome;
  const auto fail = [&](const std::string& how) { outcome.failure = fmt::format("{} failed ({})", name_, how); };
  const auto work = [&](int pipe) {
    PipeReporter reporter(pipe, budget);
    solver_(request, reporter);
  };
  try {
    ChildProcess child(work, budget.limits().memory_bytes);
    std::vector<char> bytes;
    while (child.read(bytes, std::min(kLookSeconds, budget.seconds_left()))) {
      if (!hearing.hear(bytes)) {
        fail("its answer makes no sense");
        return outcome;
      }
      if (budget.exhausted() || hearing.good_enough()) return outcome;  // the child is killed
    }
    const std::string end = child.end();
    // What a solver said before it broke down is as good as ever: bounds and solutions, but no last word.
    if (!end.empty()) {
      fail(end);
      outcome.finished = outcome.infeasible = false;
    }
  } catch (const std::system_error& error) {
    fail(fmt::format("no process for it: {}", error.code().message()));
  }
  return outcome;
}

}  // namespace partita::detail
