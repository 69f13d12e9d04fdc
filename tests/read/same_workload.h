// SPDX-License-Identifier: Apache-2.0
// Field-by-field comparison of two workloads, exact to the bit.
#pragma once

#include <gtest/gtest.h>

#include "partita/model/workload.h"

namespace partita::detail {

inline void expect_same(const Workload& a, const Workload& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.time_unit, b.time_unit);
  ASSERT_EQ(a.platform.classes.size(), b.platform.classes.size());
  for (ClassId c : a.platform.classes.all()) {
    EXPECT_EQ(a.platform.classes[c].name, b.platform.classes[c].name);
    EXPECT_EQ(a.platform.classes[c].kind, b.platform.classes[c].kind);
    EXPECT_EQ(a.platform.classes[c].count, b.platform.classes[c].count);
    EXPECT_EQ(a.platform.classes[c].memory, b.platform.classes[c].memory);
    EXPECT_EQ(a.platform.classes[c].link_factor, b.platform.classes[c].link_factor);
    EXPECT_EQ(a.platform.classes[c].contention, b.platform.classes[c].contention);
    EXPECT_EQ(a.platform.classes[c].link_latency, b.platform.classes[c].link_latency);
  }
  EXPECT_TRUE(a.platform.clusters == b.platform.clusters);
  EXPECT_EQ(a.platform.sync_bandwidth, b.platform.sync_bandwidth);
  EXPECT_EQ(a.platform.shared_links, b.platform.shared_links);
  ASSERT_EQ(a.graph.nodes.size(), b.graph.nodes.size());
  for (NodeId v : a.graph.nodes.all()) {
    const Node& x = a.graph.nodes[v];
    const Node& y = b.graph.nodes[v];
    ASSERT_EQ(x.original_id, y.original_id);
    ASSERT_EQ(x.name, y.name);
    ASSERT_EQ(x.time, y.time);
    ASSERT_EQ(x.memory, y.memory);
    ASSERT_EQ(x.parts, y.parts);
    ASSERT_EQ(x.recompute_share, y.recompute_share);
    ASSERT_EQ(x.backward, y.backward);
    ASSERT_EQ(x.colour, y.colour);
    ASSERT_EQ(x.layer, y.layer);
    ASSERT_EQ(x.op, y.op);
    ASSERT_EQ(x.output_bytes, y.output_bytes);
    ASSERT_TRUE(x.facts == y.facts) << "node " << v.index();
  }
  ASSERT_EQ(a.graph.edges.size(), b.graph.edges.size());
  for (std::size_t i = 0; i < a.graph.edges.size(); ++i) {
    ASSERT_EQ(a.graph.edges[i].from, b.graph.edges[i].from);
    ASSERT_EQ(a.graph.edges[i].to, b.graph.edges[i].to);
    ASSERT_EQ(a.graph.edges[i].cost, b.graph.edges[i].cost);
  }
}

}  // namespace partita::detail
