// SPDX-License-Identifier: Apache-2.0
// Profiles: what is taken of each format, and what is said of files that are damaged or of another model.
#include "partita/read/profile.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "partita/util/error.h"
#include "tests/support/hand_made_network.h"

namespace partita::detail {
namespace {

Profile parse(const std::string& text) { return parse_profile(text, "f", chain_of_four()); }

std::string event(const std::string& name, double dur, double ts, const std::string& category = "Node",
                  const std::string& arguments = R"("op_name" : "MatMul")") {
  return R"({"cat" : ")" + category + R"(","pid" :1,"tid" :2,"dur" :)" + std::to_string(static_cast<long>(dur)) +
         R"(,"ts" :)" + std::to_string(static_cast<long>(ts)) + R"(,"ph" : "X","name" :")" + name + R"(","args" : {)" +
         arguments + "}}";
}

std::string profile_of(const std::vector<std::string>& events) {
  std::string text = "[\n";
  for (std::size_t i = 0; i < events.size(); ++i) text += events[i] + (i + 1 < events.size() ? ",\n" : "\n");
  return text + "]\n";
}

void expect_refused(const std::string& text, ErrorKind kind, const std::string& mentions) {
  try {
    parse(text);
    FAIL() << "read: " << text.substr(0, 200);
  } catch (const InputError& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_NE(std::string(error.what()).find(mentions), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
  }
}

bool has_note(const Profile& profile, const std::string& text) {
  return std::ranges::any_of(profile.notes,
                             [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

TEST(OnnxRuntimeProfile, TheMedianOfTheRunsWithoutTheFirst) {
  const Profile profile = parse(profile_of(
      {event("matmul_kernel_time", 900, 0), event("add_kernel_time", 5, 1000), event("relu_kernel_time", 1, 1010),
       event("head_kernel_time", 7, 1020), event("matmul_kernel_time", 30, 2000), event("matmul_kernel_time", 20, 3000),
       event("matmul_kernel_time", 40, 4000), event("model_run", 5000, 0, "Session", "")}));
  ASSERT_EQ(profile.times.size(), 4u);
  EXPECT_EQ(profile.times[0].operators, std::vector<std::string>{"matmul"});
  EXPECT_DOUBLE_EQ(profile.times[0].seconds, 30e-6);
  EXPECT_TRUE(profile.notes.empty());
}

TEST(OnnxRuntimeProfile, FusedNodesHoldTheOperatorsThatAreNotNamed) {
  const Profile profile =
      parse(profile_of({event("matmul/MatMulAddFusion_kernel_time", 10, 0), event("y_nchwc_kernel_time", 4, 20)}));
  ASSERT_EQ(profile.times.size(), 2u);
  EXPECT_EQ(profile.times[0].operators, (std::vector<std::string>{"matmul", "add", "relu"}));
  EXPECT_EQ(profile.times[1].operators, std::vector<std::string>{"head"}) << "by the tensor that it makes";
  EXPECT_TRUE(has_note(profile, "2 operators are not in the profile"));
}

TEST(OnnxRuntimeProfile, BodiesOfAnIfDoNotCountBesideIt) {
  const std::string whole = R"("op_name" : "If")";
  const Profile profile =
      parse(profile_of({event("relu_kernel_time", 50, 0, "Node", whole), event("matmul_kernel_time", 40, 5),
                        event("matmul_kernel_time", 8, 100), event("matmul_kernel_time", 8, 200)}));
  for (const MeasuredTime& time : profile.times) {
    if (time.operators.front() == "matmul") {
      EXPECT_DOUBLE_EQ(time.seconds, 8e-6);
    }
  }
}

TEST(OnnxRuntimeProfile, KernelsCountInsteadOfTheirLaunches) {
  const std::string parent = R"("stream" : "7","parent_name" : "matmul_kernel_time")";
  const Profile profile =
      parse(profile_of({event("matmul_kernel_time", 3, 0), event("gemm", 90, 1, "Kernel", parent),
                        event("matmul_kernel_time", 3, 1000), event("gemm", 50, 1001, "Kernel", parent),
                        event("split_k", 7, 1060, "Kernel", parent), event("x", 7, 1060, "Kernel")}));
  EXPECT_DOUBLE_EQ(profile.times[0].seconds, 57e-6);
  EXPECT_TRUE(has_note(profile, "GPU kernels, where an operator has any"));
  EXPECT_TRUE(has_note(profile, "1 GPU kernels of the profile name no operator"));
}

TEST(OnnxRuntimeProfile, NamesThatJsonWouldEscape) {
  HandMadeNetwork made;
  made.add(R"(a "b" \c)", "Relu", OperatorFamily::Elementwise, {made.input("x", {4})}, {made.tensor("y", {4})});
  const Profile profile = parse_profile(profile_of({event(R"(a "b" \c_kernel_time)", 6, 0)}), "f", made.network());
  EXPECT_DOUBLE_EQ(profile.times[0].seconds, 6e-6);
}

TEST(OnnxRuntimeProfile, OnOneLine) {
  const Profile profile = parse("[" + event("matmul_kernel_time", 6, 0) + "]");
  EXPECT_DOUBLE_EQ(profile.times[0].seconds, 6e-6);
}

TEST(OnnxRuntimeProfile, DamagedFiles) {
  const std::string whole = profile_of({event("matmul_kernel_time", 6, 0), event("add_kernel_time", 6, 10)});
  expect_refused(whole.substr(0, whole.size() - 2), ErrorKind::NotJson, "cut off");
  expect_refused(whole.substr(0, whole.size() - 20), ErrorKind::NotJson, "cut off");
  expect_refused("[\n" + event("matmul_kernel_time", 6, 0) + ",\nnonsense\n]\n", ErrorKind::NotJson, "line 3");
  expect_refused(profile_of({event("conv9_kernel_time", 6, 0)}), ErrorKind::BadField, "a profile of another model");
  expect_refused(profile_of({event("model_run", 6, 0, "Session")}), ErrorKind::BadField, "no times of operators");
  expect_refused(
      "[\n" + std::string(R"({"cat" : "Node","dur" :-4,"name" :"matmul_kernel_time","args" : {}})") + "\n]\n",
      ErrorKind::BadNumber, "dur");
}

TEST(TensorRtProfile, LayersOfSeveralOperators) {
  const Profile profile = parse(R"json([{"count": 10}, {"name": "matmul + add", "timeMs": 20.0, "averageMs": 2.0},
      {"name": "PWN(PWN(relu), head)", "timeMs": 10.0}, {"name": "Reformatting CopyNode for Input Tensor 0", "averageMs": 1},
      {"name": "{ForeignNode[a...b]}", "averageMs": 3.5}])json");
  ASSERT_EQ(profile.times.size(), 2u);
  EXPECT_EQ(profile.times[0], (MeasuredTime{{"matmul", "add"}, 2e-3}));
  EXPECT_EQ(profile.times[1].operators, (std::vector<std::string>{"relu", "head"}));
  EXPECT_DOUBLE_EQ(profile.times[1].seconds, 1e-3);
  EXPECT_TRUE(has_note(profile, "ForeignNode")) << "what cannot be opened is told";
  EXPECT_TRUE(has_note(profile, "Reformatting"));
  expect_refused(R"([{"count": 10}, {"name": "conv9", "averageMs": 1}])", ErrorKind::BadField, "another model");
  expect_refused(R"([{"count": 10}, {"averageMs": 1}])", ErrorKind::BadField, "name");
  expect_refused(R"([{"count": 10}, {"name": "matmul"}])", ErrorKind::BadField, "timeMs");
}

TEST(Measurement, MediansAndTheirSpread) {
  const std::string head =
      R"({"partita": {"format": "measurement", "version": 1}, "link": {"latency": 1e-6}, "operators": [)";
  const Profile steady = parse(head + R"({"name": "matmul", "op": "MatMul", "seconds": 0.002, "spread": 1e-5},
      {"name": "add", "seconds": 0.001}, {"name": "relu", "seconds": 0}, {"name": "head", "seconds": 1}]})");
  ASSERT_EQ(steady.times.size(), 4u);
  EXPECT_EQ(steady.times[0], (MeasuredTime{{"matmul"}, 0.002}));
  EXPECT_TRUE(steady.notes.empty());

  const Profile noisy =
      parse(head + R"({"name": "matmul", "seconds": 0.002, "spread": 0.001}, {"name": "x", "seconds": 1}]})");
  EXPECT_TRUE(has_note(noisy, "vary by 50 %")) << "a spread of half of the time is told";
  EXPECT_TRUE(has_note(noisy, "not used: x"));
}

TEST(Measurement, BadFiles) {
  const std::string head = R"({"partita": {"format": "measurement", "version": 1}, "operators": )";
  expect_refused(head + R"([{"seconds": 1}]})", ErrorKind::BadField, "operators[0]");
  expect_refused(head + R"([{"name": "matmul"}]})", ErrorKind::BadField, "seconds");
  expect_refused(head + R"([{"name": "matmul", "seconds": -1}]})", ErrorKind::BadNumber, "seconds");
  expect_refused(head + R"([{"name": "conv9", "seconds": 1}]})", ErrorKind::BadField, "another model");
  expect_refused(head + "[]}", ErrorKind::BadField, "no times of operators");
  expect_refused(R"({"operators": [{"name": "matmul", "seconds": 1}]})", ErrorKind::BadField, "partita");
  expect_refused(R"({"partita": {"format": "plan", "version": 1}})", ErrorKind::BadField, "'plan'");
  expect_refused(R"({"partita": {"format": "measurement", "version": 7}})", ErrorKind::BadField, "version");
  expect_refused(head + "[", ErrorKind::NotJson, "line 1");
}

TEST(CsvProfile, UnitsQuotesAndRepeatedNames) {
  EXPECT_DOUBLE_EQ(parse("name,time\nmatmul,2\n").times[0].seconds, 2e-3);
  EXPECT_DOUBLE_EQ(parse("matmul,2\r\nadd,1\r\n").times[0].seconds, 2e-3) << "without a header";
  EXPECT_DOUBLE_EQ(parse("op,calls,time (us)\n\"matmul\",7,2\n").times[0].seconds, 2e-6);
  EXPECT_DOUBLE_EQ(parse("node,duration_s\nmatmul,2\n").times[0].seconds, 2);
  EXPECT_DOUBLE_EQ(parse("name,time\nmatmul,9\nmatmul,1\nmatmul,2\n").times[0].seconds, 2e-3);
  EXPECT_TRUE(has_note(parse("name,time\nmatmul,9\nconv9,1\n"), "conv9"));
}

TEST(CsvProfile, BadLines) {
  expect_refused("name,time\nmatmul,soon\n", ErrorKind::BadNumber, "line 2");
  expect_refused("name,time\nmatmul,-1\n", ErrorKind::BadNumber, "not negative");
  expect_refused("name,time\nmatmul,nan\n", ErrorKind::BadNumber, "line 2");
  expect_refused("name,time\n\"matmul,1\n", ErrorKind::BadField, "quote");
  expect_refused("name,time\nmatmul\n", ErrorKind::BadField, "expected a name and a time");
  expect_refused("what,ever,else\n1,2,3\n", ErrorKind::BadField, "name,time (us)");
  expect_refused("name,time\nconv9,1\n", ErrorKind::BadField, "a profile of another model");
  expect_refused("", ErrorKind::BadField, "no times of operators");
}

}  // namespace
}  // namespace partita::detail
