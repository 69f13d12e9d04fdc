// SPDX-License-Identifier: Apache-2.0
// Graphs made of networks: outputs apart, shared weights, colours, unknown shapes; the backward pass; links; types.
#include "partita/cost/network_graph.h"

#include <gtest/gtest.h>

#include <set>

#include "partita/cost/backward_pass.h"
#include "partita/cost/convert_type.h"
#include "partita/cost/physical_links.h"
#include "partita/read/presets.h"
#include "tests/support/hand_made_network.h"

namespace partita::detail {
namespace {

constexpr double kPerByte = 0.5;

TEST(NetworkGraph, ANodeForEachOperatorAndInput) {
  const NetworkGraph made = graph_of_network(chain_of_four(), SharedWeights::Copied, kPerByte);
  ASSERT_EQ(made.graph.nodes.size(), 5u);
  EXPECT_EQ(made.graph.edges.size(), 4u);
  const Node& matmul = made.graph.nodes[made.node_of[OperatorId(0)]];
  EXPECT_EQ(matmul.name, "matmul");
  EXPECT_DOUBLE_EQ(matmul.parts.weights, 2 * 64 * 64);
  EXPECT_DOUBLE_EQ(*matmul.output_bytes, 2 * 32 * 64);
  for (const Edge& edge : made.graph.edges) EXPECT_DOUBLE_EQ(edge.cost, kPerByte * 2 * 32 * 64);
  EXPECT_DOUBLE_EQ(*made.work[made.node_of[OperatorId(0)]].bytes, 2 * (32 * 64 + 64 * 64 + 32 * 64));
  EXPECT_TRUE(made.notes.empty());
}

TEST(NetworkGraph, OutputsApartShareTheirOperatorsDeviceAndMoveOnce) {
  HandMadeNetwork net;
  const TensorId x = net.input("x", {8}), a = net.tensor("a", {4}), b = net.tensor("b", {2}), c = net.tensor("c", {4}),
                 d = net.tensor("d", {4});
  net.add("split", "Split", OperatorFamily::Movement, {x}, {a, b});
  net.add("left", "Relu", OperatorFamily::Elementwise, {a}, {c});
  net.add("right", "Relu", OperatorFamily::Elementwise, {a, b}, {d});
  const NetworkGraph made = graph_of_network(net.network(), SharedWeights::Copied, 1);
  ASSERT_EQ(made.graph.nodes.size(), 6u) << "the input, three operators, two outputs";
  const NodeId split = made.node_of[OperatorId(0)];
  const auto colour = made.graph.nodes[split].colour;
  ASSERT_TRUE(colour);
  EXPECT_EQ(made.graph.nodes[made.source[a]].colour, colour);
  EXPECT_EQ(made.graph.nodes[made.source[b]].colour, colour);
  EXPECT_FALSE(made.graph.nodes[made.node_of[OperatorId(1)]].colour);
  EXPECT_EQ(made.work[made.source[a]].family, OperatorFamily::View);
}

TEST(NetworkGraph, SharedWeightsAreCopiedOrKeepTheirUsersTogether) {
  HandMadeNetwork net;
  const TensorId x = net.input("x", {8}), a = net.tensor("a", {8}), b = net.tensor("b", {8});
  const WeightId w = net.weight("w", {1000, 1000});
  net.add("one", "MatMul", OperatorFamily::MatrixProduct, {x}, {a}, {w}, 1);
  net.add("two", "MatMul", OperatorFamily::MatrixProduct, {a}, {b}, {w}, 1);
  const NetworkGraph copied = graph_of_network(net.network(), SharedWeights::Copied, 1);
  for (OperatorId o : net.network().operators.all()) {
    EXPECT_DOUBLE_EQ(copied.graph.nodes[copied.node_of[o]].memory, 2e6);
    EXPECT_FALSE(copied.graph.nodes[copied.node_of[o]].colour);
  }
  ASSERT_EQ(copied.notes.size(), 1u);
  EXPECT_NE(copied.notes[0].find("has a copy"), std::string::npos);
  const NetworkGraph together = graph_of_network(net.network(), SharedWeights::Together, 1);
  EXPECT_TRUE(together.graph.nodes[together.node_of[OperatorId(0)]].colour);
  EXPECT_EQ(together.graph.nodes[together.node_of[OperatorId(0)]].colour,
            together.graph.nodes[together.node_of[OperatorId(1)]].colour);
}

TEST(NetworkGraph, FusedOperatorsShareADevice) {
  const std::vector<std::vector<OperatorId>> fused{{OperatorId(0), OperatorId(1)}};
  const NetworkGraph made = graph_of_network(chain_of_four(), SharedWeights::Copied, 1, fused);
  const auto colour = [&](std::size_t o) { return made.graph.nodes[made.node_of[OperatorId(o)]].colour; };
  EXPECT_TRUE(colour(0));
  EXPECT_EQ(colour(0), colour(1));
  EXPECT_FALSE(colour(2));
}

TEST(NetworkGraph, WhatIsNotKnownIsTold) {
  HandMadeNetwork net;
  const TensorId x = net.input("x", {8}), a = net.unknown_tensor("mystery"), b = net.tensor("b", {8});
  net.add("strange", "Strange", OperatorFamily::Other, {x}, {a});
  net.add("relu", "Relu", OperatorFamily::Elementwise, {a}, {b});
  const NetworkGraph made = graph_of_network(net.network(), SharedWeights::Copied, 1);
  EXPECT_FALSE(made.work[made.node_of[OperatorId(0)]].bytes);
  ASSERT_EQ(made.notes.size(), 2u);
  EXPECT_NE(made.notes[0].find("strange"), std::string::npos);
  EXPECT_NE(made.notes[1].find("mystery"), std::string::npos);
  EXPECT_EQ(made.graph.edges.back().cost, 0);
}

TEST(NetworkGraph, WeightsWithOddRowsAreMisalignedInFewBits) {
  HandMadeNetwork net;
  const TensorId x = net.input("x", {8, 1024}), y = net.tensor("y", {8, 50257}), z = net.tensor("z", {8, 50264});
  net.add("head", "MatMul", OperatorFamily::MatrixProduct, {x}, {y}, {net.weight("w", {1024, 50257})}, 1);
  net.add("padded", "MatMul", OperatorFamily::MatrixProduct, {x}, {z}, {net.weight("v", {1024, 50264})}, 1);
  const NetworkGraph made = graph_of_network(net.network(), SharedWeights::Copied, 1);
  EXPECT_TRUE(made.work[made.node_of[OperatorId(0)]].misaligned);
  EXPECT_FALSE(made.work[made.node_of[OperatorId(1)]].misaligned);
  for (Operator& op : net.network().operators) op.arithmetic = DataType::Float32;
  EXPECT_FALSE(graph_of_network(net.network(), SharedWeights::Copied, 1).work[NodeId(1)].misaligned);
}

NetworkGraph trained(const Network& network, Optimizer optimizer) {
  NetworkGraph made = graph_of_network(network, SharedWeights::Copied, 1);
  add_backward_pass(network, optimizer, made);
  return made;
}

NodeId mirror_of(const NetworkGraph& made, NodeId forward) {
  for (NodeId v : made.graph.nodes.all())
    if (made.mirror_of[v] == forward) return v;
  return NodeId();
}

TEST(BackwardPass, MirrorsEdgesAndAddsNoCycle) {
  const Network network = chain_of_four();
  const NetworkGraph made = trained(network, Optimizer::Adam);
  ASSERT_EQ(made.graph.nodes.size(), 9u) << "the input has no gradient";
  std::set<std::pair<NodeId, NodeId>> edges;
  for (const Edge& edge : made.graph.edges) edges.emplace(edge.from, edge.to);
  for (std::size_t o = 0; o + 1 < 4; ++o) {
    const NodeId here = made.node_of[OperatorId(o)], next = made.node_of[OperatorId(o + 1)];
    EXPECT_TRUE(edges.contains({mirror_of(made, next), mirror_of(made, here)}));
    EXPECT_TRUE(edges.contains({here, mirror_of(made, here)}));
    EXPECT_EQ(made.graph.nodes[here].colour, made.graph.nodes[mirror_of(made, here)].colour);
    EXPECT_TRUE(made.graph.nodes[mirror_of(made, here)].backward);
  }
  // No cycle: nodes without edges from nodes that are left can always be taken away.
  std::set<NodeId> left;
  for (NodeId v : made.graph.nodes.all()) left.insert(v);
  for (bool taken = true; taken;) {
    taken = false;
    for (NodeId v : std::vector<NodeId>(left.begin(), left.end())) {
      const bool waits =
          std::ranges::any_of(made.graph.edges, [&](const Edge& e) { return e.to == v && left.contains(e.from); });
      if (!waits) taken = left.erase(v) > 0 || taken;
    }
  }
  EXPECT_TRUE(left.empty());
}

TEST(BackwardPass, WorkByRule) {
  const Network network = chain_of_four();
  const NetworkGraph made = trained(network, Optimizer::Adam);
  const auto ratio = [&](std::size_t o) {
    const NodeId forward = made.node_of[OperatorId(o)];
    return *made.work[mirror_of(made, forward)].flops / *made.work[forward].flops;
  };
  EXPECT_DOUBLE_EQ(ratio(0), 1) << "the gradient of its weights alone: nothing before it is trained";
  EXPECT_DOUBLE_EQ(ratio(3), 2) << "of its weights and of what it read";
  EXPECT_DOUBLE_EQ(ratio(2), 1);
  const NodeId relu = made.node_of[OperatorId(2)];
  EXPECT_DOUBLE_EQ(*made.work[mirror_of(made, relu)].bytes, 2 * *made.work[relu].bytes);
}

TEST(BackwardPass, MemoryByOptimizer) {
  const Network network = chain_of_four();
  const NetworkGraph adam = trained(network, Optimizer::Adam), sgd = trained(network, Optimizer::Sgd);
  const MemoryParts& with_adam = adam.graph.nodes[adam.node_of[OperatorId(0)]].parts;
  const MemoryParts& with_sgd = sgd.graph.nodes[sgd.node_of[OperatorId(0)]].parts;
  constexpr double kParameters = 64 * 64;
  EXPECT_DOUBLE_EQ(with_adam.weights, 2 * kParameters);
  EXPECT_DOUBLE_EQ(with_adam.gradients, 2 * kParameters);
  EXPECT_DOUBLE_EQ(with_adam.optimizer_state, 12 * kParameters) << "two moments and a copy in fp32";
  EXPECT_DOUBLE_EQ(with_sgd.optimizer_state, 8 * kParameters);
  // The sum that an addition makes is read again by the ReLU; what the product makes is not read by the addition.
  EXPECT_DOUBLE_EQ(adam.graph.nodes[adam.node_of[OperatorId(0)]].parts.activation, 0);
  EXPECT_DOUBLE_EQ(adam.graph.nodes[adam.node_of[OperatorId(1)]].parts.activation, 2 * 32 * 64);
}

TEST(BackwardPass, LookupsOfIntegersScatterTheirGradients) {
  HandMadeNetwork net;
  const TensorId tokens = net.input("tokens", {16}, DataType::Int64), x = net.tensor("x", {16, 64});
  net.add("embedding", "Gather", OperatorFamily::Lookup, {tokens}, {x}, {net.weight("table", {100, 64})});
  const NetworkGraph made = trained(net.network(), Optimizer::Sgd);
  ASSERT_EQ(made.graph.nodes.size(), 3u) << "the tokens have no gradient";
  const NodeId mirror = mirror_of(made, made.node_of[OperatorId(0)]);
  ASSERT_TRUE(mirror.valid());
  EXPECT_EQ(made.work[mirror].family, OperatorFamily::Scatter);
  EXPECT_EQ(made.graph.edges.size(), 2u);
}

TEST(PhysicalLinks, TheFastestLinkHasFactorOne) {
  const PlatformSpec spec = compose_platform("a100-nvlink+t4");
  const double per_byte = cost_of_a_byte(spec.platform);
  const Platform relative = with_relative_links(spec.platform);
  for (ClassId c : spec.platform.classes.all()) {
    EXPECT_NEAR(per_byte * relative.classes[c].link_factor, 1e3 * spec.platform.classes[c].link_factor,
                1e-9 * per_byte * relative.classes[c].link_factor)
        << "the same time for a byte, in ms";
    EXPECT_DOUBLE_EQ(relative.classes[c].link_latency, 1e3 * spec.platform.classes[c].link_latency);
    EXPECT_GE(relative.classes[c].link_factor, 1 - 1e-12);
  }
}

TEST(ConvertType, FloatsBecomeOfTheTypeAndTheRestStays) {
  HandMadeNetwork net;
  const TensorId tokens = net.input("tokens", {16}, DataType::Int64), x = net.tensor("x", {16, 64}, DataType::Float32);
  net.add("embedding", "Gather", OperatorFamily::Lookup, {tokens}, {x},
          {net.weight("table", {100, 64}, DataType::Float32)});
  net.network().operators[OperatorId(0)].arithmetic = DataType::Float32;
  Network half = net.network(), eighth = net.network();
  convert_floats(half, DataType::Float16);
  EXPECT_EQ(half.tensors[x].type.type, DataType::Float16);
  EXPECT_EQ(half.tensors[tokens].type.type, DataType::Int64);
  EXPECT_DOUBLE_EQ(half.weights[WeightId(0)].bytes, 100 * 64 * 2);
  EXPECT_EQ(half.operators[OperatorId(0)].arithmetic, DataType::Float16);
  convert_floats(eighth, DataType::Int4);
  EXPECT_EQ(eighth.tensors[x].type.type, DataType::Float32) << "activations stay what they were";
  EXPECT_DOUBLE_EQ(eighth.weights[WeightId(0)].bytes, 100 * 64 / 2);
}

Network planes_of(std::int64_t side, DataType type = DataType::Float16) {
  HandMadeNetwork net;
  const TensorId x = net.input("x", {8, 32, side, side}, type), a = net.tensor("a", {8, 64, side, side}, type),
                 b = net.tensor("b", {8, 64, side, side}, type), c = net.tensor("c", {8, 64, side / 2, side / 2}, type),
                 d = net.tensor("d", {8, 128, side / 2, side / 2}, type);
  const double made = 8.0 * 64 * static_cast<double>(side * side);
  net.add("conv", "Conv", OperatorFamily::PointwiseConvolution, {x}, {a}, {net.weight("w", {64, 32, 1, 1}, type)},
          2 * made * 32);
  net.add("norm", "BatchNormalization", OperatorFamily::ChannelScaling, {a}, {b}, {net.weight("s", {64}, type)},
          2 * made);
  net.add("pool", "MaxPool", OperatorFamily::Pooling, {b}, {c});
  net.add("join", "Concat", OperatorFamily::Concatenation, {c, c}, {d});
  for (Operator& op : net.network().operators) op.arithmetic = type;
  net.network().operators[OperatorId(3)].inputs = {c, b};
  return net.network();
}

TEST(OperatorWork, ChainsItemsAndPiecesFollowFromShapes) {
  const NetworkGraph made = graph_of_network(planes_of(28), SharedWeights::Copied, kPerByte);
  const auto work = [&](std::size_t o) { return made.work[made.node_of[OperatorId(o)]]; };
  EXPECT_EQ(work(0).family, OperatorFamily::PointwiseConvolution);
  EXPECT_DOUBLE_EQ(work(0).chain, 32);
  EXPECT_DOUBLE_EQ(work(1).items, 8 * 64);
  EXPECT_EQ(work(1).chain, 0);
  EXPECT_DOUBLE_EQ(work(2).items, 8 * 64 * 14 * 14);
  EXPECT_DOUBLE_EQ(work(3).pieces, 2);
}

TEST(OperatorWork, OddPlanesAreNotLoadedAsTheyLie) {
  const auto family = [](std::int64_t side, DataType type) {
    const NetworkGraph made = graph_of_network(planes_of(side, type), SharedWeights::Copied, kPerByte);
    return made.work[made.node_of[OperatorId(0)]].family;
  };
  EXPECT_EQ(family(28, DataType::Float16), OperatorFamily::PointwiseConvolution);
  EXPECT_EQ(family(14, DataType::Float16), OperatorFamily::OddConvolution);
  EXPECT_EQ(family(35, DataType::BFloat16), OperatorFamily::OddConvolution);
  EXPECT_EQ(family(35, DataType::Float32), OperatorFamily::PointwiseConvolution);
}

TEST(OperatorWork, BatchNormsComputeTheirStatisticsInTraining) {
  const Network network = planes_of(28);
  NetworkGraph made = graph_of_network(network, SharedWeights::Copied, kPerByte);
  const NodeId norm = made.node_of[OperatorId(1)], pool = made.node_of[OperatorId(2)];
  const double inference = *made.work[norm].bytes, planes = 2.0 * 8 * 64 * 28 * 28;
  add_backward_pass(network, Optimizer::Adam, made);
  EXPECT_EQ(made.work[norm].family, OperatorFamily::BatchNormalization);
  EXPECT_EQ(made.graph.nodes[norm].facts.family, "batch normalization");
  EXPECT_DOUBLE_EQ(*made.work[norm].bytes, inference + planes);
  EXPECT_DOUBLE_EQ(made.work[norm].chain, 8 * 28 * 28);
  std::size_t mirrored = 0;
  for (NodeId v : made.graph.nodes.all()) {
    if (made.mirror_of[v] == norm) {
      ++mirrored;
      EXPECT_EQ(made.work[v].family, OperatorFamily::BatchNormalization);
      EXPECT_TRUE(made.work[v].backward);
      EXPECT_DOUBLE_EQ(made.work[v].chain, 8 * 28 * 28);
    }
    if (made.mirror_of[v] == pool) {
      ++mirrored;
      EXPECT_DOUBLE_EQ(made.work[v].items, 8 * 64 * 28 * 28) << "a gradient for each element that it read";
    }
  }
  EXPECT_EQ(mirrored, 2u);
}

}  // namespace
}  // namespace partita::detail
