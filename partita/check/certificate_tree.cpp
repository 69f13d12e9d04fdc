// SPDX-License-Identifier: Apache-2.0
#include "partita/check/certificate_tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::detail {
namespace {

// Deeper trees are refused: whoever checks one goes down it by recursion.
constexpr std::size_t kMostDecisions = 1000;

struct NamedDecision {
  std::pair<std::size_t, std::size_t> groups;  // the smaller first
  bool together = false;
};
using LeafPath = std::vector<NamedDecision>;

class TreeChecker {
 public:
  explicit TreeChecker(const std::vector<Certificate::Leaf>& leaves) : leaves_(leaves) {}

  std::optional<std::string> run(const ClaimInstance& instance) {
    for (const Certificate::Leaf& leaf : leaves_) {
      if (leaf.decisions.size() > kMostDecisions)
        return fmt::format("a leaf has more than {} decisions", kMostDecisions);
      LeafPath& path = paths_.emplace_back();
      for (const Certificate::Decision& decision : leaf.decisions) {
        const auto a = instance.group_of_id(decision.a), b = instance.group_of_id(decision.b);
        if (!a || !b)
          return fmt::format("it decides about node {}, which the workload lacks or a step removed",
                             a ? decision.b : decision.a);
        path.push_back({std::minmax(*a, *b), decision.together});
      }
      which_.push_back(which_.size());
    }
    return missing(0, which_.size(), 0);
  }

 private:
  // Among the leaves [first, last) of which_, which share their decisions so far.
  std::optional<std::string> missing(std::size_t first, std::size_t last, std::size_t depth) {
    const LeafPath& path = paths_[which_[first]];
    if (last - first == 1 && path.size() == depth) return std::nullopt;
    for (std::size_t i = first; i < last; ++i) {
      const LeafPath& other = paths_[which_[i]];
      if (other.size() == depth) return "a leaf's case holds those of other leaves";
      if (path.size() == depth || other[depth].groups != path[depth].groups)
        return fmt::format("leaves that share {} decisions decide next about different nodes", depth);
    }
    const auto begin = which_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = which_.begin() + static_cast<std::ptrdiff_t>(last);
    const auto middle = std::stable_partition(begin, end, [&](std::size_t i) { return paths_[i][depth].together; });
    if (middle == begin || middle == end) {
      const Certificate::Decision& decision = leaves_[which_[first]].decisions[depth];
      return fmt::format("no leaf covers the case that nodes {} and {} are {}", decision.a, decision.b,
                         decision.together ? "apart" : "together");
    }
    const std::size_t at = static_cast<std::size_t>(middle - which_.begin());
    if (auto reason = missing(first, at, depth + 1)) return reason;
    return missing(at, last, depth + 1);
  }

  const std::vector<Certificate::Leaf>& leaves_;
  std::vector<LeafPath> paths_;     // by leaf
  std::vector<std::size_t> which_;  // leaves, those that share decisions next to each other
};

}  // namespace

std::optional<std::string> find_missing_case(const ClaimInstance& instance,
                                             const std::vector<Certificate::Leaf>& leaves) {
  if (leaves.empty()) return std::nullopt;
  return TreeChecker(leaves).run(instance);
}

}  // namespace partita::detail
