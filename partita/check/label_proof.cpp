// SPDX-License-Identifier: Apache-2.0
#include "partita/check/label_proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace partita::detail {
namespace {

constexpr std::size_t kMostTolls = 16;  // each has labels of its own

}  // namespace

LabelProof::LabelProof(const Problem& problem, double limit) : claim_(latency_claim(problem, limit)) {
  proved_ = claim_.longest_path() > kLoadLimit;
}

bool LabelProof::needs_more_than(std::size_t bytes) const {
  return !proved_ && LatencyClaim::bytes_of_paths(claim_.nodes.size()) > bytes;
}

std::optional<LabelProof::Int> LabelProof::end(Int toll) const {
  if (toll < 0 || toll > kLongestEnd / (claim_.blocks + 1)) return std::nullopt;
  return kLoadLimit + toll * claim_.blocks;
}

void LabelProof::prepare() {
  if (joined_) return;
  claim_.find_paths();
  joined_.emplace(claim_);
  finish_.emplace(claim_, *joined_);
}

LabelProof::Labels& LabelProof::labels(const Track& track) {
  Labels& found = labels_[{track.toll, track.reversed}];
  if (found.levels.empty()) {
    found.of.assign(claim_.edges.size(), 0);
    found.levels.assign(1, 0);
  }
  return found;
}

std::optional<std::size_t> LabelProof::edge_of(const Track& track, std::size_t node, std::size_t other) const {
  for (const std::size_t e : track.reversed ? claim_.into[node] : claim_.out_of[node]) {
    if ((track.reversed ? claim_.edges[e].from : claim_.edges[e].to) == other) return e;
  }
  return std::nullopt;
}

LabelProof::Int LabelProof::largest(const std::vector<Int>& labels, const std::vector<std::size_t>& edges) const {
  Int most = 0;
  for (const std::size_t e : edges) most = std::max(most, labels[e]);
  return most;
}

LabelProof::Int LabelProof::label(const Track& track, std::size_t node, std::size_t other) {
  const auto e = edge_of(track, node, other);
  return e ? labels(track).of[*e] : 0;
}

LabelProof::Int LabelProof::least(const Track& track, std::size_t node, std::optional<std::size_t> other, Int enough) {
  prepare();
  if (other && !edge_of(track, node, *other)) return 0;
  const Labels& here = labels(track);
  if (joined_->on_host(claim_.nodes[node].group)) {
    const auto& before = track.reversed ? claim_.out_of[node] : claim_.into[node];
    const auto& behind = track.reversed ? claim_.into[node] : claim_.out_of[node];
    const Int finish = largest(here.of, before) + claim_.nodes[node].host_time;
    const Int rest = largest(labels({track.toll, !track.reversed}).of, behind);
    if (finish + rest <= *end(track.toll)) enough = std::min(enough, finish);
  }
  return finish_->least({here.of, here.levels, track.toll, track.reversed}, node, other, enough);
}

void LabelProof::raise(const Track& track, std::size_t node, std::optional<std::size_t> other, Int time) {
  if (!other) {
    proved_ = proved_ || time > *end(track.toll);
    return;
  }
  Labels& here = labels(track);
  const auto e = edge_of(track, node, *other);
  if (!e || time <= here.of[*e]) return;
  here.of[*e] = time;
  const auto at = std::lower_bound(here.levels.begin(), here.levels.end(), time);
  if (at == here.levels.end() || *at != time) here.levels.insert(at, time);
}

// What is joined is never cut, so its labels are no levels.
void LabelProof::sort_levels(Labels& of) {
  of.levels.assign(1, 0);
  for (std::size_t e = 0; e < of.of.size(); ++e) {
    if (!joined_->joined(claim_.edges[e].from, claim_.edges[e].to)) of.levels.push_back(of.of[e]);
  }
  std::sort(of.levels.begin(), of.levels.end());
  of.levels.erase(std::unique(of.levels.begin(), of.levels.end()), of.levels.end());
}

bool LabelProof::learn(Int toll) {
  prepare();
  const std::vector<Int>& forward = labels({toll, false}).of;
  const std::vector<Int>& reversed = labels({toll, true}).of;
  const Int last = *end(toll);
  bool any = false;
  for (std::size_t e = 0; e < claim_.edges.size(); ++e) {
    const auto& [from, to] = claim_.edges[e];
    if (forward[e] + reversed[e] <= last) continue;
    if (claim_.nodes[from].backward != claim_.nodes[to].backward) {
      proved_ = true;
      return true;
    }
    any = joined_->join(from, to) || any;
  }
  for (std::size_t v = 0; v < claim_.nodes.size(); ++v) {
    const Int around = largest(forward, claim_.into[v]) + largest(reversed, claim_.out_of[v]);
    if (around + claim_.nodes[v].host_time > last) any = joined_->ban_from_hosts(claim_.nodes[v].group) || any;
  }
  if (!any) return false;
  joined_->update();
  for (auto& [track, of] : labels_) sort_levels(of);
  return true;
}

CertificateVerdict verify_labels(const Problem& problem, const Certificate& certificate, Budget& budget) {
  const auto wrong = [](std::string why) { return CertificateVerdict{false, std::move(why), false}; };
  const auto open = [](std::string why) { return CertificateVerdict{false, std::move(why), true}; };
  if (budget.exhausted()) return open("the limit of time was reached");
  LabelProof proof(problem, certificate.limit);
  if (proof.claim().order.size() < proof.claim().nodes.size()) return wrong("the workload has a circle of edges");
  if (proof.needs_more_than(budget.limits().memory_bytes / 2)) return open("its labels take too much memory");
  const auto find = [&](std::int64_t id) -> std::optional<std::size_t> {
    const auto at = proof.claim().by_id.find(id);
    if (at == proof.claim().by_id.end()) return std::nullopt;
    return at->second;
  };
  std::set<std::int64_t> tolls;
  for (std::size_t i = 0; i < certificate.sweeps.size() && !proof.proved(); ++i) {
    const Certificate::Sweep& sweep = certificate.sweeps[i];
    const LabelProof::Track track{sweep.toll, sweep.reversed};
    const std::optional<LabelProof::Int> end = proof.end(sweep.toll);
    if (budget.exhausted()) return open("the limit of time was reached before all labels were checked");
    tolls.insert(sweep.toll);
    if (tolls.size() > kMostTolls) return wrong(fmt::format("it has more than {} different tolls", kMostTolls));
    if (!end) return wrong(fmt::format("the toll of sweep {} is negative, or too large", i + 1));
    for (const Certificate::Sweep::Label& label : sweep.labels) {
      if (budget.exhausted()) return open("the limit of time was reached before all labels were checked");
      const auto node = find(label.node);
      const auto other = label.other ? find(*label.other) : std::nullopt;
      if (!node || (label.other && !other))
        return wrong(fmt::format("it names node {}, which the workload lacks", node ? *label.other : label.node));
      if (label.time < 0 || label.time > *end + 1)
        return wrong(
            fmt::format("sweep {} has a label of node {} that is negative, or later than all", i + 1, label.node));
      if (proof.least(track, *node, other, label.time) < label.time) {
        return wrong(fmt::format("sweep {}: the labels so far do not imply that of node {}", i + 1, label.node));
      }
      proof.raise(track, *node, other, label.time);
    }
    proof.learn(sweep.toll);
  }
  if (!proof.proved()) return wrong("its labels leave room for splits within its limit");
  return {true, "", false};
}

}  // namespace partita::detail
