// SPDX-License-Identifier: Apache-2.0
#include "partita/report/trace_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "tests/report/hand_made_simulation.h"

namespace partita::detail {
namespace {

using Json = nlohmann::json;

Json events_of(const HandMade& made) {
  return Json::parse(trace_json(made.problem, made.report, made.simulation)).at("traceEvents");
}

// Nanoseconds, exactly: the file has microseconds with three decimals.
std::int64_t nanoseconds(const Json& time) { return std::llround(time.get<double>() * 1000); }

TEST(TraceJson, NamesProcessesAndThreads) {
  const Json events = events_of(hand_made(1));
  std::map<std::string, Json> named;
  for (const Json& event : events) {
    if (event["ph"] == "M" && event["pid"] == 2) named[event["name"]] = event["args"];
  }
  EXPECT_EQ(named["process_name"], Json({{"name", "accelerator 1"}}));
  EXPECT_EQ(named["process_sort_index"], Json({{"sort_index", 1}}));
  EXPECT_EQ(named["thread_name"], Json({{"name", "accelerator 1"}}));
  EXPECT_EQ(named["thread_sort_index"], Json({{"sort_index", 1}}));
}

TEST(TraceJson, ASliceSaysWhatRuns) {
  const Json events = events_of(hand_made(2));
  std::size_t slices = 0;
  bool seen = false;
  for (const Json& event : events) {
    if (event["ph"] != "X" || event["cat"] == "operator") continue;
    ++slices;
    if (event["name"] != "B1") continue;
    if (event["pid"] != 1) continue;
    seen = true;
    EXPECT_EQ(event["cat"], "compute");
    EXPECT_EQ(event["ts"], 10000);  // 4 + 6, in milliseconds
    EXPECT_EQ(event["dur"], 2000);
    EXPECT_EQ(event["args"], Json({{"sample", 1}, {"piece", 3}, {"backward", true}, {"nodes", 1}}));
  }
  EXPECT_TRUE(seen);
  EXPECT_EQ(slices, 16u);
}

TEST(TraceJson, TheWorkloadsUnitBecomesMicroseconds) {
  for (const auto& [unit, factor] : std::map<std::string, double>{{"", 1}, {"ms", 1}, {"us", 1e-3}, {"s", 1000}}) {
    HandMade made = hand_made(2);
    made.problem.workload.change().time_unit = unit;
    double last = 0;
    for (const Json& event : events_of(made)) {
      if (event["ph"] == "X" && event["name"] == "B1" && event["pid"] == 1) last = event["ts"].get<double>();
    }
    EXPECT_DOUBLE_EQ(last, 10000 * factor) << unit;
  }
}

// With a unit of a third of a nanosecond, or of a hundred and some, most times are none of whole nanoseconds.
TEST(TraceJson, RoundedTimesAreSortedAndNeverOverlap) {
  for (const double unit : {1.0, 1.0 / 3, 1e-4 / 7, 1e-6 / 3, 12345.678901}) {
    const HandMade made = hand_made(100, unit);
    std::int64_t last = 0;
    std::map<int, std::int64_t> free_from;
    std::map<int, std::int64_t> busy;
    for (const Json& event : events_of(made)) {
      if (event["ph"] == "M") continue;
      const std::int64_t start = nanoseconds(event["ts"]);
      EXPECT_GE(start, last);
      last = start;
      if (event["ph"] != "X" || event["cat"] == "operator") continue;
      const int thread = event["tid"];
      const std::int64_t duration = nanoseconds(event["dur"]);
      EXPECT_GE(start, free_from[thread]);
      EXPECT_GE(duration, 0);
      free_from[thread] = start + duration;
      busy[thread] += duration;
    }
    // The lanes have no gaps between the first warm-up and the last drain, so that rounding cannot add up.
    EXPECT_NEAR(static_cast<double>(busy[2]), 400 * unit * 1e6, 2);
    EXPECT_NEAR(static_cast<double>(busy[1]), 400 * unit * 1e6, 6);
  }
}

TEST(TraceJson, ArrowsLeadFromDeviceToDevice) {
  struct Arrow {
    Json start, end;
  };
  std::map<int, Arrow> arrows;
  for (const Json& event : events_of(hand_made(3))) {
    if (event["ph"] == "s") arrows[event["id"]].start = event;
    if (event["ph"] == "f") arrows[event["id"]].end = event;
  }
  ASSERT_EQ(arrows.size(), 6u);  // F0 -> F1 and B1 -> B0 of three samples; F1 -> B1 stays on its device
  for (const auto& [id, arrow] : arrows) {
    EXPECT_NE(arrow.start["pid"], arrow.end["pid"]);
    EXPECT_LT(arrow.start["ts"], arrow.end["ts"]);
    EXPECT_EQ(arrow.start["name"], arrow.end["name"]);
    EXPECT_EQ(arrow.end["bp"], "e");
  }
  EXPECT_EQ(arrows[0].start["ts"], 1000);  // inside the slice that writes the result
  EXPECT_EQ(arrows[0].end["ts"], 1500);
}

// The pieces of hand_made() with several operators in each: nodes of 1, 0 (a view) and 3 where one of 4 was.
HandMade with_operators(std::size_t samples, double unit = 1) {
  HandMade made = hand_made(samples, unit);
  made.problem.workload = graph_from_text(
      "a 1 -; v 0 -; x 3 -; b 1 -; c 2 - back; d 2 - back; a -> v -> x -> b; b -> c; c -> d", 2, kUnlimited, 0);
  made.report = check(made.problem, split_from_text(made.problem.workload, "a v x d | b c"));
  auto& pieces = made.simulation.pieces;
  pieces.pieces[PieceId(0)].nodes = {NodeId(0), NodeId(1), NodeId(2)};
  pieces.piece_of = {PieceId(0), PieceId(0), PieceId(0), PieceId(1), PieceId(2), PieceId(3)};
  return made;
}

TEST(TraceJson, OperatorsAreInsideTheirPieces) {
  for (const double unit : {1.0, 1.0 / 3, 12345.678901}) {
    HandMade made = with_operators(3, unit);
    made.problem.workload.change().graph.nodes[NodeId(2)].op = "MatMul";
    std::map<int, std::pair<std::int64_t, std::int64_t>> block;  // by thread: the slice that is under way
    std::map<std::string, std::size_t> seen;
    std::map<int, std::int64_t> end;
    for (const Json& event : events_of(made)) {
      if (event["ph"] != "X") continue;
      const int thread = event["tid"];
      const std::int64_t start = nanoseconds(event["ts"]);
      const std::int64_t finish = start + nanoseconds(event["dur"]);
      if (event["cat"] != "operator") {
        block[thread] = {start, finish};
        end[thread] = start;
        continue;
      }
      ++seen[event["name"]];
      EXPECT_EQ(start, end[thread]);  // one right after the other, from the beginning on
      EXPECT_LE(finish, block[thread].second);
      end[thread] = finish;
      if (event["name"] == "a") {
        EXPECT_NEAR(static_cast<double>(finish - start), unit * 1e6 / 4, 1);
      }
      if (event["name"] != "x") continue;
      EXPECT_EQ(finish, block[thread].second);
      EXPECT_EQ(event["args"], Json({{"node", 3}, {"op", "MatMul"}}));
    }
    // A view takes no time, and is no slice.
    EXPECT_EQ(seen, (std::map<std::string, std::size_t>{{"a", 3}, {"x", 3}, {"b", 3}, {"c", 3}, {"d", 3}}));
  }
}

TEST(TraceJson, OnlyTheFirstSamplesHaveOperators) {
  std::set<int> blocks;
  std::size_t operators = 0;
  std::int64_t last = 0;
  for (const Json& event : events_of(with_operators(40))) {
    if (event["ph"] != "X") continue;
    if (event["cat"] != "operator") {
      blocks.insert(event["args"]["sample"].get<int>());
      continue;
    }
    ++operators;
    last = std::max(last, nanoseconds(event["ts"]));
  }
  EXPECT_EQ(blocks.size(), 40u);
  EXPECT_EQ(operators, 5u * 5u);
  EXPECT_LT(last, 25 * 1000 * 1000);  // sample 5 begins at 20 ms
}

TEST(TraceJson, CountsSamplesInFlightAndMemory) {
  std::vector<Json> in_flight;
  std::vector<Json> memory;
  for (const Json& event : events_of(hand_made(2))) {
    if (event["ph"] != "C") continue;
    EXPECT_EQ(event["pid"], 1);
    (event["name"] == "memory" ? memory : in_flight).push_back(event["args"]);
  }
  EXPECT_EQ(in_flight, (std::vector<Json>{{{"samples", 1}}, {{"samples", 2}}}));
  EXPECT_EQ(memory, (std::vector<Json>{{{"bytes", 50}}, {{"bytes", 100}}}));
}

TEST(TraceJson, AnyNameIsWritten) {
  HandMade made = hand_made(1);
  made.problem.workload.change().name = "a \"b\"\n\xff";
  made.simulation.lanes[LaneId(0)].name = "x\\y";
  const Json trace = Json::parse(trace_json(made.problem, made.report, made.simulation));
  EXPECT_EQ(trace["displayTimeUnit"], "ms");
  EXPECT_EQ(trace["otherData"]["workload"], "a \"b\"\\n\\xff");
  made.simulation.intervals.clear();
  EXPECT_NO_THROW(std::ignore = events_of(made));
}

}  // namespace
}  // namespace partita::detail
