// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/baseline/scotch.h"

#include "partita/solve/baseline/partition.h"

#if PARTITA_HAS_SCOTCH
#include <algorithm>
#include <cmath>
#include <cstdio>  // scotch.h uses FILE
#include <limits>

#include <scotch.h>
#endif

namespace partita::detail {

#if PARTITA_HAS_SCOTCH
namespace {

constexpr double kTopSpeed = 1000;  // speeds are whole numbers

// Scotch's objects, ended in the opposite order whatever fails.
template <class Handle, int (*init)(Handle*), void (*exit)(Handle*)>
struct Object {
  Handle handle;
  bool ok = init(&handle) == 0;
  ~Object() {
    if (ok) exit(&handle);
  }
};
using Context = Object<SCOTCH_Context, SCOTCH_contextInit, SCOTCH_contextExit>;
using PlainGraph = Object<SCOTCH_Graph, SCOTCH_graphInit, SCOTCH_graphExit>;
using Strategy = Object<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;
using Architecture = Object<SCOTCH_Arch, SCOTCH_archInit, SCOTCH_archExit>;

bool map_onto_parts(SCOTCH_Graph& graph, SCOTCH_Strat& strategy, const std::vector<double>& shares,
                    std::vector<SCOTCH_Num>& part_of) {
  const auto parts = static_cast<SCOTCH_Num>(shares.size());
  if (all_equal(shares)) return SCOTCH_graphPart(&graph, parts, &strategy, part_of.data()) == 0;
  std::vector<SCOTCH_Num> speed;
  for (const double share : shares)
    speed.push_back(std::max(static_cast<SCOTCH_Num>(std::lround(share / shares.front() * kTopSpeed)), SCOTCH_Num{1}));
  Architecture architecture;
  if (!architecture.ok || SCOTCH_archCmpltw(&architecture.handle, parts, speed.data()) != 0) return false;
  return SCOTCH_graphMap(&graph, &architecture.handle, &strategy, part_of.data()) == 0;
}

std::vector<std::int32_t> partition(const PartitionGraph& graph, const std::vector<double>& shares,
                                    std::uint64_t seed) {
  // Scotch may be built with wider numbers than ours.
  const std::vector<SCOTCH_Num> row_begin(graph.row_begin.begin(), graph.row_begin.end());
  const std::vector<SCOTCH_Num> neighbour(graph.neighbour.begin(), graph.neighbour.end());
  const std::vector<SCOTCH_Num> edge_weight(graph.edge_weight.begin(), graph.edge_weight.end());
  const std::vector<SCOTCH_Num> vertex_weight(graph.vertex_weight.begin(), graph.vertex_weight.end());
  const auto vertices = static_cast<SCOTCH_Num>(graph.size());
  const auto arcs = static_cast<SCOTCH_Num>(neighbour.size());

  Context context;
  PlainGraph plain, bound;
  Strategy strategy;
  if (!context.ok || !plain.ok || !bound.ok || !strategy.ok) return {};
  if (SCOTCH_contextOptionSetNum(&context.handle, SCOTCH_OPTIONNUMDETERMINISTIC, 1) != 0) return {};
  if (SCOTCH_contextThreadSpawn(&context.handle, 1, nullptr) != 0) return {};
  if (SCOTCH_contextRandomClone(&context.handle) != 0) return {};  // a generator of its own
  SCOTCH_contextRandomSeed(&context.handle, static_cast<SCOTCH_Num>(seed % std::numeric_limits<std::int32_t>::max()));
  SCOTCH_contextRandomReset(&context.handle);
  if (SCOTCH_graphBuild(&plain.handle, 0, vertices, row_begin.data(), nullptr, vertex_weight.data(), nullptr, arcs,
                        neighbour.data(), edge_weight.data()) != 0) {
    return {};
  }
  if (SCOTCH_contextBindGraph(&context.handle, &plain.handle, &bound.handle) != 0) return {};
  std::vector<SCOTCH_Num> part_of(graph.size(), 0);
  if (!map_onto_parts(bound.handle, strategy.handle, shares, part_of)) return {};
  return {part_of.begin(), part_of.end()};
}

}  // namespace

bool scotch_available() { return true; }

std::optional<Split> scotch_split(const Problem& problem, std::uint64_t seed) {
  return split_by_partition(problem, partition, seed);
}

#else

bool scotch_available() { return false; }

std::optional<Split> scotch_split(const Problem&, std::uint64_t) {
  refuse_without("scotch", "Scotch", "libscotch-dev");
}

#endif

}  // namespace partita::detail
