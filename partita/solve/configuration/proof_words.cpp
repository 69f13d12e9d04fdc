// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/proof_words.h"

namespace partita::detail {
namespace {

// Of hosts without columns only the toll counts, and the check fills them as a knapsack.
Certificate::Devices devices_in_words(const FreeProof::Devices& from, const std::string& name,
                                      const ProofWords& words) {
  Certificate::Devices result{.name = name, .memory_toll = from.memory_toll, .most = std::nullopt};
  if (from.buckets == 0) return result;
  result.theta = from.theta;
  result.buckets = from.buckets;
  result.most = from.most;
  const auto nodes = [&](const std::vector<GroupId>& groups) {
    std::vector<std::int64_t> ids;
    for (GroupId v : groups) ids.push_back(words.node(v));
    return ids;
  };
  for (const auto& [net, counted] : from.narrowed) result.narrowed.push_back({nodes(net), nodes(counted)});
  for (PointId p : from.forgotten) result.forgotten.push_back(words.point(p));
  return result;
}

Certificate::Leaf leaf_in_words(const FreeProof& proof, const ProofWords& words) {
  Certificate::Leaf result;
  for (const PairDecision& pair : proof.decisions)
    result.decisions.push_back({words.node(pair.a), words.node(pair.b), pair.together});
  for (GroupId v : proof.order) result.classes.push_back({words.node(v), proof.prices[v]});
  for (std::size_t c = 0; c < proof.devices.size(); ++c)
    result.devices.push_back(devices_in_words(proof.devices[c], words.classes[c], words));
  return result;
}

}  // namespace

void write_proof(const ProofTree& proof, const ProofWords& words, Certificate& certificate) {
  if (proof.size() == 1 && proof.front().decisions.empty()) {
    Certificate::Leaf only = leaf_in_words(proof.front(), words);
    certificate.classes = std::move(only.classes);
    certificate.devices = std::move(only.devices);
    return;
  }
  for (const FreeProof& leaf : proof) certificate.leaves.push_back(leaf_in_words(leaf, words));
}

}  // namespace partita::detail
