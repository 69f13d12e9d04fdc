// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/boundary/boundary_joins.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "partita/reduce/boundary/boundary_chain.h"
#include "partita/reduce/boundary/decision_order.h"
#include "partita/util/statistics.h"

namespace partita::detail {
namespace {

constexpr int kBucketsPerPlace = 2;
constexpr std::uint64_t kLabelsPerTick = 8;

class BoundaryLook {
 public:
  BoundaryLook(const StageGraph& graph, const Threshold& question, const BoundaryOptions& options,
               const WholeWeights& weights, Budget& budget)
      : graph_(graph), question_(question), options_(options), weights_(weights), budget_(budget), watch_(&budget) {}

  void run(BoundaryJoins& joins) {
    make_classes();
    for (std::size_t i = 0; i < options_.grids.size() && !classes_.empty() && !budget_.exhausted(); ++i) {
      if (!look(options_.grids[i], i == 0, joins)) break;
      ++joins.grids;
      if (joins.infeasible) break;
    }
  }

 private:
  struct Class {
    Whole threshold;
    IdealStates states;
    ProfileGuide guide;
  };

  void make_classes() {
    const std::vector<GroupId> order = options_.order.empty() ? decision_order(graph_, watch_) : options_.order;
    for (SpanClass& one : span_classes(graph_, weights_, net_spans(graph_, weights_, watch_))) {
      auto states = ideal_states(graph_, weights_, one.counts, order, options_.states, watch_);
      if (states) classes_.push_back({one.threshold, std::move(*states), {}});
    }
  }

  // False if there were too many labels: nothing is said then.
  bool look(int buckets, bool first, BoundaryJoins& joins) {
    const Whole bucket = std::max<Whole>(1, weights_.total / buckets);
    const std::size_t room = budget_.limits().memory_bytes / 2 / sizeof(ProfileLabel) / classes_.size();
    const std::size_t most_labels = std::min({options_.most_labels, room, labels_left()});
    std::vector<Profile> profiles;
    for (std::size_t i = 0; i < classes_.size();) {
      Profile profile(graph_, weights_, classes_[i].states, bucket, classes_[i].guide, most_labels, watch_);
      budget_.spend(profile.label_count() / kLabelsPerTick);
      if (profile.complete()) {
        profiles.push_back(std::move(profile));
        ++i;
      } else if (first) {
        classes_.erase(classes_.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        return false;
      }
    }
    BoundaryChain chain(weights_, question_, kBucketsPerPlace * bucket);
    for (std::size_t i = 0; i < classes_.size(); ++i) chain.add_class(classes_[i].threshold, profiles[i].ends());
    if (!chain.find_windows(watch_)) {
      joins.infeasible = true;
      return true;
    }
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      const BoundaryChain::Rooms rooms = chain.rooms_of(i, watch_);
      profiles[i].find_rooms([&](const ProfileLabel& label) { return rooms.of(label); });
      profiles[i].join_never_cut(joins.merge);
      classes_[i].guide = profiles[i].guide();
    }
    return true;
  }

  std::size_t labels_left() const {
    return std::min(budget_.ticks_left(), std::numeric_limits<std::size_t>::max() / kLabelsPerTick) * kLabelsPerTick;
  }

  const StageGraph& graph_;
  const Threshold& question_;
  const BoundaryOptions& options_;
  const WholeWeights& weights_;
  Budget& budget_;
  TimeWatch watch_;
  std::vector<Class> classes_;
};

}  // namespace

BoundaryJoins find_boundary_joins(const StageGraph& graph, const Threshold& question, const BoundaryOptions& options,
                                  Budget& budget) {
  assert(graph.has_closure());
  BoundaryJoins joins{false, UnionFind<GroupId>(graph.size())};
  const std::optional<WholeWeights> weights = whole_weights(graph, question);
  if (!weights || weights->total == 0) return joins;
  Technique looking(budget, "presolve.boundaries", "groups joined");
  try {
    BoundaryLook(graph, question, options, *weights, budget).run(joins);
  } catch (const OutOfTime&) {
    // What was joined so far holds.
  }
  looking.yield(static_cast<double>(joins.merge.joins()));
  return joins;
}

}  // namespace partita::detail
