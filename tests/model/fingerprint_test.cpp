// SPDX-License-Identifier: Apache-2.0
#include "partita/model/fingerprint.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "partita/model/tensor.h"
#include "tests/support/graph_text.h"

namespace partita::detail::test {
namespace {

constexpr const char* kChain = "a 3 30; b 2 20; c 1 10; a -> b; b -> c; a -> c";

TEST(Fingerprint, MindsTheGraphAlone) {
  const Graph graph = graph_from_text(kChain).graph;
  const std::string own = fingerprint(graph);
  EXPECT_EQ(own.size(), 16u);
  EXPECT_EQ(own.find_first_not_of("0123456789abcdef"), std::string::npos);

  Graph other = graph;
  std::ranges::reverse(other.edges);
  other.edges[0].cost = 7;
  other.nodes[NodeId(0)].time = {5, 5};
  other.nodes[NodeId(1)].memory = 12;
  EXPECT_EQ(fingerprint(other), own);
}

TEST(Fingerprint, DiffersWithEverythingThatASplitDependsOn) {
  const Graph graph = graph_from_text(kChain).graph;
  const auto changed = [&](auto change) {
    Graph other = graph;
    change(other);
    return fingerprint(other) != fingerprint(graph);
  };
  EXPECT_TRUE(changed([](Graph& g) { g.nodes[NodeId(1)].name = "bb"; }));
  EXPECT_TRUE(changed([](Graph& g) { g.nodes[NodeId(1)].op = "MatMul"; }));
  EXPECT_TRUE(changed([](Graph& g) { g.nodes[NodeId(1)].original_id = 77; }));
  EXPECT_TRUE(changed([](Graph& g) { g.nodes[NodeId(2)].backward = true; }));
  EXPECT_TRUE(changed([](Graph& g) { g.edges.pop_back(); }));
  EXPECT_TRUE(changed([](Graph& g) { g.edges[0].to = NodeId(2); }));
  EXPECT_TRUE(changed([](Graph& g) { g.nodes.push_back(g.nodes[NodeId(0)]); }));
}

TEST(TensorType, IsReadAsItIsWritten) {
  for (const TensorType& type : {TensorType{DataType::Float16, {{1, 64, 56, 56}}}, TensorType{DataType::Int64, {{}}},
                                 TensorType{DataType::BFloat16, {}}, TensorType{DataType::Unknown, {{3}}}}) {
    EXPECT_EQ(tensor_type(to_string(type)), type) << to_string(type);
  }
  for (const char* text :
       {"", "[", "]", "fp16", "fp16[1", "fp16[1,]", "fp16[,1]", "fp16[a]", "what[1]", "fp16[1] and more"}) {
    EXPECT_EQ(tensor_type(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace partita::detail::test
