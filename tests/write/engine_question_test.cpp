// SPDX-License-Identifier: Apache-2.0
// Plans that are made for an engine: it can run them, and none that it can run is better.
#include "partita/write/engines/engine_question.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "partita/partita.h"
#include "partita/util/error.h"
#include "tests/write/layered_model.h"

namespace partita::detail::test {
namespace {

PlanOptions options_for(const Engine& engine, const Graph& graph) {
  PlanOptions options;
  options.contract_layers = engine.rules.whole_layers;
  options.layer_ends = ends_to_ask_for(engine.rules, graph);
  return options;
}

Plan plan_for(const Engine& engine, Problem& problem) {
  PlatformSpec devices;
  devices.platform = problem.workload->platform;
  ask_for_engine(engine, problem, devices);
  EXPECT_EQ(devices.platform.device_count(), problem.workload->platform.device_count());
  Budget budget;
  return plan(problem, options_for(engine, problem.workload->graph), budget);
}

// The best split of all that give runs of units to devices, each device at most one; with ends that are units of their
// own, or parts of the first and the last layer.
double best_by_hand(const Problem& problem, int layers, bool ends_with_layers) {
  const std::size_t devices = problem.workload->platform.device_count();
  double best = kUnlimited;
  std::vector<DeviceId> units;
  const std::function<void(std::vector<DeviceId>)> extend = [&](std::vector<DeviceId> left) {
    const auto count = static_cast<std::size_t>(layers) + 2;
    if (units.size() == count) {
      if (ends_with_layers && (units[0] != units[1] || units[count - 2] != units[count - 1])) return;
      const CheckReport report = check(problem, layered_split(*problem.workload, units));
      if (report.legal()) best = std::min(best, report.value);
      return;
    }
    if (!units.empty()) {
      units.push_back(units.back());
      extend(left);
      units.pop_back();
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
      std::vector<DeviceId> others = left;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      units.push_back(left[i]);
      extend(others);
      units.pop_back();
    }
  };
  std::vector<DeviceId> all;
  for (DeviceId device : ids<DeviceId>(devices)) all.push_back(device);
  extend(all);
  return best;
}

TEST(EngineQuestion, HasTheBestPlanThatTheEngineCanRun) {
  std::mt19937 random(3);
  int different = 0;
  for (int i = 0; i < 40; ++i) {
    const int layers = 1 + static_cast<int>(random() % 4);
    Platform platform = unequal_platform(1 + static_cast<int>(random() % 3));
    for (DeviceClass& one : platform.classes)
      if (random() % 2 == 0) one.memory = 6 + static_cast<double>(random() % 8);
    // A single layer without a name for its second half cannot be told from one that has none.
    const bool nameless = layers > 1 && random() % 2 == 0;
    Workload workload =
        layered_model(platform, {.layers = layers, .mask = random() % 2 == 0, .nameless_mlp = nameless});
    for (Node& node : workload.graph.nodes)
      for (double& time : node.time) time *= 0.5 + static_cast<double>(random() % 16) / 8;
    const Problem problem(workload);
    double values[2] = {};
    for (const bool ends_with_layers : {false, true}) {
      Problem asked = problem;
      const Engine& engine = *find_engine(ends_with_layers ? "vllm" : "megatron");
      const Plan plan = plan_for(engine, asked);
      const double best = best_by_hand(asked, layers, ends_with_layers || nameless);
      values[ends_with_layers] = best;
      if (best == kUnlimited) {
        EXPECT_EQ(plan.result.status, Status::Infeasible) << "case " << i;
        continue;
      }
      ASSERT_EQ(plan.result.status, Status::Optimal) << "case " << i;
      EXPECT_NEAR(plan.result.value, best, 1e-6 * best) << "case " << i;
    }
    different += values[0] != values[1] ? 1 : 0;
  }
  EXPECT_GT(different, 3);
}

TEST(EngineQuestion, HasPlansThatAreExported) {
  for (const Engine& engine : engines()) {
    if (engine.runs_stage_files || engine.rules.most_accelerators == 1) continue;
    for (const bool backward : {false, true}) {
      if (backward && engine.rules.no_training) continue;
      for (const bool nameless : {false, true}) {
        const bool cut_end =
            nameless && std::string_view(engine.name) == "torchtitan";  // it knows norm and output alone
        if (cut_end) continue;
        Problem problem(layered_model(unequal_platform(3, 1),
                                      {.layers = 5, .mask = true, .nameless_mlp = nameless, .backward = backward}));
        const Plan plan = plan_for(engine, problem);
        ASSERT_TRUE(plan.result.split.has_value()) << engine.name;
        EXPECT_FALSE(export_plan(engine, {.problem = problem, .split = *plan.result.split}).files.empty());
      }
    }
  }
}

// Whatever the devices are like, and however cheap the host is.
TEST(EngineQuestion, HasPlansThatAreExportedOnAnyDevices) {
  std::mt19937 random(11);
  for (int i = 0; i < 150; ++i) {
    Platform platform = unequal_platform(1 + static_cast<int>(random() % 4), static_cast<int>(random() % 3));
    for (DeviceClass& one : platform.classes)
      if (one.kind == DeviceKind::Accelerator) one.link_factor = 0.25 * static_cast<double>(1 + random() % 8);
    Workload workload = layered_model(
        platform,
        {.layers = 1 + static_cast<int>(random() % 6), .mask = random() % 2 == 0, .turned_table = random() % 4 == 0});
    for (Node& node : workload.graph.nodes)
      for (double& time : node.time) time *= static_cast<double>(1 + random() % 9) / 4;
    for (const Engine& engine : engines()) {
      if (engine.runs_stage_files || engine.rules.most_accelerators == 1) continue;
      if (std::string_view(engine.name) == "torchtitan") continue;  // it has no place for a second table
      Problem problem(workload);
      const Plan plan = plan_for(engine, problem);
      ASSERT_TRUE(plan.result.split.has_value()) << engine.name << ", case " << i;
      EXPECT_NO_THROW(export_plan(engine, {.problem = problem, .split = *plan.result.split}))
          << engine.name << ", case " << i;
    }
  }
}

TEST(EngineQuestion, LeavesOutHostsThatTheEngineDoesNotUse) {
  Problem vllm(layered_model(unequal_platform(2, 3))), any = vllm, llama = vllm;
  PlatformSpec devices;
  devices.platform = vllm.workload->platform;
  ask_for_engine(*find_engine("accelerate"), any, devices);
  EXPECT_EQ(devices.platform.device_count(DeviceKind::Host), 3U);
  ask_for_engine(*find_engine("vllm"), vllm, devices);
  EXPECT_EQ(devices.platform.device_count(DeviceKind::Host), 0U);
  EXPECT_EQ(vllm.workload->platform.device_count(DeviceKind::Host), 0U);
  EXPECT_EQ(vllm.workload->platform.device_count(DeviceKind::Accelerator), 2U);
  ask_for_engine(*find_engine("llama.cpp"), llama, devices);
  EXPECT_EQ(llama.workload->platform.device_count(DeviceKind::Host), 0U);
  Problem hosts_alone(layered_model(unequal_platform(0, 3)));
  ask_for_engine(*find_engine("llama.cpp"), hosts_alone, devices);
  EXPECT_EQ(hosts_alone.workload->platform.device_count(DeviceKind::Host), 3U);
}

TEST(EngineQuestion, ContradictionsAreRefused) {
  const Workload workload = layered_model(unequal_platform(2, 1));
  const auto refused = [&](const char* engine, const Question& question, const Workload& about) {
    Problem problem(about, question);
    PlatformSpec devices;
    devices.platform = about.platform;
    try {
      ask_for_engine(*find_engine(engine), problem, devices);
    } catch (const InputError& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Usage);
      return std::string(error.where());
    }
    return std::string();
  };
  EXPECT_EQ(refused("vllm", {.shape = Shape::Free}, workload), "Question::shape");
  EXPECT_EQ(refused("accelerate", {.shape = Shape::Free}, workload), "");
  EXPECT_EQ(refused("vllm", {.replicas = 2}, workload), "Question::replicas");
  EXPECT_EQ(refused("onnxruntime", {}, workload), "PlatformOverrides::platform");
  EXPECT_EQ(refused("onnxruntime", {}, layered_model(unequal_platform(1, 1))), "");
  EXPECT_EQ(refused("vllm", {}, layered_model(unequal_platform(0, 1))), "PlatformOverrides::platform");
  EXPECT_EQ(refused("vllm", {}, layered_model(unequal_platform(2), {.backward = true})), "training");
}

}  // namespace
}  // namespace partita::detail::test
