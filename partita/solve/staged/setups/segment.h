// SPDX-License-Identifier: Apache-2.0
// Where a cluster stands in the pipeline, and what transfers cost it there.
//
// A cluster holds a segment: what lies between two ideals, `begin` (what is behind it in the pipeline) and `end`. What
// moves inside the segment costs the cluster's own factor, and what leaves it the factor of the innermost cluster
// around it that holds both ends. While the end is being looked for, `end` is the largest that it can be, the segment
// is `open`, and what is not in `begin` may turn out to be inside or outside: transfers then cost the less of the two.
#pragma once

#include <span>
#include <vector>

#include "partita/reduce/setup_instance.h"
#include "partita/util/bit_matrix.h"

namespace partita::detail {

class Segment {
 public:
  // All of the graph, for the whole platform.
  Segment(const SetupGraph& graph, const SetupRules& rules);
  // A segment of a cluster inside: from `begin` to `end`, which lie in this one.
  Segment inside(const SetupRules& rules, std::size_t type, std::span<const Word> begin, std::span<const Word> end,
                 bool open) const;

  std::size_t type() const { return type_; }
  double factor() const { return factor_; }
  bool open() const { return open_; }
  double near_factor() const { return near_factor_; }
  const std::vector<Word>& begin() const { return begin_; }
  const std::vector<Word>& end() const { return end_; }
  bool holds(GroupId v) const { return test_bit(end_, v.index()) && !test_bit(begin_, v.index()); }

  // What the reader of a net pays for it, at a link of factor 1.
  double in_cost(NetId e) const { return in_[e]; }
  // What the producer pays for readers in the segment, and for those outside it; the larger of the two if it has both.
  double near_cost(NetId e) const { return near_[e]; }
  double far_cost(NetId e) const { return far_[e]; }

 private:
  Segment(const SetupGraph& graph, std::size_t type) : graph_(&graph), type_(type) {}
  void price_nets();

  const SetupGraph* graph_;
  std::size_t type_;
  double factor_ = 1;       // of the cluster
  double near_factor_ = 1;  // of the way to what counts as inside
  bool open_ = false;
  std::vector<Word> begin_, end_;
  IdVector<GroupId, double> way_;  // factor of the way to each group, from inside
  IdVector<NetId, double> in_, near_, far_;
};

}  // namespace partita::detail
