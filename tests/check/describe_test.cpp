// SPDX-License-Identifier: Apache-2.0
#include "partita/check/describe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include "partita/check/narrow_table.h"

#include "partita/check/names.h"
#include "tests/check/check_fixture.h"

namespace partita::detail {
namespace {

void expect_described(const Problem& problem, std::string_view split, const std::string& table,
                      const std::string& verdict) {
  const CheckReport report = check_text(problem, split);
  EXPECT_EQ(describe_table(problem, report), table);
  EXPECT_EQ(describe_verdict(problem, report), verdict);
}

TEST(Describe, AStagedSplitInPipelineOrder) {
  const Problem problem = problem_of(
      graph_from_text("a 3 30 mem=1073741824 out=0.5; b 12.25 20 mem=524288 out=1; c 5 5; a -> b -> c", 5, 2e9, 2));
  expect_described(problem, "b | a | | | | c",
                   "stage  device            load  compute      in     out     memory  nodes\n"
                   "    1  accelerator 1   3.5000   3.0000  0.0000  0.5000    1.0 GiB      1\n"
                   "    2  accelerator 0  13.7500  12.2500  0.5000  1.0000  512.0 KiB      1  <- bottleneck\n"
                   "    3  host 0          5.0000   5.0000       -       -        0 B      1\n"
                   "empty: accelerator 2-4, host 1\n",
                   "value: 13.75 (max-load, staged)\nlegal\n");
}

TEST(Describe, TimesHaveTheirUnitInTheHead) {
  Problem problem = problem_of(graph_from_text("a 3 30; b 2 20; a -> b : 0.5", 2, 2e9, 1));
  problem.workload.change().time_unit = "ms";
  const CheckReport report = check_text(problem, "a | b");
  EXPECT_TRUE(describe_table(problem, report).starts_with("stage  device         load [ms]  compute"))
      << describe_table(problem, report);
  EXPECT_EQ(describe_verdict(problem, report), "value: 3.5 ms (max-load, staged)\nlegal\n");
  EXPECT_EQ(describe_problem(problem), "max-load, staged, 2 accelerators of 1.863 GiB, 1 host");
  problem.objective = Objective::Latency;
  const CheckReport timed = check_text(problem, "a | b");
  EXPECT_NE(describe_schedule(problem, timed).find("start [ms]"), std::string::npos);
}

TEST(Describe, TrainingShowsBothPasses) {
  Problem problem = problem_of(graph_from_text("a 300 0 out=100; A 25 0 back; a -> A", 2, kUnlimited, 0), Shape::Free,
                               Objective::GPipe);
  problem.transfers = TransferMode::Overlap;
  problem.backward_shape = true;
  expect_described(
      problem, "a | A",
      "device            load  forward  backward  compute       in      out  memory  nodes\n"
      "accelerator 0  300.000  300.000     0.000  300.000    0.000  100.000     0 B      1  <- bottleneck\n"
      "accelerator 1  125.000  100.000    25.000   25.000  100.000    0.000     0 B      1\n",
      "value: 325 (gpipe, free, backward shape, transfers overlap)\nlegal\n");
}

TEST(Describe, LatencyShowsWhen) {
  const Problem problem =
      problem_of(graph_from_text("s - 2 out=1; a 3 -; s -> a", 1), Shape::Staged, Objective::Latency);
  expect_described(problem, "a | s",
                   "device            load  compute       in      out    start   finish  memory  nodes\n"
                   "accelerator 0  4.00000  3.00000  1.00000  0.00000  2.00000  6.00000     0 B      1\n"
                   "host 0         2.00000  2.00000        -        -  0.00000  2.00000     0 B      1\n",
                   "value: 6 (latency, 1 host core busy at once)\nlegal\n");
}

TEST(Describe, TheScheduleOfOneSample) {
  Problem problem =
      problem_of(graph_from_text("s - 2 out=1; a 3 - out=1; b 1 - out=1; t - 4; c 1 -; s -> a -> b -> c; s -> t", 2),
                 Shape::Staged, Objective::Latency);
  problem.subgraphs = 2;
  const CheckReport report = check_text(problem, "a / c | b | s t");
  EXPECT_EQ(describe_schedule(problem, report),
            "schedule of one sample:\n"
            "  start   finish  what runs                  nodes\n"
            " 0.0000   6.0000  hosts                          2\n"
            " 2.0000   7.0000  accelerator 0, subgraph 0      1\n"
            " 7.0000  10.0000  accelerator 1                  1\n"
            "10.0000  12.0000  accelerator 0, subgraph 1      1\n"
            "1 host core busy at once, of 1\n");
  EXPECT_EQ(describe_verdict(problem, report),
            "value: 12 (latency, up to 2 subgraphs, 1 host core busy at once)\nlegal\n");
}

TEST(Describe, TheScheduleNamesPasses) {
  const Problem problem =
      problem_of(graph_from_text("a 3 0; A 1 0 back; a -> A", 1, kUnlimited, 0), Shape::Staged, Objective::Latency);
  EXPECT_EQ(describe_schedule(problem, check_text(problem, "a A")),
            "schedule of one sample:\n"
            "  start   finish  what runs                nodes\n"
            "0.00000  3.00000  accelerator 0, forward       1\n"
            "3.00000  4.00000  accelerator 0, backward      1\n");
}

TEST(Describe, HostsAreBusyInPeriods) {
  const Problem problem =
      problem_of(graph_from_text("a - 2; z - 0; b - 1; x 3 -; c - 1; a -> x -> c", 1, kUnlimited, 3), Shape::Staged,
                 Objective::Latency);
  EXPECT_EQ(describe_schedule(problem, check_text(problem, "x | a z b c")),
            "schedule of one sample:\n"
            "  start   finish  what runs      nodes\n"
            "0.00000  2.00000  hosts              2\n"
            "2.00000  5.00000  accelerator 0      1\n"
            "5.00000  6.00000  hosts              1\n"
            "2 host cores busy at once, of 3\n");
}

TEST(Describe, ALongScheduleIsCut) {
  std::string nodes;
  std::string split;
  for (int i = 0; i < 100; ++i) {
    const std::string name = std::to_string(i);
    nodes += name + " 1 1;";
    split += " | " + name;
  }
  const Problem problem = problem_of(graph_from_text(nodes, 101), Shape::Staged, Objective::Latency);
  const std::string text = describe_schedule(problem, check_text(problem, split));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 1 + 30 + 1);
  EXPECT_TRUE(text.ends_with("\n... and 70 more\n")) << text;
}

TEST(Describe, WarnsOfMoreBusyCoresThanHosts) {
  Problem problem = problem_of(graph_from_text("a - 1; b - 2", 1), Shape::Staged, Objective::Latency);
  EXPECT_EQ(
      describe_schedule(problem, check_text(problem, "| a b")),
      "schedule of one sample:\n"
      "  start   finish  what runs  nodes\n"
      "0.00000  2.00000  hosts          2\n"
      "warning: 2 host nodes run at once, but there is 1 host; Question::strict_host_cores makes nodes wait for a free "
      "one\n");
  problem.strict_host_cores = true;
  EXPECT_EQ(describe_schedule(problem, check_text(problem, "| a b")),
            "schedule of one sample:\n"
            "  start   finish  what runs  nodes\n"
            "0.00000  3.00000  hosts          2\n"
            "1 host core busy at once, of 1\n");
  EXPECT_EQ(describe_verdict(problem, check_text(problem, "| a b")),
            "value: 3 (latency, strict host cores, 1 host core busy at once)\nlegal\n");
}

TEST(Describe, WithoutASampleThereIsNoSchedule) {
  const Workload workload = graph_from_text("a 1 1; b 1 1; c 1 1; a -> b -> c");
  EXPECT_EQ(describe_schedule(problem_of(workload), check_text(problem_of(workload), "a | b c")), "");
  const Problem latency = problem_of(workload, Shape::Staged, Objective::Latency);
  EXPECT_EQ(describe_schedule(latency, check_text(latency, "a c | b")), "");
}

TEST(Describe, ViolationsOneToALine) {
  const Problem problem = problem_of(graph_from_text("a 1 1 mem=3; b - 1", 1, 2, 0));
  const CheckReport report = check_text(problem, "a b");
  EXPECT_EQ(
      describe_table(problem, report),
      "stage  device            load  compute       in      out  memory  nodes\n"
      "    1  accelerator 0  1.00000  1.00000  0.00000  0.00000     3 B      2  <- bottleneck, over its memory\n");
  EXPECT_EQ(describe_verdict(problem, report),
            "value: 1 (max-load, staged)\n"
            "not legal: 2 violations\n"
            "  memory: accelerator 0 holds 3 B (3 bytes), over its limit of 2 B (2 bytes) by 1 B (1 bytes)\n"
            "  support: accelerator 0 cannot run 1 of its nodes: 2 (b)\n");
}

TEST(Describe, ANarrowTableHasSignsInPlaceOfWords) {
  const Problem problem = problem_of(graph_from_text("a 1 1 mem=3; b - 1", 1, 2, 0));
  const CheckReport report = check_text(problem, "a b");
  EXPECT_EQ(describe_table(problem, report, 70),
            "stage  device          load  compute     in    out  memory  nodes\n"
            "    1  accelerator 0  1.000    1.000  0.000  0.000     3 B      2  *!\n"
            "* the bottleneck, ! over its memory\n");
}

TEST(Describe, TimesFarFromOneHaveExponents) {
  const Problem problem = problem_of(graph_from_text("a 3e-200 1; b 1e-200 1", 2, 2, 0));
  const std::string table = describe_table(problem, check_text(problem, "a | b"));
  EXPECT_NE(table.find("3.00000e-200"), std::string::npos) << table;
}

TEST(Describe, ManyViolationsOfAKindAreCounted) {
  std::string text;
  std::string first;
  std::string second;
  for (int i = 0; i < 25; ++i) {
    const std::string n = std::to_string(i);
    text += "a" + n + " 1 1 colour=" + n + "; b" + n + " 1 1 colour=" + n + ";";
    first += " a" + n;
    second += " b" + n;
  }
  const Problem problem = problem_of(graph_from_text(text));
  const std::string verdict = describe_verdict(problem, check_text(problem, first + " | " + second));
  EXPECT_NE(verdict.find("not legal: 25 violations\n"), std::string::npos);
  EXPECT_NE(verdict.find("  colour: 5 more of this kind\n"), std::string::npos);
}

TEST(Describe, ASplitThatCannotRunHasNoValue) {
  const Problem problem =
      problem_of(graph_from_text("a 1 1; b 1 1; c 1 1; a -> b -> c"), Shape::Staged, Objective::Latency);
  const std::string verdict = describe_verdict(problem, check_text(problem, "a c | b"));
  EXPECT_TRUE(verdict.starts_with("value: none (latency)\nnot legal: 1 violation\n  shape: ")) << verdict;
}

TEST(Describe, ASplitOfNothing) {
  const Problem problem = problem_of(graph_from_text("a 1 1"));
  EXPECT_EQ(describe_table(problem, check(problem, Split{})), "empty: accelerator 0-1, host 0\n");
}

// Two classes with names of their own; a stage on three devices, the original between its copies.
Problem pipeline_problem() {
  Problem problem = problem_of(graph_from_text("a 12 30 mem=8 out=3; b 6 20 mem=4; a -> b", 5, 2048, 1));
  Platform& platform = problem.workload.change().platform;
  platform.classes[ClassId(0)].name = "gpu";
  platform.classes[ClassId(1)].name = "cpu";
  platform.sync_bandwidth = 4;
  for (Node& node : problem.workload.change().graph.nodes) node.parts = {node.memory, 2 * node.memory, 100, 10};
  problem.replicas = 3;
  return problem;
}

Split pipeline_split() {
  Split split;
  const DeviceId original(2);
  split.device_of = {original, DeviceId(3)};
  split.order = {original, DeviceId(3)};
  split.copy_of = {original, DeviceId(), original, DeviceId(), original, DeviceId()};
  return split;
}

TEST(Describe, DevicesThatShareAStageHaveOneRow) {
  const Problem problem = pipeline_problem();
  const CheckReport report = check(problem, pipeline_split());
  EXPECT_EQ(describe_workload(problem), "text: 2 nodes, 1 edge; 5 x gpu of 2048 bytes, 1 x cpu");
  EXPECT_EQ(describe_table(problem, report),
            "stage  device           load  compute       in      out     sync  memory  nodes\n"
            "    1  gpu 0,2,4 x3  6.33333  4.00000  0.00000  1.00000  1.33333     8 B      1\n"
            "    2  gpu 3         9.00000  6.00000  3.00000  0.00000        -     4 B      1  <- bottleneck\n"
            "xN: N devices run copies of the stage in turns; their times are averages over all samples\n"
            "empty: gpu 1, cpu 0\n");
  EXPECT_EQ(describe_memory(problem, report), "") << "the flat model has nothing to add";
  EXPECT_EQ(describe_verdict(problem, report), "value: 9 (max-load, staged, up to 3 devices to a stage)\nlegal\n");
}

TEST(Describe, TheBottleneckMayShareItsStage) {
  Problem problem = pipeline_problem();
  problem.workload.change().graph.nodes[NodeId(1)].time = {1, 1};
  CheckReport report = check(problem, pipeline_split());
  const std::string table = describe_table(problem, report);
  report.bottleneck = DeviceId(0);  // a copy, as slow as its original
  EXPECT_EQ(describe_table(problem, report), table);
  EXPECT_NE(table.find("1  <- bottleneck\n    2"), std::string::npos) << table;
}

TEST(Describe, MemoryInFlightHasATableOfItsOwn) {
  Problem problem = pipeline_problem();
  problem.memory_model = MemoryModel::OneF1B;
  problem.recompute = true;
  problem.workload.change().platform.classes[ClassId(0)].memory = 120;
  Split split = pipeline_split();
  split.recomputes = {0, 0, 0, 1, 0, 0};
  const CheckReport report = check(problem, split);
  EXPECT_EQ(describe_table(problem, report).find("memory"), std::string::npos);
  EXPECT_EQ(describe_memory(problem, report),
            "memory (1f1b, at most 120 bytes each):\n"
            "stage  device        weights  optimizer  per sample  in flight  recomputing  memory\n"
            "    1  gpu 0,2,4 x3      8 B       16 B       100 B          2            -   224 B  <- over\n"
            "    2  gpu 3             4 B        8 B        10 B          1        100 B   122 B  <- over\n");
  problem.memory_model = MemoryModel::GPipe;
  problem.microbatches = 4;
  problem.recompute = false;
  problem.workload.change().platform.classes[ClassId(0)].memory = kUnlimited;
  const CheckReport gpipe = check(problem, pipeline_split());
  EXPECT_EQ(describe_memory(problem, gpipe),
            "memory (gpipe):\n"
            "stage  device        weights  optimizer  per sample  in flight  memory\n"
            "    1  gpu 0,2,4 x3      8 B       16 B       100 B          4   424 B\n"
            "    2  gpu 3             4 B        8 B       100 B          4   412 B\n");
  EXPECT_EQ(describe_verdict(problem, gpipe),
            "value: 9 (max-load, staged, up to 3 devices to a stage, memory gpipe, microbatches 4)\nlegal\n");
}

TEST(Describe, DevicesWithLimitsOfTheirOwnHaveAColumnOfThem) {
  Problem problem = pipeline_problem();
  problem.memory_model = MemoryModel::OneF1B;
  Split split;
  split.device_of = {DeviceId(0), DeviceId(5)};
  split.order = {DeviceId(0), DeviceId(5)};
  const std::string table = describe_memory(problem, check(problem, split));
  EXPECT_NE(table.find("memory    limit\n"), std::string::npos) << table;
}

TEST(Describe, TheWidestTableFitsAnyTerminal) {
  Problem problem =
      problem_of(graph_from_text("a 123 0 colour=1 mem=700000000; A 456 0 back colour=1; a -> A", 3, 2e9, 0));
  problem.workload.change().graph.nodes[NodeId(0)].parts.weights = 30;
  problem.replicas = 3;
  problem.workload.change().platform.sync_bandwidth = 1;
  Split split;
  split.device_of = {DeviceId(0), DeviceId(0)};
  split.copy_of = IdVector<DeviceId, DeviceId>(3, DeviceId(0));
  const CheckReport report = check(problem, split);
  const std::string table = describe_table(problem, report, 115);
  EXPECT_TRUE(table.starts_with(
      "stage  device                 load  forward  backward  compute     in    out    sync     memory  nodes\n"
      "    1  accelerator 0-2 x3  213.000   41.000   152.000  193.000  0.000  0.000  20.000  667.6 MiB      2  *\n"))
      << table;
  for (const std::size_t width : {60u, 80u, 100u, 120u}) {
    EXPECT_LE(widest_line(describe_table(problem, report, width)), width);
    EXPECT_NE(describe_table(problem, report, width).find("667.6 MiB"), std::string::npos);
  }
}

TEST(Describe, ClustersAreCounted) {
  Problem problem = problem_of(graph_from_text("a 1 1", 4, kUnlimited, 1));
  const Cluster half{0.5, {2, 0}, {}};
  problem.workload.change().platform.clusters = Cluster{1, {0, 1}, {half, half}};
  EXPECT_EQ(describe_workload(problem), "text: 1 node, 0 edges; 4 accelerators, 1 host in 2 clusters");
}

TEST(Names, Bytes) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1024), "1.0 KiB");
  EXPECT_EQ(human_bytes(1024 * 1024 - 1), "1.0 MiB");
  EXPECT_EQ(human_bytes(17179869184.0), "16.0 GiB");
  EXPECT_EQ(human_bytes(1e30), "888178419700125.2 PiB");
  EXPECT_EQ(human_bytes(kUnlimited), "unlimited");
}

}  // namespace
}  // namespace partita::detail
