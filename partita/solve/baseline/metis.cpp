// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/baseline/metis.h"

#include "partita/solve/baseline/partition.h"

#if PARTITA_HAS_METIS
#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>

#include <metis.h>
#endif

namespace partita::detail {

#if PARTITA_HAS_METIS
namespace {

// The share of a device is at least that of so many average vertices, or it stays empty.
constexpr double kLeastVertices = 2;

// The parts that METIS is asked for. It divides them in halves, these again, and so on; where a half weighs little it
// may come out without any vertex, and METIS complains on standard output.
struct Targets {
  std::vector<std::size_t> part;  // in such an order that halves weigh about the same
  std::vector<real_t> share;      // of each; empty where all are equal
  double divisor = 1;             // the smallest is one such part of the whole

  Targets(const std::vector<double>& shares, std::size_t vertices) {
    const bool equal = all_equal(shares);
    std::size_t kept = equal ? std::min(shares.size(), vertices) : shares.size();
    double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    while (!equal && kept > 1 && shares[kept - 1] * static_cast<double>(vertices) < kLeastVertices * sum)
      sum -= shares[--kept];
    std::vector<std::size_t> parts(kept);
    std::iota(parts.begin(), parts.end(), 0);
    divisor = equal || kept == 0 ? static_cast<double>(kept) : sum / shares[kept - 1];
    if (equal) {
      part = std::move(parts);
      return;
    }
    deal(parts);
    for (const std::size_t p : part) share.push_back(static_cast<real_t>(shares[p] / sum));
  }

 private:
  void deal(const std::vector<std::size_t>& largest_first) {
    if (largest_first.size() < 2) {
      part.insert(part.end(), largest_first.begin(), largest_first.end());
      return;
    }
    std::vector<std::size_t> first, second;  // the second half is the larger one
    for (std::size_t i = 0; i < largest_first.size(); ++i) (i % 2 == 0 ? second : first).push_back(largest_first[i]);
    deal(first);
    deal(second);
  }
};

// No vertex heavier than the share of the smallest part, which is one `divisor`-th of what the parts have to hold. A
// vertex beyond that fills such a part whatever is done, and METIS would have parts left for which there is no vertex.
// Whatever is cut off a vertex makes the shares smaller, so the heaviest are looked at first.
std::vector<idx_t> fair_weights(const std::vector<std::int32_t>& weights, double divisor) {
  std::vector<std::int32_t> heaviest = weights;
  std::sort(heaviest.begin(), heaviest.end(), std::greater<>());
  std::int64_t rest = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  std::size_t alone = 0;
  const auto share = [&] {
    return static_cast<std::int64_t>(static_cast<double>(rest) / (divisor - static_cast<double>(alone)));
  };
  while (static_cast<double>(alone + 1) < divisor && heaviest[alone] > share()) rest -= heaviest[alone++];
  std::vector<idx_t> fair;
  for (const std::int32_t weight : weights) fair.push_back(static_cast<idx_t>(std::min<std::int64_t>(weight, share())));
  return fair;
}

std::vector<std::int32_t> partition(const PartitionGraph& graph, const std::vector<double>& shares,
                                    std::uint64_t seed) {
  // Parts without any work would be parts without a vertex.
  const auto weighty = static_cast<std::size_t>(
      std::count_if(graph.vertex_weight.begin(), graph.vertex_weight.end(), [](auto w) { return w > 0; }));
  Targets targets(shares, weighty);
  if (targets.part.size() < 2) return std::vector<std::int32_t>(graph.size(), 0);
  // METIS may be built with wider numbers than ours, and takes pointers to what it does not change.
  std::vector<idx_t> row_begin(graph.row_begin.begin(), graph.row_begin.end());
  std::vector<idx_t> neighbour(graph.neighbour.begin(), graph.neighbour.end());
  std::vector<idx_t> edge_weight(graph.edge_weight.begin(), graph.edge_weight.end());
  std::vector<idx_t> vertex_weight = fair_weights(graph.vertex_weight, targets.divisor);
  idx_t vertices = static_cast<idx_t>(graph.size());
  idx_t constraints = 1;
  idx_t part_count = static_cast<idx_t>(targets.part.size());
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
                          edge_weight.data(), &part_count, targets.share.empty() ? nullptr : targets.share.data(),
                          nullptr, options.data(), &cut, part_of.data());
  if (status != METIS_OK) return {};
  std::vector<std::int32_t> result;
  for (const idx_t part : part_of)
    result.push_back(static_cast<std::int32_t>(targets.part[static_cast<std::size_t>(part)]));
  return result;
}

}  // namespace

bool metis_available() { return true; }

std::optional<Split> metis_split(const Problem& problem, std::uint64_t seed) {
  return split_by_partition(problem, partition, seed);
}

#else

bool metis_available() { return false; }

std::optional<Split> metis_split(const Problem&, std::uint64_t) { refuse_without("metis", "METIS", "libmetis-dev"); }

#endif

}  // namespace partita::detail
