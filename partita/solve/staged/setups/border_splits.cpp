// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/setups/border_splits.h"

#include <algorithm>
#include <limits>
#include <map>

#include "partita/reduce/never.h"
#include "partita/solve/staged/setups/pipeline_value.h"
#include "partita/solve/staged/setups/plain_side.h"

namespace partita::detail {
namespace {

constexpr std::size_t kNoMember = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kPlaces = 128;

// The member of the platform that is clusters of accelerators of one class.
std::size_t plain_clusters(const SetupRules& rules) {
  const std::vector<ClusterMember>& members = rules.root().members;
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (!members[m].is_cluster() || members[m].count < 2) continue;
    const std::vector<ClusterMember>& inside = rules.clusters[members[m].inside].members;
    if (inside.size() == 1 && !inside[0].is_cluster() && rules.classes[inside[0].device_class].pays()) return m;
  }
  return kNoMember;
}

class BorderSplits {
 public:
  BorderSplits(const SetupGraph& graph, const SetupRules& rules, const std::vector<GroupId>& order, double below,
               const StagedOptions& sides, Budget& budget)
      : graph_(graph),
        rules_(rules),
        order_(order),
        below_(below),
        sides_(sides),
        budget_(budget),
        member_(plain_clusters(rules)),
        clusters_(rules.root().members[member_].count),
        type_(rules.root().members[member_].inside) {}

  std::optional<SetupPipeline> run() {
    find_places();
    while (!budget_.exhausted()) {
      const std::vector<std::size_t> path = best_path();
      if (path.empty()) return std::nullopt;
      bool known = true;
      for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        if (known_.contains({path[i], path[i + 1]})) continue;
        known = false;
        known_.emplace(std::pair(path[i], path[i + 1]), solved(path[i], path[i + 1]));
        if (budget_.exhausted()) return std::nullopt;
      }
      if (known) return split_of(path);
    }
    return std::nullopt;
  }

 private:
  struct Place {
    std::size_t groups;  // so many of the order are behind the border
    double work, cut;
  };
  struct Side {
    double value = kNever;
    std::vector<PipelinePart> parts;
  };

  void find_places() {
    const ClassId c = rules_.clusters[type_].members[0].device_class;
    const Link& link = rules_.link(c, rules_.root());
    double total = 0;
    for (GroupId v : graph_.all()) total += graph_.compute(c, v);
    IdVector<NetId, std::size_t> placed(graph_.net_count(), 0);
    places_.push_back({0, 0, 0});
    double work = 0, cut = 0;
    std::size_t interval = kPlaces;
    for (std::size_t i = 0; i + 1 < order_.size(); ++i) {
      const GroupId v = order_[i];
      work += graph_.compute(c, v);
      for (NetId e : graph_.nets_of(v)) {
        if (placed[e] == 0) cut += price(link, graph_.traffic(e));
        if (++placed[e] == graph_.members(e).size()) cut -= price(link, graph_.traffic(e));
      }
      const auto here = static_cast<std::size_t>(static_cast<double>(kPlaces - 1) * (total > 0 ? work / total : 0));
      if (here != interval || cut < places_.back().cut) {
        if (here == interval) places_.pop_back();
        places_.push_back({i + 1, work, std::max(cut, 0.0)});
        interval = here;
      }
    }
    places_.push_back({order_.size(), total, 0});
  }

  // At least the average, and what was found where that is known.
  double value(std::size_t from, std::size_t to) const {
    const auto known = known_.find({from, to});
    if (known != known_.end()) return known->second.value;
    const Place &a = places_[from], &b = places_[to];
    return (b.work - a.work + a.cut + b.cut) / rules_.clusters[type_].members[0].count;
  }

  // From the first place to the last, by at most as many sides as there are clusters. Empty if none is good enough.
  std::vector<std::size_t> best_path() const {
    const std::size_t last = places_.size() - 1;
    std::vector<std::vector<double>> least{std::vector<double>(last + 1, kNever)};
    std::vector<std::vector<std::size_t>> from{std::vector<std::size_t>(last + 1, 0)};
    least[0][0] = 0;
    for (int k = 1; k <= clusters_; ++k) {
      least.push_back(least.back());
      from.emplace_back(last + 1, kNoMember);  // where there is no further side
      for (std::size_t a = 0; a < last; ++a) {
        for (std::size_t b = a + 1; b <= last && least[k - 1][a] < least[k][last]; ++b) {
          const double most = std::max(least[k - 1][a], value(a, b));
          if (most >= least[k][b]) continue;
          least[k][b] = most;
          from[k][b] = a;
        }
      }
    }
    if (!(least[clusters_][last] < below_)) return {};
    std::vector<std::size_t> path{last};
    for (int k = clusters_; k > 0; --k) {
      if (from[k][path.back()] != kNoMember) path.push_back(from[k][path.back()]);
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

  std::vector<Word> ideal(std::size_t place) const {
    std::vector<Word> bits(words_for(graph_.size()), 0);
    for (std::size_t i = 0; i < places_[place].groups; ++i) set_bit(bits, order_[i].index());
    return bits;
  }

  Side solved(std::size_t from, std::size_t to) {
    const Segment segment = Segment(graph_, rules_).inside(rules_, type_, ideal(from), ideal(to), false);
    const auto side = plain_side(graph_, rules_, segment);
    if (!side) return {};
    Budget slice(budget_, sides_.settings.first_slice);  // one side among many
    const StagedOutcome outcome = solve_staged(side->graph, side->platform, sides_, slice, {});
    if (!outcome.split) return {};
    return {outcome.split->value, parts_of(*side, outcome.split->stages)};
  }

  SetupPipeline split_of(const std::vector<std::size_t>& path) const {
    SetupPipeline result;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      PipelinePart part;
      part.member = member_;
      part.parts = known_.at({path[i], path[i + 1]}).parts;
      result.parts.push_back(std::move(part));
    }
    result.value = pipeline_value(graph_, rules_, result.parts);
    return result;
  }

  const SetupGraph& graph_;
  const SetupRules& rules_;
  const std::vector<GroupId>& order_;
  const double below_;
  const StagedOptions& sides_;
  Budget& budget_;
  const std::size_t member_;
  const int clusters_;
  const std::size_t type_;
  std::vector<Place> places_;
  std::map<std::pair<std::size_t, std::size_t>, Side> known_;
};

}  // namespace

bool has_plain_clusters(const SetupRules& rules) {
  return rules.transfers == TransferMode::Sum && rules.replicas == 1 && rules.memory_model == MemoryModel::Flat &&
         plain_clusters(rules) != kNoMember;
}

std::optional<SetupPipeline> split_at_borders(const SetupGraph& graph, const SetupRules& rules,
                                              const std::vector<GroupId>& order, double below,
                                              const StagedOptions& sides, Budget& budget) {
  return BorderSplits(graph, rules, order, below, sides, budget).run();
}

}  // namespace partita::detail
