// SPDX-License-Identifier: Apache-2.0
#include "partita/check/joined_nodes.h"

#include <algorithm>
#include <map>

namespace partita::detail {

JoinedNodes::JoinedNodes(const LatencyClaim& claim)
    : claim_(claim), pieces_(claim.one_block ? claim.groups.size() : claim.nodes.size()) {
  for (const LatencyClaim::Group& group : claim.groups) on_host_.push_back(group.on_host);
  update();
}

bool JoinedNodes::join(std::size_t a, std::size_t b) {
  const bool off_host = ban_from_hosts(claim_.nodes[a].group);
  const bool also = ban_from_hosts(claim_.nodes[b].group);
  const bool apart = pieces_.join(piece_of(a), piece_of(b));
  return off_host || also || apart;
}

bool JoinedNodes::ban_from_hosts(std::size_t group) {
  const bool news = on_host_[group];
  on_host_[group] = 0;
  return news;
}

void JoinedNodes::update() {
  clusters_.clear();
  cluster_of_.assign(claim_.nodes.size(), 0);
  std::map<std::pair<PieceId, bool>, std::size_t> known;  // by what is joined, and pass
  for (std::size_t v = 0; v < claim_.nodes.size(); ++v) {
    const LatencyClaim::Node& node = claim_.nodes[v];
    const auto [at, is_new] = known.try_emplace({pieces_.find(piece_of(v)), node.backward}, clusters_.size());
    if (is_new) clusters_.push_back({node.backward, {}, {}, std::vector<LatencyClaim::Int>(claim_.classes, 0), {}});
    cluster_of_[v] = at->second;
    Cluster& cluster = clusters_[at->second];
    cluster.nodes.push_back(v);
    if (!claim_.one_block) cluster.groups.push_back(node.group);
    for (std::size_t c = 0; c < claim_.classes; ++c) cluster.time[c] += node.time[c];
  }
  for (std::size_t g = 0; claim_.one_block && g < claim_.groups.size(); ++g) {
    for (const bool backward : {false, true}) {
      const auto at = known.find({pieces_.find(PieceId(g)), backward});
      if (at != known.end()) clusters_[at->second].groups.push_back(g);
    }
  }
  for (std::size_t e = 0; e < claim_.transfers.size(); ++e) {
    for (const std::size_t v : claim_.transfers[e].members) {
      std::vector<std::size_t>& transfers = clusters_[cluster_of_[v]].transfers;
      if (transfers.empty() || transfers.back() != e) transfers.push_back(e);
    }
  }
  for (Cluster& cluster : clusters_) {
    std::sort(cluster.groups.begin(), cluster.groups.end());
    cluster.groups.erase(std::unique(cluster.groups.begin(), cluster.groups.end()), cluster.groups.end());
  }
}

}  // namespace partita::detail
