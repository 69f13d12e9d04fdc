// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/coarsen.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

namespace partita::detail {
namespace {

constexpr std::size_t kLargestNet = 24;  // larger ones say little about pairs
constexpr double kNoise = 0.5;           // random factors are from 1 to 1.5
constexpr std::uint64_t kTicksPerGroup = 3;
constexpr int kMostRounds = 30;

struct Pair {
  double share;
  GroupId u, v;
};

bool have_no_path_between(const StageGraph& graph, GroupId u, GroupId v) {
  const std::span<const Word> after = graph.descendants(std::min(u, v)), before = graph.ancestors(std::max(u, v));
  int between = 0;
  for (std::size_t i = 0; i < after.size(); ++i) between += std::popcount(after[i] & before[i]);
  return between <= 2;  // the two themselves, if there is an edge
}

// One round on one graph.
class Round {
 public:
  Round(const StageGraph& graph, const CoarsenOptions& options, Rng& rng)
      : graph_(graph), options_(options), rng_(rng), share_(graph.size(), 0) {}

  // Nothing where no pair can be joined.
  std::optional<Contraction> run() {
    std::vector<Pair> pairs;
    for (GroupId v : graph_.all()) {
      if (const Pair pair = with_partner(v); pair.share > 0) pairs.push_back(pair);
    }
    std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.share > b.share; });
    IdVector<GroupId, GroupId> label(graph_.size());
    for (GroupId v : graph_.all()) label[v] = v;
    std::size_t left = std::min((pairs.size() + 1) / 2, graph_.size() - options_.fewest);
    IdVector<GroupId, char> taken(graph_.size(), 0);
    for (const Pair& pair : pairs) {
      if (left == 0) break;
      if (taken[pair.u] || taken[pair.v]) continue;
      taken[pair.u] = taken[pair.v] = 1;
      label[pair.v] = pair.u;
      --left;
    }
    Contraction joined = contract(graph_, label);
    while (take_apart(joined, label)) joined = contract(graph_, label);
    if (joined.graph.size() == graph_.size()) return std::nullopt;
    return joined;
  }

 private:
  bool may_be_joined(GroupId u, GroupId v) const {
    const Group &a = graph_.group(u), &b = graph_.group(v);
    return a.accelerator_time + b.accelerator_time <= options_.most_time &&
           a.memory + b.memory <= options_.most_memory && a.on_accelerator && b.on_accelerator &&
           have_no_path_between(graph_, u, v);
  }

  Pair with_partner(GroupId u) {
    met_.clear();
    for (NetId e : graph_.nets_of(u)) {
      const std::span<const GroupId> members = graph_.members(e);
      if (members.size() > kLargestNet) continue;
      for (GroupId v : members) {
        if (v == u) continue;
        if (share_[v] == 0) met_.push_back(v);
        share_[v] += graph_.cost(e) / static_cast<double>(members.size() - 1);
      }
    }
    Pair best{0, u, u};
    for (GroupId v : met_) {
      const double share = share_[v] * std::uniform_real_distribution<double>(1, 1 + kNoise)(rng_);
      share_[v] = 0;
      if (share > best.share && may_be_joined(u, v)) best = {share, u, v};
    }
    return best;
  }

  bool take_apart(const Contraction& joined, IdVector<GroupId, GroupId>& label) const {
    bool apart = false;
    for (GroupId v : graph_.all()) {
      if (label[v] == v) continue;
      const Group& joint = joined.graph.group(joined.lift[v]);
      if (joint.on_accelerator && joint.accelerator_time <= options_.most_time && joint.memory <= options_.most_memory)
        continue;
      label[v] = v;
      apart = true;
    }
    return apart;
  }

  const StageGraph& graph_;
  const CoarsenOptions& options_;
  Rng& rng_;
  IdVector<GroupId, double> share_;  // with the group at hand
  std::vector<GroupId> met_;
};

}  // namespace

Contraction coarsen(const StageGraph& graph, const CoarsenOptions& options, Rng& rng, Budget& budget) {
  Contraction coarse{graph, Lift(graph.size())};
  for (GroupId v : graph.all()) coarse.lift[v] = v;
  for (int round = 0; round < kMostRounds && coarse.graph.size() > options.fewest; ++round) {
    budget.spend(kTicksPerGroup * coarse.graph.size());
    auto next = Round(coarse.graph, options, rng).run();
    if (!next) break;
    coarse.lift = compose(coarse.lift, next->lift);
    coarse.graph = std::move(next->graph);
  }
  return coarse;
}

}  // namespace partita::detail
