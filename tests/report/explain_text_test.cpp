// SPDX-License-Identifier: Apache-2.0
// What the times of operators are made of, and nodes as people name them.
#include "partita/report/explain_text.h"

#include <gtest/gtest.h>

#include "partita/model/named_nodes.h"
#include "tests/support/graph_text.h"

namespace partita::detail {
namespace {

// A product that is bound by arithmetic on a device of 1 TFLOP/s and 1 TB/s, a sum that is bound by memory, a reshape.
Workload three_operators() {
  Workload workload =
      graph_from_text("block/mm 2 - mem=4096; block/add 0.5 -; view 0 -; block/mm -> block/add -> view", 1, 1e9, 0);
  workload.time_unit = "ms";
  auto& nodes = workload.graph.nodes;
  nodes[NodeId(0)].op = "MatMul";
  nodes[NodeId(0)].facts = {CostSource::Calibrated, "matrix product", 1.5e9, 4e6, "fp16[8,128]"};
  nodes[NodeId(0)].parts.weights = 4096;
  nodes[NodeId(1)].op = "Add";
  nodes[NodeId(1)].facts = {CostSource::Default, "elementwise", 1e6, 4e8, "fp16[8,128]"};
  nodes[NodeId(2)].op = "Reshape";
  nodes[NodeId(2)].facts = {CostSource::Roofline, "view", 0, 0, "fp16[1024]"};
  return workload;
}

IdVector<ClassId, DeviceRates> rates(double launch = 1e-6) {
  const DeviceRates device{{{DataType::Float16, 1e12}}, 1e12, launch};
  IdVector<ClassId, DeviceRates> all;
  all.push_back(device);
  all.push_back(device);
  return all;
}

TEST(Explain, AllOperatorsMostExpensiveFirstThenSums) {
  EXPECT_EQ(
      explain_text(three_operators(), {.rates = rates()}),
      "operator   op       family          output            FLOP      moves  weights  accelerator  bound by  source\n"
      "block/mm   MatMul   matrix product  fp16[8,128]  1.5 GFLOP    3.8 MiB  4.0 KiB         2 ms  compute   "
      "calibrated\n"
      "block/add  Add      elementwise     fp16[8,128]    1 MFLOP  381.5 MiB        -       500 us  memory    default\n"
      "view       Reshape  view            fp16[1024]      0 FLOP        0 B        -            0  -         "
      "roofline\n"
      "\n"
      "by family       operators       FLOP    time   share\n"
      "matrix product          1  1.5 GFLOP    2 ms  80.0 %\n"
      "elementwise             1    1 MFLOP  500 us  20.0 %\n"
      "view                    1     0 FLOP       0   0.0 %\n"
      "\n"
      "by source   operators       FLOP    time   share\n"
      "calibrated          1  1.5 GFLOP    2 ms  80.0 %\n"
      "default             1    1 MFLOP  500 us  20.0 %\n"
      "roofline            1     0 FLOP       0   0.0 %\n");
}

TEST(Explain, OneOperatorInWords) {
  EXPECT_EQ(explain_text(three_operators(), {.nodes = std::vector{NodeId(0)}, .rates = rates()}),
            "operator             block/mm, id 1\n"
            "op                   MatMul\n"
            "family               matrix product\n"
            "output               fp16[8,128]\n"
            "FLOP                 1.5 GFLOP\n"
            "moves                3.8 MiB from and to the device's memory\n"
            "memory               4.0 KiB\n"
            "time on accelerator  2 ms, bound by compute\n"
            "source               calibrated: estimated, with the efficiency of measured operators of its family\n");
}

TEST(Explain, GivenTimesHaveNoMoreThanTheyHave) {
  EXPECT_EQ(explain_text(graph_from_text("a 3 30; b 2 -; a -> b : 1", 1)),
            "operator  accelerator        host\n"
            "a                   3          30\n"
            "b                   2  cannot run\n"
            "\n"
            "by source  operators  time    share\n"
            "given              2     5  100.0 %\n");
}

TEST(Explain, ManyOperatorsAreCutButNotWhenAskedFor) {
  std::string graph;
  for (int i = 0; i < 30; ++i) graph += "n" + std::to_string(i) + " " + std::to_string(i) + " 1;";
  const Workload workload = graph_from_text(graph, 1, 1, 0);
  const std::string few = explain_text(workload);
  EXPECT_NE(few.find("\nn29 "), std::string::npos) << few;
  EXPECT_EQ(few.find("\nn9 "), std::string::npos) << few;
  EXPECT_NE(few.find("\nand 10 more operators\n"), std::string::npos) << few;
  const std::string all = explain_text(workload, {.nodes = named_nodes(workload.graph, "*")});
  EXPECT_NE(all.find("\nn9 "), std::string::npos) << all;
  EXPECT_EQ(all.find("more operators"), std::string::npos) << all;
}

TEST(Explain, WhatBoundsATimeIsSaidWhereItIsKnown) {
  Workload workload = three_operators();
  const auto bound = [&](NodeId v, const auto& known) { return bound_of(workload, v, ClassId(0), known); };
  EXPECT_EQ(bound(NodeId(0), rates()), TimeBound::Compute);
  EXPECT_EQ(bound(NodeId(1), rates()), TimeBound::Memory);
  EXPECT_EQ(bound(NodeId(1), rates(0.25e-3)), TimeBound::Launch) << "half of the time";
  EXPECT_EQ(bound(NodeId(1), rates(0.24e-3)), TimeBound::Memory);
  EXPECT_EQ(bound(NodeId(2), rates()), std::nullopt) << "it takes no time";
  EXPECT_EQ(bound(NodeId(0), IdVector<ClassId, DeviceRates>()), std::nullopt);
  EXPECT_EQ(bound_of(workload, NodeId(0), ClassId(1), rates()), std::nullopt) << "it cannot run there";
  workload.graph.nodes[NodeId(0)].facts.flops.reset();
  EXPECT_EQ(bound(NodeId(0), rates()), std::nullopt);
  workload.time_unit = "";
  EXPECT_EQ(bound(NodeId(1), rates()), std::nullopt);
}

TEST(Explain, NumbersHaveTheUnitThatSuitsThem) {
  EXPECT_EQ(flops_text(8.17e9), "8.17 GFLOP");
  EXPECT_EQ(flops_text(999.6e6), "1 GFLOP");
  EXPECT_EQ(flops_text(2), "2 FLOP");
  EXPECT_EQ(flops_text(0), "0 FLOP");
  EXPECT_EQ(short_time_text(0.0781, "ms"), "78.1 us");
  EXPECT_EQ(short_time_text(1500, "us"), "1.5 ms");
  EXPECT_EQ(short_time_text(1e-4, "ns"), "0.0001 ns");
  EXPECT_EQ(short_time_text(1500, ""), "1500");
}

TEST(NamedNodes, ByNameByIdByPattern) {
  Workload workload = graph_from_text("a/attn/q 1 1 id=10; a/attn/k 1 1 id=20; 10 1 1 id=30; x[0] 1 1 id=40");
  const auto found = [&](const std::string& name) {
    std::vector<std::int64_t> ids;
    for (NodeId v : named_nodes(workload.graph, name)) ids.push_back(workload.graph.nodes[v].original_id);
    return ids;
  };
  using Ids = std::vector<std::int64_t>;
  EXPECT_EQ(found("a/attn/k"), Ids{20});
  EXPECT_EQ(found("20"), Ids{20});
  EXPECT_EQ(found("10"), Ids{30}) << "a name comes before an id";
  EXPECT_EQ(found("x[0]"), Ids{40}) << "a name comes before a pattern";
  EXPECT_EQ(found("*attn*"), (Ids{10, 20}));
  EXPECT_EQ(found("a/attn/?"), (Ids{10, 20}));
  EXPECT_EQ(found("*"), (Ids{10, 20, 30, 40}));
  EXPECT_EQ(found("attn"), Ids{});
  EXPECT_EQ(found("50"), Ids{});
  EXPECT_EQ(nearest_node_name(workload.graph, "a/atn/q"), "a/attn/q");
  EXPECT_EQ(nearest_node_name(workload.graph, "something else"), std::nullopt);
}

}  // namespace
}  // namespace partita::detail
