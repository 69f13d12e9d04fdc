// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/gpipe/pass_question.h"

#include <fmt/format.h>

#include <algorithm>

#include "partita/reduce/pass_presolve.h"
#include "partita/solve/staged/gpipe/pass_stages.h"

namespace partita {
namespace {

constexpr int kSearchBuckets = 256;

PassQuestion make_question(const StagePlatform& platform, const PassLimits& limits,
                           std::optional<Threshold::HostCase> host_case = std::nullopt) {
  return {{platform, limits.both, host_case},
          {Threshold{platform, limits.forward, host_case}, Threshold{platform, limits.backward, host_case}}};
}

// With one host: no host at all, or a host after 0, 1, ... accelerators. Empty with none or several.
std::vector<PassQuestion> host_cases(const StagePlatform& platform, const PassLimits& limits) {
  std::vector<PassQuestion> cases;
  if (platform.hosts != 1) return cases;
  StagePlatform without = platform;
  without.hosts = 0;
  cases.push_back(make_question(without, limits));
  for (int f = 0; f <= platform.accelerators; ++f)
    cases.push_back(make_question(platform, limits, Threshold::HostCase{f, f}));
  return cases;
}

bool some_group_fits_nowhere(const PassGraphs& graphs, const PassQuestion& question) {
  for (GroupId v : graphs.both.all()) {
    const auto fits = [&](auto fits_here) {
      return fits_here(question.both, graphs.both.group(v)) && fits_here(question.pass[0], graphs.pass[0].group(v)) &&
             fits_here(question.pass[1], graphs.pass[1].group(v));
    };
    if (!fits([](const Threshold& t, const Group& g) { return t.fits_accelerator(g); }) &&
        !fits([](const Threshold& t, const Group& g) { return t.fits_host(g); })) {
      return true;
    }
  }
  return false;
}

// From the end where the host is near the start; see limit_question.cpp.
PassAnswer search_either_way(const PassGraphs& graphs, const PassQuestion& question, Budget& budget) {
  const int accelerators = question.both.platform.accelerators;
  const auto& host_case = question.both.host_case;
  if (!host_case || 2 * host_case->most >= accelerators) return search_passes(graphs, question, kSearchBuckets, budget);
  PassQuestion mirrored = question;
  const Threshold::HostCase from_the_end{0, accelerators - host_case->most};
  mirrored.both.host_case = mirrored.pass[0].host_case = mirrored.pass[1].host_case = from_the_end;
  PassAnswer reply = search_passes(reversed(graphs), mirrored, kSearchBuckets, budget);
  std::reverse(reply.stages.begin(), reply.stages.end());
  for (Stage& stage : reply.stages) {
    for (GroupId& v : stage.groups) v = GroupId(graphs.size() - 1 - v.index());
  }
  return reply;
}

PassAnswer ask_one(const PassGraphs& graphs, const PassQuestion& question, std::uint64_t slice, Budget& whole,
                   const PassLog& log) {
  Budget budget(whole, slice);
  const PassPresolved small = presolve_passes(graphs, question, budget);
  PassAnswer reply;
  if (small.infeasible) {
    reply.answer = Answer::No;
    return reply;
  }
  reply = search_either_way(small.graphs, question, budget);
  if (reply.answer == Answer::Yes) reply.stages = lift_stages(small.lift, reply.stages);
  static constexpr const char* kWords[] = {"yes", "no", "undecided"};
  log(small.graphs.size(),
      fmt::format("forward {:.7g}, backward {:.7g}{}: {} ({} steps)", question.pass[0].limit, question.pass[1].limit,
                  question.both.host_case ? fmt::format(", host after {}", question.both.host_case->most) : "",
                  kWords[static_cast<int>(reply.answer)], budget.ticks_used()));
  return reply;
}

}  // namespace

PassAnswer search_passes(const PassGraphs& given, const PassQuestion& question, int window_buckets, Budget& budget) {
  PassGraphs graphs = given;
  cap_costs(graphs.both, question.both);
  for (std::size_t p = 0; p < kPasses; ++p) cap_costs(graphs.pass[p], question.pass[p]);
  PassAnswer reply;
  reply.answer = Answer::No;
  if (some_group_fits_nowhere(graphs, question)) return reply;
  IdealTable table(graphs.size());
  PassStages stages(graphs, question, window_buckets, table, budget);
  if (!stages.feasible()) return reply;
  SearchResult result = search_ideals(graphs.both, question.both, table, stages, budget);
  return {result.answer, std::move(result.split.stages), result.out_of_memory};
}

PassAnswer ask_passes(const PassGraphs& graphs, const StagePlatform& platform, const PassLimits& limits,
                      std::uint64_t slice, Budget& budget, const PassLog& log) {
  PassAnswer reply = ask_one(graphs, make_question(platform, limits), slice, budget, log);
  if (reply.answer != Answer::Unknown || budget.exhausted()) return reply;
  for (const PassQuestion& one : host_cases(platform, limits)) {
    reply = ask_one(graphs, one, slice, budget, log);
    if (reply.answer != Answer::No) break;
  }
  return reply;
}

}  // namespace partita
