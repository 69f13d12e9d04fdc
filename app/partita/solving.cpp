// SPDX-License-Identifier: Apache-2.0
#include "app/partita/solving.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <thread>

#include "app/partita/settings_option.h"
#include "app/shared/help_formatter.h"
#include "app/shared/options.h"
#include "partita/check/names.h"

namespace partita::detail::app {
namespace {

constexpr int kMostThreads = 1024;

Algorithm parse_algorithm(const std::string& text) {
  if (text == "exact") return Algorithm::Exact;
  if (text == "linear") return Algorithm::Linear;
  if (text == "ip") return Algorithm::Ip;
  return Algorithm::Auto;
}

}  // namespace

int all_cores() { return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostThreads); }

PlanOptions Solving::plan_options() const {
  PlanOptions result = options;
  result.algorithm = parse_algorithm(algorithm);
  return result;
}

Budget::Limits Solving::limits() const {
  Budget::Limits limits;
  limits.seconds = time_limit;
  limits.memory_bytes = search_memory(memory_limit);
  return limits;
}

// The rest is for the graph itself, and for a table that moves to a larger place.
std::size_t search_memory(double memory_limit) {
  constexpr double kMost = 1e18;
  return static_cast<std::size_t>(std::min(memory_limit / 2, kMost));
}

std::string out_of_memory_text(const char* consequence) {
  return fmt::format("the memory limit of {} was reached: {}; --memory-limit sets it", memory_text(memory_limit()),
                     consequence);
}

void add_memory_option(Command& command, double& memory) {
  bytes(command.add_option(
      "--memory-limit", memory,
      "Take no more memory than this, such as 4GiB; a search that would need more ends with the best\n"
      "so far (default: half of the machine's)"));
}

void add_solving_options(Command& command, Solving& solving, const std::string& limit_help) {
  command.group(kSearchGroup);
  choices(command.add_option(
              "--algorithm", solving.algorithm,
              "How to search (default auto): auto, the best portfolio; exact, the dynamic program over\n"
              "ideals; linear, the linearised one, which is fast and rarely proves anything; ip, the integer\n"
              "program of the shape, by CBC or HiGHS"),
          {"auto", "exact", "linear", "ip"});
  seconds(command.add_option("--time-limit", solving.time_limit, limit_help));
  add_memory_option(command, solving.memory_limit);
  fraction(command.add_option("--gap", solving.options.gap,
                              "Stop once (value - bound) / value is at most this: 0.01, 1% (default 0: prove it)"),
           1);
  whole(command.add_option("--threads", solving.options.threads,
                           "Threads to use at most (default: one for each core); with 1, a seed and the input\n"
                           "fix the answer as far as no limit of time ends the search"),
        "N", 1, kMostThreads);
  whole(command.add_option("--seed", solving.options.seed, "Seed of the heuristics' random orders (default 1)"), "S", 0,
        std::numeric_limits<std::int64_t>::max());
  add_settings_option(command, solving.options.settings);
}

}  // namespace partita::detail::app
