// SPDX-License-Identifier: Apache-2.0
// Where a cluster stands in the pipeline, and what transfers cost it there.
//
// A cluster holds a segment: what lies between two ideals, `begin` (what is behind it in the pipeline) and `end`. What
// moves inside the segment goes over the cluster's own link, and what leaves it over that of the innermost cluster
// around it that holds both ends. While the end is being looked for, `end` is the largest that it can be, the segment
// is `open`, and what is not in `begin` may turn out to be inside or outside: transfers then cost the least of each, of
// the factors and of the latencies. Prices differ by the tariff (setup_instance.h) of who pays.
#pragma once

#include <cstdint>
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
  double factor() const { return factor_; }  // of the exchange of weights among copies in the cluster
  bool open() const { return open_; }
  // The link to what counts as inside.
  const Link& near(std::size_t tariff) const { return ways_.back()[tariff]; }
  const std::vector<Word>& begin() const { return begin_; }
  const std::vector<Word>& end() const { return end_; }
  bool holds(GroupId v) const { return test_bit(end_, v.index()) && !test_bit(begin_, v.index()); }

  // What a net costs those who pay by the tariff.
  struct Prices {
    double in = 0;  // its reader
    // Its producer, for readers in the segment, and for those outside it; the larger of the two if it has both.
    double near = 0, far = 0;
  };
  const Prices& prices(std::size_t tariff, NetId e) const { return prices_[tariff][e]; }

 private:
  Segment(const SetupGraph& graph, std::size_t type) : graph_(&graph), type_(type) {}
  void price_nets();

  const SetupGraph* graph_;
  std::size_t type_;
  double factor_ = 1;
  bool open_ = false;
  std::vector<Word> begin_, end_;
  std::vector<std::vector<Link>> ways_;          // by cluster around it, and its own at the end: by tariff
  IdVector<GroupId, std::uint32_t> way_;         // to each group, from inside
  std::vector<IdVector<NetId, Prices>> prices_;  // by tariff
};

}  // namespace partita::detail
