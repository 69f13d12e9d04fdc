// SPDX-License-Identifier: Apache-2.0
// The same groups seen three times: by what a device pays in the forward pass, in the backward pass, and in both.
//
// A node's time belongs to its own pass, and so does the transfer of its output. A colour class may hold nodes of both
// passes, so a group has a time in each. Seen one pass at a time, every load is again a sum of times and of nets cut,
// and the objective `gpipe` is two plain questions about one split:
//     forward loads at most F  and  backward loads at most B.
// Whatever holds of plain splits within a limit (presolve rules, windows, bounds) therefore holds in each view by
// itself. Group ids, order, support and memory are the same in all three; nets are not, as equal nets are added up in
// each view for itself.
#pragma once

#include <array>
#include <type_traits>

#include "partita/model/problem.h"
#include "partita/reduce/group_weights.h"
#include "partita/reduce/stage_graph.h"
#include "partita/reduce/threshold.h"

namespace partita::detail {

struct PassGraphs {
  StageGraph both;
  std::array<StageGraph, kPasses> pass;

  std::size_t size() const { return both.size(); }
};

// `graph` must be the stage graph that `group_of` leads to. Both passes together weigh what the problem's nodes weigh.
PassGraphs make_pass_graphs(const Problem& problem, const StageGraph& graph, const IdVector<NodeId, GroupId>& group_of);

// Contracts all three views alike; the numbering depends on labels and order only.
struct PassContraction {
  PassGraphs graph;
  Lift lift;
};
PassContraction contract(const PassGraphs& graphs, const IdVector<GroupId, GroupId>& label);
PassGraphs reversed(const PassGraphs& graphs);

// Is there a staged split with every load within the limit of each view?
struct PassQuestion {
  Threshold both;
  std::array<Threshold, kPasses> pass;
};

inline PassQuestion ask_each_pass(const StagePlatform& platform, double forward, double backward, double both) {
  return {{platform, both}, {Threshold{platform, forward}, Threshold{platform, backward}}};
}

// What follows lets one algorithm serve both: `Graphs` is a StageGraph, with one limit on all loads and one view, or
// PassGraphs, with a limit on each pass and three views. View 0 is the whole; the passes, the loads of which are kept,
// begin at kFirstPass. With one limit the whole is the only pass.
template <class Graphs>
inline constexpr std::size_t kPassesOf = std::is_same_v<Graphs, PassGraphs> ? kPasses : 1;
template <class Graphs>
inline constexpr std::size_t kViewsOf = kPassesOf<Graphs> == 1 ? 1 : 1 + kPassesOf<Graphs>;
template <class Graphs>
inline constexpr std::size_t kFirstPass = kViewsOf<Graphs> - kPassesOf<Graphs>;
template <class Graphs>
using QuestionOf = std::conditional_t<std::is_same_v<Graphs, PassGraphs>, PassQuestion, Threshold>;

inline StageGraph& view(StageGraph& graph, std::size_t) { return graph; }
inline const StageGraph& view(const StageGraph& graph, std::size_t) { return graph; }
inline StageGraph& view(PassGraphs& graphs, std::size_t v) { return v == 0 ? graphs.both : graphs.pass[v - 1]; }
inline const StageGraph& view(const PassGraphs& graphs, std::size_t v) {
  return v == 0 ? graphs.both : graphs.pass[v - 1];
}
inline Threshold& view(Threshold& question, std::size_t) { return question; }
inline const Threshold& view(const Threshold& question, std::size_t) { return question; }
inline Threshold& view(PassQuestion& question, std::size_t v) { return v == 0 ? question.both : question.pass[v - 1]; }
inline const Threshold& view(const PassQuestion& question, std::size_t v) {
  return v == 0 ? question.both : question.pass[v - 1];
}

// Any cost above the limit is as good as any other: no accelerator pays it. So costs may be capped here, above the
// limit by far more than rounding. Splits within the limit keep their loads.
template <class Graphs>
void cap_costs(Graphs& graphs, const QuestionOf<Graphs>& question) {
  for (std::size_t v = 0; v < kViewsOf<Graphs>; ++v) {
    if (view(question, v).limit > 0) view(graphs, v).cap_costs(2 * view(question, v).limit);
  }
}

// A group that no device can hold within the limits: then there is nothing to look for.
template <class Graphs>
bool some_group_fits_nowhere(const Graphs& graphs, const QuestionOf<Graphs>& question) {
  for (GroupId g : view(graphs, 0).all()) {
    bool on_accelerator = true, on_host = true;
    for (std::size_t v = 0; v < kViewsOf<Graphs>; ++v) {
      on_accelerator = on_accelerator && view(question, v).fits_accelerator(view(graphs, v).group(g));
      on_host = on_host && view(question, v).fits_host(view(graphs, v).group(g));
    }
    if (!on_accelerator && !on_host) return true;
  }
  return false;
}

}  // namespace partita::detail
