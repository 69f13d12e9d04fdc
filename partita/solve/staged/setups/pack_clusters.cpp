// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/setups/pack_clusters.h"

namespace partita::detail {
namespace {

class ClusterPacking {
 public:
  ClusterPacking(const SetupRules& rules, const SetupRules& flat, const std::vector<PipelinePart>& stages)
      : rules_(rules), flat_(flat), stages_(stages) {}

  std::optional<std::vector<PipelinePart>> run() {
    std::vector<PipelinePart> parts = fill(rules_.clusters.size() - 1);
    if (next_ < stages_.size()) return std::nullopt;
    return parts;
  }

 private:
  std::vector<PipelinePart> fill(std::size_t type) {
    const std::vector<ClusterMember>& members = rules_.clusters[type].members;
    std::vector<int> used(members.size(), 0);
    std::vector<PipelinePart> parts;
    while (next_ < stages_.size() && (take_device(members, used, parts) || take_cluster(members, used, parts))) {
    }
    return parts;
  }

  bool take_device(const std::vector<ClusterMember>& members, std::vector<int>& used,
                   std::vector<PipelinePart>& parts) {
    const PipelinePart& stage = stages_[next_];
    const ClassId device_class = flat_.root().members[stage.member].device_class;
    for (std::size_t m = 0; m < members.size(); ++m) {
      if (members[m].device_class != device_class || used[m] + stage.replicas > members[m].count) continue;
      used[m] += stage.replicas;
      parts.push_back(stage);
      parts.back().member = m;
      ++next_;
      return true;
    }
    return false;
  }

  bool take_cluster(const std::vector<ClusterMember>& members, std::vector<int>& used,
                    std::vector<PipelinePart>& parts) {
    for (std::size_t m = 0; m < members.size(); ++m) {
      if (!members[m].is_cluster() || used[m] == members[m].count) continue;
      std::vector<PipelinePart> inside = fill(members[m].inside);
      if (inside.empty()) continue;
      ++used[m];
      parts.push_back({m, 1, false, {}, std::move(inside)});
      return true;
    }
    return false;
  }

  const SetupRules& rules_;
  const SetupRules& flat_;
  const std::vector<PipelinePart>& stages_;
  std::size_t next_ = 0;
};

}  // namespace

std::optional<std::vector<PipelinePart>> pack_into_clusters(const SetupRules& rules, const SetupRules& flat,
                                                            const std::vector<PipelinePart>& stages) {
  return ClusterPacking(rules, flat, stages).run();
}

}  // namespace partita::detail
