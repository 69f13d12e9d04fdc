// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/baseline/scotch.h"

#include "partita/solve/baseline/partition.h"
#include "partita/util/error.h"

#if PARTITA_HAS_SCOTCH
#include <algorithm>
#include <cmath>
#include <cstdio>  // scotch.h uses FILE
#include <limits>

#include <scotch.h>
#endif

namespace partita {

#if PARTITA_HAS_SCOTCH
namespace {

constexpr double kTopSpeed = 1000;  // speeds are whole numbers

// Scotch's objects, ended in the opposite order whatever fails.
struct Context {
  SCOTCH_Context handle;
  bool ok = SCOTCH_contextInit(&handle) == 0;
  ~Context() {
    if (ok) SCOTCH_contextExit(&handle);
  }
};
struct PlainGraph {
  SCOTCH_Graph handle;
  bool ok = SCOTCH_graphInit(&handle) == 0;
  ~PlainGraph() {
    if (ok) SCOTCH_graphExit(&handle);
  }
};
struct Strategy {
  SCOTCH_Strat handle;
  bool ok = SCOTCH_stratInit(&handle) == 0;
  ~Strategy() {
    if (ok) SCOTCH_stratExit(&handle);
  }
};

struct Architecture {
  SCOTCH_Arch handle;
  bool ok = SCOTCH_archInit(&handle) == 0;
  ~Architecture() {
    if (ok) SCOTCH_archExit(&handle);
  }
};

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
  return split_by_partition(problem, [&](const PartitionGraph& graph, const std::vector<double>& shares) {
    return partition(graph, shares, seed);
  });
}

#else

bool scotch_available() { return false; }

std::optional<Split> scotch_split(const Problem&, std::uint64_t) {
  throw InputError(ErrorKind::Unsupported, "scotch",
                   "this build has no Scotch; install it (Debian: libscotch-dev) and build Partita again");
}

#endif

}  // namespace partita
