// SPDX-License-Identifier: Apache-2.0
#include "partita/read/trace.h"

#include "tests/read/inputs.h"

namespace partita::detail {
namespace {

std::string slice(const std::string& rest) {
  return R"({"ph": "X", "cat": "compute", "pid": 1, "tid": 1, )" + rest + "}";
}

std::string trace_of(const std::string& events, const std::string& more = "") {
  return R"({"traceEvents": [)" + events + "]" + more + "}";
}

RunTrace read(const std::string& text) { return parse_trace(text, "f.json"); }

InputError error_in(const std::string& text) {
  return error_of([&] { read(text); });
}

TEST(ReadTrace, SlicesNamesAndWhatItIsOf) {
  const RunTrace trace = read(trace_of(
      R"({"ph": "X", "cat": "out", "ts": 30.5, "dur": 4, "pid": 2, "tid": 7, "args": {"sample": 3, "piece": 1, "backward": true}},)" +
          slice(R"("ts": 10, "dur": 20, "args": {"sample": 1})") +
          R"(, {"ph": "M", "name": "process_name", "pid": 2, "args": {"name": "core 1"}},
             {"ph": "M", "name": "thread_name", "pid": 2, "tid": 7, "args": {"name": "core 1: out"}},
             {"ph": "M", "name": "thread_name", "pid": 3, "tid": 7, "args": {"name": "of nobody"}},
             {"ph": "X", "cat": "operator", "ts": 1, "dur": 1}, {"ph": "C", "ts": -4}, {"ph": "s"}, {"ph": "?"})",
      R"(, "otherData": {"workload": "model", "schedule": "measured", "more": [1]}, "further": {"a": []})"));
  EXPECT_EQ(trace.workload, "model");
  EXPECT_EQ(trace.schedule, "measured");
  EXPECT_EQ(trace.source, "f.json");
  EXPECT_EQ(trace.samples, 2u);
  ASSERT_EQ(trace.lanes.size(), 2u);
  EXPECT_EQ(trace.lanes[0].device, "core 1");
  EXPECT_EQ(trace.lanes[0].name, "core 1: out");
  EXPECT_EQ(trace.lanes[1].device, "");
  EXPECT_EQ(trace.lanes[1].process, 1);
  ASSERT_EQ(trace.slices.size(), 2u);
  const auto& [first, second] = std::tie(trace.slices[0], trace.slices[1]);
  EXPECT_EQ(first.lane, 1u);
  EXPECT_EQ(first.sample, 1u);
  EXPECT_EQ(first.phase, Phase::Compute);
  EXPECT_FALSE(first.backward);
  EXPECT_EQ(first.piece, std::nullopt);
  EXPECT_DOUBLE_EQ(first.start, 0);  // the run begins with it
  EXPECT_DOUBLE_EQ(first.finish, 20e-6);
  EXPECT_EQ(second.phase, Phase::Out);
  EXPECT_TRUE(second.backward);
  EXPECT_EQ(second.piece, 1u);
  EXPECT_DOUBLE_EQ(second.start, 20.5e-6);
  EXPECT_DOUBLE_EQ(second.finish, 24.5e-6);
}

TEST(ReadTrace, TimesSince1970KeepTheirMicroseconds) {
  const RunTrace trace = read(trace_of(slice(R"("ts": 1763302000000000, "dur": 7, "args": {"sample": 0})") + "," +
                                       slice(R"("ts": 1763302000000009, "dur": 3, "args": {"sample": 1})")));
  EXPECT_DOUBLE_EQ(trace.slices[1].start, 9e-6);
  EXPECT_DOUBLE_EQ(trace.slices[1].finish, 12e-6);
}

// A lane does one thing at a time; what clocks lose is cut off.
TEST(ReadTrace, SlicesOfALaneDoNotOverlap) {
  const auto two = [](const std::string& start, const std::string& where) {
    return trace_of(slice(R"("ts": 0, "dur": 10, "args": {"sample": 0})") + R"(, {"ph": "X", "cat": "in", "ts": )" +
                    start + R"(, "dur": 5, )" + where + R"(, "args": {"sample": 1}})");
  };
  const RunTrace cut = read(two("9.2", R"("pid": 1, "tid": 1)"));
  EXPECT_DOUBLE_EQ(cut.slices[1].start, 10e-6);
  EXPECT_DOUBLE_EQ(cut.slices[1].finish, 14.2e-6);
  EXPECT_EQ(read(two("4", R"("pid": 1, "tid": 2)")).slices.size(), 2u);
  const InputError error = error_in(two("4", R"("pid": 1, "tid": 1)"));
  EXPECT_EQ(error.kind(), ErrorKind::BadField);
  EXPECT_NE(error.problem().find("in of sample 1 begins on process 1 6 us before"), std::string::npos) << error.what();
}

TEST(ReadTrace, WhatIsNoTraceOfARun) {
  const auto refused = [](const std::string& text, ErrorKind kind, const std::string& where, const std::string& words) {
    const InputError error = error_in(text);
    EXPECT_EQ(error.kind(), kind) << text;
    EXPECT_EQ(error.where(), where) << text;
    EXPECT_NE(error.problem().find(words), std::string::npos) << error.what();
  };
  using enum ErrorKind;
  refused("{}", BadField, "f.json: traceEvents", "is missing");
  refused(R"({"traceEvents": 3})", BadField, "f.json: traceEvents", "list");
  refused(trace_of(""), BadField, "f.json: traceEvents", "has no slice of a run");
  refused(trace_of("7"), BadField, "f.json: traceEvents[0]", "an event");
  refused(trace_of(slice(R"("dur": 1, "args": {"sample": 0})")), BadField, "f.json: traceEvents[0].ts", "is missing");
  refused(trace_of(slice(R"("ts": 1, "args": {"sample": 0})")), BadField, "f.json: traceEvents[0].dur", "is missing");
  refused(trace_of(slice(R"("ts": 1, "dur": -1, "args": {"sample": 0})")), BadNumber, "f.json: traceEvents[0].dur", "");
  refused(trace_of(slice(R"("ts": 1e17, "dur": 1, "args": {"sample": 0})")), BadNumber, "f.json: traceEvents[0]", "us");
  refused(trace_of(slice(R"("ts": 1, "dur": 1)")), BadField, "f.json: traceEvents[0]", "lacks args");
  refused(trace_of(slice(R"("ts": 1, "dur": 1, "args": {"sample": 1000000})")), BadNumber,
          "f.json: traceEvents[0].args.sample", "from 0 to 999999");
  refused(trace_of(slice(R"("ts": 1, "dur": 1, "args": {"sample": -1})")), BadNumber,
          "f.json: traceEvents[0].args.sample", "from 0");
  refused(trace_of(slice(R"("ts": 1, "dur": 1, "args": {"sample": 0, "piece": -2})")), BadNumber,
          "f.json: traceEvents[0].args.piece", "from 0");
  refused(R"([{"ph": "X"}])", BadField, "f.json", "a trace");
  refused("{", NotJson, "f.json: line 1, column 2", "");
}

TEST(ReadTrace, ThreadsWithoutEndAndMemoryHaveLimits) {
  std::string events;
  for (std::size_t i = 0; i <= kMostRunLanes; ++i) {
    if (i > 0) events += ",";
    events += R"({"ph": "X", "cat": "in", "ts": 0, "dur": 1, "pid": 1, "tid": )" + std::to_string(i) +
              R"(, "args": {"sample": 0}})";
  }
  EXPECT_EQ(error_in(trace_of(events)).kind(), ErrorKind::BadField);
  const InputError error = error_of([&] { parse_trace(trace_of(events), "f.json", {.memory = 100'000}); });
  EXPECT_EQ(error.kind(), ErrorKind::Unreadable);
}

}  // namespace
}  // namespace partita::detail
