// SPDX-License-Identifier: Apache-2.0
// The data of a page, read back and compared with what it was made from.
#include "partita/report/page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "partita/check/describe.h"
#include "partita/report/page/page_program.h"
#include "partita/report/page/sections.h"
#include "partita/util/version.h"
#include "tests/report/page_answer.h"
#include "tests/support/cases.h"
#include "tests/support/random_setup.h"
#include "tests/support/random_split.h"

namespace partita::detail {
namespace {

TEST(Page, SaysWhatWasAskedOfWhom) {
  const Answer answer(kTraining, kTrainingSplit);
  const Json page = answer.page();
  EXPECT_EQ(page.at("version"), 2);
  EXPECT_EQ(page.at("program"), std::string("partita ") + version());
  EXPECT_EQ(page.at("command"), "plan");
  EXPECT_EQ(page.at("title"), "by hand");
  EXPECT_EQ(page.at("subject"), describe_workload(answer.problem));
  EXPECT_EQ(page.at("question"),
            Json::parse(R"({"objective": "max-load", "shape": "staged", "transfers": "sum", "training": true,
                            "memoryModel": "flat"})"));
  EXPECT_EQ(page.at("classes"), Json({"accelerator", "host"}));
  ASSERT_EQ(page.at("devices").size(), 4);
  EXPECT_EQ(page.at("devices")[3], Json::parse(R"({"name": "host 0", "kind": "host", "class": 1, "memory": null})"));
  for (const char* absent : {"timeline", "convergence", "comparison", "sweep"}) EXPECT_FALSE(page.contains(absent));
}

TEST(Page, GraphIsTheInputInColumns) {
  const Answer answer(kTraining, kTrainingSplit);
  const Json graph = answer.page().at("graph");
  EXPECT_EQ(graph.at("id"), Json({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(graph.at("name"), Json({"a", "b", "c", "d", "e", "f"}));
  EXPECT_EQ(graph.at("time"), Json::parse("[[1, 2, 3, 4, 5, 6], [9, 9, 9, null, 9, 9]]"));
  EXPECT_EQ(graph.at("memory"), Json({7, 0, 0, 0, 0, 0}));
  EXPECT_EQ(graph.at("backward"), Json({4, 5}));
  EXPECT_EQ(graph.at("edgeFrom"), Json({0, 1, 2, 1, 3, 4, 1}));
  EXPECT_EQ(graph.at("edgeTo"), Json({1, 2, 3, 3, 4, 5, 5}));
  EXPECT_EQ(graph.at("edgeCost"), Json({1, 2, 4, 2, 8, 16, 2}));
}

TEST(Page, PiecesAreInPipelineOrderAndKnowTheirDevices) {
  const Answer answer(kTraining, kTrainingSplit);
  const Json graph = answer.page().at("graph");
  EXPECT_EQ(graph.at("piece"), Json({0, 0, 1, 2, 3, 4}));
  const Json& pieces = graph.at("pieces");
  ASSERT_EQ(pieces.size(), 5);
  EXPECT_EQ(pieces[2].at("device"), 2);
  EXPECT_EQ(pieces[2].at("after"), Json({0, 1}));
  EXPECT_EQ(pieces[4].at("device"), 0);
  EXPECT_EQ(pieces[4].at("backward"), true);
  EXPECT_EQ(pieces[4].at("nodes"), 1);
  EXPECT_EQ(pieces[4].at("compute"), 6);
  EXPECT_EQ(pieces[4].at("in"), 16);
  EXPECT_EQ(pieces[4].at("out"), 0);
}

TEST(Page, NodesAreDrawnInTheBoxesOfTheirPieces) {
  const Answer answer(kTraining, kTrainingSplit);
  const Json graph = answer.page().at("graph");
  for (std::size_t v = 0; v < graph.at("x").size(); ++v) {
    const Json& box = graph.at("pieces")[graph.at("piece")[v].get<std::size_t>()];
    const auto inside = [&](const char* coordinate, const char* from, const char* extent) {
      const double distance = graph.at(coordinate)[v].get<double>() - box.at(from).get<double>();
      return distance >= 0.5 && distance <= box.at(extent).get<double>() - 0.5;
    };
    EXPECT_TRUE(inside("x", "left", "width")) << v;
    EXPECT_TRUE(inside("y", "top", "height")) << v;
  }
}

TEST(Page, PlanHasTheResultAndTheLoadsInPipelineOrder) {
  Answer answer(kTraining, "c | a b f | d e");
  answer.result.proof = "by thought";
  answer.result.seconds = 0.25;
  const Json plan = answer.page().at("plan");
  EXPECT_EQ(plan.at("status"), "feasible");
  EXPECT_EQ(plan.at("value"), answer.report.value);
  EXPECT_EQ(plan.at("gap"), 0.5);
  EXPECT_EQ(plan.at("proof"), "by thought");
  EXPECT_EQ(plan.at("seconds"), 0.25);
  EXPECT_EQ(plan.at("order"), Json({1, 0, 2}));
  EXPECT_TRUE(plan.at("hostCores").is_null());
  ASSERT_EQ(plan.at("loads").size(), 3);
  EXPECT_EQ(plan.at("loads")[0], Json::parse(R"({"device": 1, "load": 27,
      "forward": {"compute": 3, "in": 0, "out": 2}, "backward": {"compute": 6, "in": 16, "out": 0},
      "sync": 0, "sharing": 1, "copyOf": null, "recomputes": false, "memory": 7, "memoryItems": null, "nodes": 3})"));
  EXPECT_EQ(plan.at("loads")[1].at("device"), 0);
  EXPECT_EQ(plan.at("loads")[2].at("device"), 2);
}

TEST(Page, CutsOfTheBottleneckAreThereMostExpensiveFirst) {
  const Answer answer(kTraining, kTrainingSplit);
  const Json plan = answer.page().at("plan");
  EXPECT_EQ(plan.at("bottleneck"), 2);
  EXPECT_EQ(plan.at("cuts"), Json::parse(R"([
      {"node": 4, "direction": "out", "cost": 16, "devices": [0], "backward": true},
      {"node": 2, "direction": "in", "cost": 4, "devices": [1], "backward": false},
      {"node": 1, "direction": "in", "cost": 2, "devices": [0], "backward": false}])"));
  EXPECT_EQ(plan.at("cutsLeftOut"), Json::parse(R"({"count": 0, "cost": 0})"));
}

TEST(Page, CutsNameAllReadersOrThoseOfTheEdge) {
  // `a` moves once and is read on two devices; the edges of `b` differ, so that each is a transfer of its own.
  const Answer answer("a 50 99 out=3; b 50 99; c 1 99; d 1 99; a -> c d; b -> c : 1; b -> d : 2", "a b | c | d");
  EXPECT_EQ(answer.page().at("plan").at("cuts"), Json::parse(R"([
      {"node": 0, "direction": "out", "cost": 3, "devices": [1, 2], "backward": false},
      {"node": 1, "direction": "out", "cost": 2, "devices": [2], "backward": false},
      {"node": 1, "direction": "out", "cost": 1, "devices": [1], "backward": false}])"));
}

TEST(Page, ManyCutsAreSummedUp) {
  std::string graph = "z 1 9";
  std::string split = "z |";
  for (int i = 0; i < 60; ++i) {
    graph += fmt::format("; n{0} 0 9 out={1}; n{0} -> z", i, i + 1);
    split += fmt::format(" n{}", i);
  }
  const Json plan = Answer(graph, split).page().at("plan");
  ASSERT_EQ(plan.at("cuts").size(), 50);
  EXPECT_EQ(plan.at("cuts")[0].at("cost"), 60);
  EXPECT_EQ(plan.at("cutsLeftOut"), Json::parse(R"({"count": 10, "cost": 55})"));
}

TEST(Page, CutsOfRandomSplitsAddUpToWhatCheckSays) {
  std::size_t with_cuts = 0;
  for (std::uint64_t seed = 1; seed <= test::cases(1000); ++seed) {
    Answer answer;
    answer.problem = random_setup(seed);
    std::mt19937 engine(static_cast<unsigned>(seed));
    answer.result.split = random_split(answer.problem, engine);
    answer.report = check(answer.problem, *answer.result.split);
    if (!answer.report.legal()) continue;
    answer.answer();
    const Json plan = answer.page().at("plan");
    double in = 0, out = 0;
    for (const Json& cut : plan.at("cuts")) (cut.at("direction") == "in" ? in : out) += cut.at("cost").get<double>();
    const DeviceReport& bottleneck = answer.report.devices[answer.report.bottleneck];
    EXPECT_NEAR(in, bottleneck.in(), 1e-9 * (1 + in)) << seed;
    EXPECT_NEAR(out, bottleneck.out(), 1e-9 * (1 + out)) << seed;
    with_cuts += !plan.at("cuts").empty();
    std::size_t in_use = 0;
    for (const DeviceReport& device : answer.report.devices) in_use += device.original.valid();
    EXPECT_EQ(plan.at("loads").size(), in_use) << seed;
  }
  EXPECT_GT(with_cuts, 0U);
}

TEST(Page, CopiesFollowTheirOriginal) {
  Answer answer;
  answer.problem.workload = graph_from_text("a 4 9; b 1 9; a -> b", 3);
  answer.problem.replicas = 2;
  answer.result.split = split_from_text(answer.problem.workload, "b | a");
  answer.result.split->copy_of = {DeviceId(0), DeviceId(1), DeviceId(1), DeviceId(3)};
  answer.answer();
  ASSERT_TRUE(answer.report.legal());
  const Json loads = answer.page().at("plan").at("loads");
  ASSERT_EQ(loads.size(), 3);
  EXPECT_EQ(loads[0].at("device"), 1);
  EXPECT_TRUE(loads[0].at("copyOf").is_null());
  EXPECT_EQ(loads[1].at("device"), 2);
  EXPECT_EQ(loads[1].at("copyOf"), 1);
  EXPECT_EQ(loads[1].at("sharing"), 2);
  EXPECT_EQ(loads[1].at("load"), 2);
  EXPECT_EQ(loads[1].at("nodes"), 1);
  EXPECT_EQ(loads[2].at("device"), 0);
}

TEST(Page, LatencyHasNoBottleneck) {
  Answer answer("a 1 9; b 2 9 out=1; c 3 9; a -> b -> c", "a b | c");
  answer.problem.objective = Objective::Latency;
  answer.answer();
  const Json plan = answer.page().at("plan");
  EXPECT_TRUE(plan.at("bottleneck").is_null());
  EXPECT_EQ(plan.at("cuts"), Json::array());
  EXPECT_EQ(plan.at("hostCores"), 0);
}

TEST(Page, WithoutASplitItSaysWhy) {
  Answer answer(kTraining, kTrainingSplit);
  answer.result = {};
  answer.result.status = Status::Infeasible;
  answer.result.reason = "too big";
  answer.report = {};
  const Json page = answer.page();
  EXPECT_EQ(page.at("plan").at("status"), "infeasible");
  EXPECT_EQ(page.at("plan").at("reason"), "too big");
  EXPECT_TRUE(page.at("plan").at("value").is_null());
  EXPECT_TRUE(page.at("plan").at("bottleneck").is_null());
  EXPECT_EQ(page.at("plan").at("loads"), Json::array());
  EXPECT_EQ(page.at("graph").at("pieces"), Json::array());
  EXPECT_EQ(page.at("graph").at("piece"), Json({-1, -1, -1, -1, -1, -1}));
  std::set<std::pair<double, double>> places;
  for (std::size_t v = 0; v < 6; ++v)
    places.emplace(page.at("graph").at("x")[v].get<double>(), page.at("graph").at("y")[v].get<double>());
  EXPECT_EQ(places.size(), 6);
}

Simulation recorded_run(const Answer& answer, std::size_t samples) {
  SimulationOptions options;
  options.kind = ScheduleKind::OneF1B;
  options.samples = options.record = samples;
  return simulate(answer.problem, *answer.result.split, options);
}

TEST(Page, TimelineIsTheSimulation) {
  const Answer answer(kTraining, kTrainingSplit);
  const Simulation simulation = recorded_run(answer, 10);
  PageContent content = answer.content();
  content.simulation = &simulation;
  const Json timeline = Json::parse(page_json(content)).at("timeline");
  EXPECT_EQ(timeline.at("schedule"), "1f1b");
  EXPECT_EQ(timeline.at("samples"), 10);
  EXPECT_EQ(timeline.at("recorded"), 10);
  EXPECT_EQ(timeline.at("makespan"), simulation.makespan);
  ASSERT_EQ(timeline.at("lane").size(), simulation.intervals.size());
  const std::string phases = timeline.at("phase");
  ASSERT_EQ(phases.size(), simulation.intervals.size());
  for (std::size_t i = 0; i < simulation.intervals.size(); ++i) {
    const Interval& interval = simulation.intervals[i];
    EXPECT_EQ(timeline.at("lane")[i], interval.lane.index());
    EXPECT_EQ(timeline.at("piece")[i], interval.piece.index());
    EXPECT_EQ(phases[i], to_string(interval.phase)[0]);
    EXPECT_EQ(timeline.at("sample")[i], interval.sample);
    EXPECT_EQ(timeline.at("start")[i].get<double>(), interval.start);
    EXPECT_EQ(timeline.at("finish")[i].get<double>(), interval.finish);
  }
  ASSERT_EQ(timeline.at("use").size(), 3);  // the host has nothing to do
  const DeviceUse& use = simulation.devices[DeviceId(1)];
  EXPECT_DOUBLE_EQ(timeline.at("use")[1].at("compute").get<double>(), use.compute / simulation.makespan);
  EXPECT_EQ(timeline.at("memory")[2].at("time").size(), simulation.memory[DeviceId(2)].size());
}

TEST(Page, LongTimelinesAreCutAfterASample) {
  const Answer answer(kTraining, kTrainingSplit);
  const Simulation simulation = recorded_run(answer, 5000);
  ASSERT_GT(simulation.intervals.size(), 2 * kMostIntervals);
  PageContent content = answer.content();
  content.simulation = &simulation;
  const Json timeline = Json::parse(page_json(content)).at("timeline");
  const std::size_t recorded = timeline.at("recorded");
  EXPECT_EQ(timeline.at("samples"), 5000);
  EXPECT_EQ(timeline.at("makespan"), simulation.makespan);
  EXPECT_LE(timeline.at("lane").size(), kMostIntervals);
  EXPECT_GE(timeline.at("lane").size(), kMostIntervals * 9 / 10);
  std::size_t expected = 0;
  for (const Interval& interval : simulation.intervals) expected += interval.sample < recorded;
  EXPECT_EQ(timeline.at("lane").size(), expected);
  const double end = timeline.at("finish").back();
  for (const Json& memory : timeline.at("memory")) EXPECT_LE(memory.at("time").back().get<double>(), end * 1.01);
}

constexpr double kNoValue = std::numeric_limits<double>::infinity();

Progress moment(double seconds, double value, double bound) {
  Progress progress;
  progress.seconds = seconds;
  progress.value = value;
  progress.bound = bound;
  return progress;
}

TEST(Page, ConvergenceKeepsWhatMovedAndIsThinned) {
  const Answer answer(kTraining, kTrainingSplit);
  std::vector<Progress> progress;
  PageContent content = answer.content();
  content.progress = &progress;
  const auto points = [&] { return Json::parse(page_json(content)).at("convergence"); };

  progress = {moment(1, kNoValue, 0), moment(2, kNoValue, 0), moment(3, 7, 1)};
  EXPECT_EQ(points(), Json::parse(R"([{"seconds": 1, "value": null, "bound": 0},
                                      {"seconds": 3, "value": 7, "bound": 1}])"));

  progress.clear();
  for (int i = 0; i < 10'000; ++i) progress.push_back(moment(0.5 * i, 1e6, i));
  const Json thinned = points();
  EXPECT_EQ(thinned.size(), kMostConvergencePoints);
  EXPECT_EQ(thinned.front().at("bound"), 0);
  EXPECT_EQ(thinned.back().at("bound"), 9999);
  for (std::size_t i = 1; i < thinned.size(); ++i) EXPECT_GT(thinned[i].at("bound"), thinned[i - 1].at("bound"));
}

TEST(Page, ComparisonIsTheTable) {
  const Answer answer(kTraining, kTrainingSplit);
  Comparison comparison;
  comparison.runs.resize(3);
  comparison.runs[0].algorithm = "dp";
  comparison.runs[0].outcome = AlgorithmRun::Outcome::Split;
  comparison.runs[0].value = 4;
  comparison.runs[0].legal = true;
  comparison.runs[0].shape = Shape::Staged;
  comparison.runs[1] = comparison.runs[0];
  comparison.runs[1].value = 6;
  comparison.runs[2].reason = "does not apply";
  PageContent content = answer.content();
  content.comparison = &comparison;
  const Json json = Json::parse(page_json(content)).at("comparison");
  EXPECT_EQ(json.at("best"), 4);
  EXPECT_EQ(json.at("runs")[0].at("shape"), "staged");
  EXPECT_TRUE(json.at("runs")[0].at("boundShape").is_null());
  EXPECT_EQ(json.at("runs")[1].at("ratio"), 1.5);
  EXPECT_EQ(json.at("runs")[2].at("outcome"), "not applicable");
  EXPECT_TRUE(json.at("runs")[2].at("value").is_null());
  EXPECT_TRUE(json.at("runs")[2].at("ratio").is_null());
}

TEST(Page, SweepIsTheCurve) {
  const Answer answer(kTraining, kTrainingSplit);
  Sweep sweep;
  sweep.parameter = SweepParameter::Memory;
  sweep.points.resize(2);
  sweep.points[0].parameter = 1024;
  sweep.points[0].label = "1 KiB";
  sweep.points[0].result.status = Status::Infeasible;
  sweep.points[0].result.reason = "too little";
  sweep.points[1].parameter = 4096;
  sweep.points[1].result = answer.result;
  sweep.points[1].devices_used = 3;
  sweep.verdict = "enough is enough";
  PageContent content;
  content.command = "sweep";
  content.problem = &answer.problem;
  content.sweep = &sweep;
  const Json page = Json::parse(page_json(content));
  EXPECT_FALSE(page.contains("plan"));
  EXPECT_FALSE(page.contains("graph"));
  const Json json = page.at("sweep");
  EXPECT_EQ(json.at("parameter"), "memory");
  EXPECT_EQ(json.at("unit"), "B");
  EXPECT_TRUE(json.at("enough").is_null());
  EXPECT_EQ(json.at("verdict"), "enough is enough");
  EXPECT_EQ(json.at("points")[0], Json::parse(R"({"parameter": 1024, "label": "1 KiB", "status": "infeasible",
      "value": null, "bound": 0, "gap": 1, "unverified": false, "seconds": 0, "devicesUsed": 0, "reason": "too little",
      "split": null})"));
  EXPECT_EQ(json.at("points")[1].at("value"), answer.report.value);
  EXPECT_EQ(json.at("points")[1].at("devicesUsed"), 3);
}

TEST(Page, TimelineHasTheOperatorsOfEachPiece) {
  Answer answer(kTraining, kTrainingSplit);
  const Simulation simulation = simulate(answer.problem, *answer.result.split, {.kind = ScheduleKind::OneF1B});
  PageContent content = answer.content();
  content.simulation = &simulation;
  const Json page = Json::parse(page_json(content));
  const Json& operators = page.at("timeline").at("operators");
  EXPECT_EQ(operators.at("begin"), Json({0, 2, 3, 4, 5, 6}));
  EXPECT_EQ(operators.at("node"), Json({0, 1, 2, 3, 4, 5}));
  EXPECT_FALSE(operators.contains("share"));  // nothing is computed again
  EXPECT_FALSE(operators.contains("again"));
}

TEST(Page, OutputsHaveTheNameOfTheirTensor) {
  Answer answer(kTraining, kTrainingSplit);
  EXPECT_FALSE(answer.page().at("graph").contains("tensor"));
  answer.problem.workload.change().graph.nodes[NodeId(1)].facts.tensor = "hidden";
  const Json tensor = answer.page().at("graph").at("tensor");
  EXPECT_EQ(tensor.at("words"), Json({"", "hidden"}));
  EXPECT_EQ(tensor.at("of"), Json({0, 1, 0, 0, 0, 0}));
}

TEST(Page, HostileNamesStayText) {
  const std::string hostile = "</script><script>alert('\xff\"\\')</script><!--\n\x01";
  Answer answer(kTraining, kTrainingSplit);
  answer.problem.workload.change().name = hostile;
  answer.problem.workload.change().graph.nodes[NodeId(0)].name = hostile;
  answer.problem.workload.change().platform.classes[ClassId(0)].name = hostile;
  answer.result.proof = hostile;
  const std::string json = page_json(answer.content());
  EXPECT_EQ(json.find('<'), std::string::npos);
  EXPECT_EQ(json.find('\n'), std::string::npos);
  const std::string seen = "</script><script>alert('\\xff\"\\')</script><!--\\n\\x01";
  EXPECT_EQ(Json::parse(json).at("title"), seen);
  EXPECT_EQ(Json::parse(json).at("graph").at("name")[0], seen);
  EXPECT_EQ(Json::parse(json).at("classes")[0], seen);
  EXPECT_EQ(Json::parse(json).at("plan").at("proof"), seen);
}

TEST(Page, WhatTurnsTheDirectionOfWritingIsSeen) {
  Answer answer(kTraining, kTrainingSplit);
  answer.problem.workload.change().graph.nodes[NodeId(0)].name = "a\u202eb\u2066c\u200bd\u0085";
  EXPECT_EQ(answer.page().at("graph").at("name")[0], "a\\u202eb\\u2066c\\u200bd\\u0085");
}

TEST(Page, OperatorsAndBytesOfNodesWhereTheFileHasThem) {
  Answer answer(kTraining, kTrainingSplit);
  EXPECT_FALSE(answer.page().at("graph").contains("op"));
  EXPECT_FALSE(answer.page().at("graph").contains("outputBytes"));
  answer.problem.workload.change().graph.nodes[NodeId(1)].op = "aten.mm";
  answer.problem.workload.change().graph.nodes[NodeId(2)].output_bytes = 4096;
  const Json graph = answer.page().at("graph");
  EXPECT_EQ(graph.at("op"), Json::parse(R"({"words": ["", "aten.mm"], "of": [0, 1, 0, 0, 0, 0]})"));
  EXPECT_EQ(graph.at("outputBytes"), Json::parse("[null, null, 4096, null, null, null]"));
}

TEST(Page, WhatCostsWereMadeOf) {
  Answer answer(kTraining, kTrainingSplit);
  EXPECT_EQ(answer.page().at("costSources"), "");
  for (const char* column : {"family", "output", "source", "flops", "movedBytes", "layer"})
    EXPECT_FALSE(answer.page().at("graph").contains(column)) << column;
  auto& nodes = answer.problem.workload.change().graph.nodes;
  for (const NodeId v : {NodeId(1), NodeId(4)})
    nodes[v].facts = {CostSource::Calibrated, "matrix product", 5, 6.5, "fp16[2,3]"};
  nodes[NodeId(2)].layer = 7;
  const Json page = answer.page();
  const Json& graph = page.at("graph");
  EXPECT_EQ(graph.at("family"), Json::parse(R"({"words": ["", "matrix product"], "of": [0, 1, 0, 0, 1, 0]})"));
  EXPECT_EQ(graph.at("output"), Json::parse(R"({"words": ["", "fp16[2,3]"], "of": [0, 1, 0, 0, 1, 0]})"));
  EXPECT_EQ(graph.at("source"), Json::parse(R"({"words": ["", "calibrated"], "of": [0, 1, 0, 0, 1, 0]})"));
  EXPECT_EQ(graph.at("flops"), Json::parse("[null, 5, null, null, 5, null]"));
  EXPECT_EQ(graph.at("movedBytes"), Json::parse("[null, 6.5, null, null, 6.5, null]"));
  EXPECT_EQ(graph.at("layer"), Json::parse("[null, null, 7, null, null, null]"));
  EXPECT_NE(page.at("costSources").get<std::string>().find("calibrated"), std::string::npos);
}

TEST(Page, SaysWhatMustBeKnownBeforeTheNumbersAreBelieved) {
  Answer answer(kTraining, kTrainingSplit);
  EXPECT_EQ(answer.page().at("timeUnit"), "");
  answer.problem.workload.change().time_unit = "ms";
  answer.problem.workload.change().notes = {"the field 'colorclass' is unknown"};
  answer.result.unverified = true;
  EXPECT_EQ(answer.page().at("timeUnit"), "ms");
  EXPECT_EQ(answer.page().at("plan").at("unverified"), true);
  const Json warned = answer.page().at("warnings");
  EXPECT_NE(std::find(warned.begin(), warned.end(), Json(answer.problem.workload->notes.front())), warned.end());
  answer.result.split.reset();
  EXPECT_EQ(answer.page().at("warnings"), Json(answer.problem.workload->notes));
}

TEST(Page, BoxesFollowTheOrderOfTheStages) {
  // Stage 2 only reads c in the forward pass, for its backward node; what it waits for comes after it in the pipeline.
  const Answer answer("a 1 9 out=1; b 2 9 out=1; c 3 9 out=1; d 4 9 out=1 back; a -> b -> c; c -> d; b -> d",
                      "a | d | b c");
  ASSERT_EQ(answer.report.order, (std::vector<DeviceId>{DeviceId(0), DeviceId(1), DeviceId(2)}));
  const Json page = answer.page();
  std::map<std::size_t, std::pair<double, double>> place;  // of each device's first piece: column by column, downwards
  for (const Json& piece : page.at("graph").at("pieces"))
    place.emplace(piece.at("device"), std::pair(piece.at("left").get<double>(), piece.at("top").get<double>()));
  EXPECT_LT(place.at(0), place.at(1));
  EXPECT_LT(place.at(1), place.at(2));
}

TEST(Page, HtmlIsTheProgramAroundTheData) {
  const Answer answer(kTraining, kTrainingSplit);
  const std::string html = page_html(answer.content());
  const std::string json = page_json(answer.content());
  EXPECT_EQ(html.size(), page_program().size() - std::string("null").size() + json.size());
  const std::string element = R"(<script id="data" type="application/json">)";
  const std::size_t place = html.find(element);
  ASSERT_NE(place, std::string::npos);
  EXPECT_EQ(html.substr(place + element.size(), json.size() + 9), json + "</script>");
  EXPECT_EQ(html.substr(0, place), page_program().substr(0, place));
  EXPECT_TRUE(html.ends_with(page_program().substr(place + element.size() + 4)));
}

}  // namespace
}  // namespace partita::detail
