// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/baseline/metis.h"

#include "partita/solve/baseline/partition.h"
#include "partita/util/error.h"

#if PARTITA_HAS_METIS
#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>

#include <metis.h>
#endif

namespace partita {

#if PARTITA_HAS_METIS
namespace {

// No vertex heavier than an equal share of what the parts have to hold. A vertex beyond that fills a part whatever is
// done, and METIS, dividing in halves, would have parts left for which there is no vertex, and complain on standard
// output. Whatever is cut off a vertex makes the shares smaller, so the heaviest are looked at first.
std::vector<idx_t> fair_weights(const std::vector<std::int32_t>& weights, std::size_t parts) {
  std::vector<std::int32_t> heaviest = weights;
  std::sort(heaviest.begin(), heaviest.end(), std::greater<>());
  std::int64_t rest = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  std::size_t alone = 0;
  const auto share = [&] { return rest / static_cast<std::int64_t>(parts - alone); };
  while (alone + 1 < parts && heaviest[alone] > share()) rest -= heaviest[alone++];
  std::vector<idx_t> fair;
  for (const std::int32_t weight : weights) fair.push_back(static_cast<idx_t>(std::min<std::int64_t>(weight, share())));
  return fair;
}

std::vector<std::int32_t> partition(const PartitionGraph& graph, std::size_t parts, std::uint64_t seed) {
  // Parts without any work would be parts without a vertex.
  const auto weighty =
      std::count_if(graph.vertex_weight.begin(), graph.vertex_weight.end(), [](auto w) { return w > 0; });
  parts = std::min(parts, static_cast<std::size_t>(weighty));
  if (parts < 2) return std::vector<std::int32_t>(graph.size(), 0);
  // METIS may be built with wider numbers than ours, and takes pointers to what it does not change.
  std::vector<idx_t> row_begin(graph.row_begin.begin(), graph.row_begin.end());
  std::vector<idx_t> neighbour(graph.neighbour.begin(), graph.neighbour.end());
  std::vector<idx_t> edge_weight(graph.edge_weight.begin(), graph.edge_weight.end());
  std::vector<idx_t> vertex_weight = fair_weights(graph.vertex_weight, parts);
  idx_t vertices = static_cast<idx_t>(graph.size());
  idx_t constraints = 1;
  idx_t part_count = static_cast<idx_t>(parts);
  idx_t cut = 0;
  std::vector<idx_t> part_of(graph.size(), 0);
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = static_cast<idx_t>(seed % std::numeric_limits<std::int32_t>::max());
  options[METIS_OPTION_NUMBERING] = 0;

  static std::mutex one_at_a_time;  // its random numbers have one state for the whole program
  const std::lock_guard lock(one_at_a_time);
  const int status =
      METIS_PartGraphKway(&vertices, &constraints, row_begin.data(), neighbour.data(), vertex_weight.data(), nullptr,
                          edge_weight.data(), &part_count, nullptr, nullptr, options.data(), &cut, part_of.data());
  if (status != METIS_OK) return {};
  return {part_of.begin(), part_of.end()};
}

}  // namespace

bool metis_available() { return true; }

std::optional<Split> metis_split(const Problem& problem, std::uint64_t seed) {
  return split_by_partition(
      problem, [&](const PartitionGraph& graph, std::size_t parts) { return partition(graph, parts, seed); });
}

#else

bool metis_available() { return false; }

std::optional<Split> metis_split(const Problem&, std::uint64_t) {
  throw InputError(ErrorKind::Unsupported, "metis",
                   "this build has no METIS; install it (Debian: libmetis-dev) and build Partita again");
}

#endif

}  // namespace partita
