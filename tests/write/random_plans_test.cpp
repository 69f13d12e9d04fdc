// SPDX-License-Identifier: Apache-2.0
// Random plans by layers: what the engines make of their settings puts every layer where the plan has it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "partita/check/check.h"
#include "partita/write/engines/engine.h"
#include "tests/write/engine_judges.h"
#include "tests/write/layered_model.h"

namespace partita::detail::test {
namespace {

constexpr int kPlans = 400;

// A plan with its devices by unit: the embedding, layers, the head.
struct RandomPlan {
  Problem problem;
  Split split;
  std::vector<DeviceId> units;
  int layers = 0;

  std::string number(std::size_t unit) const { return std::to_string(units[unit].index()); }
};

struct PlanKind {
  bool ends_with_layers = false;
  int hosts = 0;         // the first units may be on a host
  bool in_a_row = true;  // else any device has any layer
  bool backward = false;
};

RandomPlan random_plan(std::mt19937& random, const PlanKind& kind) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  RandomPlan plan;
  plan.layers = 1 + below(40);
  const int devices = 1 + below(6);
  const Platform platform = unequal_platform(devices, kind.hosts);
  plan.problem = Problem(layered_model(platform, {.layers = plan.layers, .backward = kind.backward}));
  std::vector<DeviceId> order;
  for (int d = 0; d < devices; ++d) order.emplace_back(static_cast<std::size_t>(d));
  std::shuffle(order.begin(), order.end(), random);
  if (kind.hosts > 0 && below(2) == 0) order.insert(order.begin(), DeviceId(static_cast<std::size_t>(devices)));
  const int units = plan.layers + 2;
  std::vector<int> cuts;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) cuts.push_back(1 + below(units - 1));
  std::sort(cuts.begin(), cuts.end());
  for (int u = 0; u < units; ++u) {
    const auto stage = std::upper_bound(cuts.begin(), cuts.end(), u) - cuts.begin();
    plan.units.push_back(kind.in_a_row ? order[static_cast<std::size_t>(stage)]
                                       : order[static_cast<std::size_t>(below(static_cast<int>(order.size())))]);
  }
  if (kind.ends_with_layers) {
    plan.units.front() = plan.units[1];
    plan.units.back() = plan.units[plan.units.size() - 2];
  }
  plan.split = layered_split(*plan.problem.workload, plan.units);
  return plan;
}

Exported exported(const char* engine, const RandomPlan& plan) {
  return export_plan(*find_engine(engine), {.problem = plan.problem, .split = plan.split});
}

std::string settings(const char* engine, const RandomPlan& plan) { return exported(engine, plan).files.front().text; }

// The value that a script exports.
std::string exported_value(const std::vector<std::string>& lines, const std::string& name) {
  for (const std::string& line : lines)
    if (line.starts_with("export " + name + "=")) return line.substr(name.size() + 8);
  throw std::invalid_argument("no " + name);
}

void for_random_plans(const PlanKind& kind, const std::function<void(const RandomPlan&)>& judge, int plans = kPlans) {
  std::mt19937 random(20);
  std::size_t most_stages = 0;
  for (int i = 0; i < plans && !::testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(fmt::format("plan {}", i));
    const RandomPlan plan = random_plan(random, kind);
    most_stages = std::max(most_stages, plan.split.order.size());
    judge(plan);
  }
  EXPECT_GE(most_stages, 5U);
}

TEST(RandomPlans, AreLegal) {
  for_random_plans({}, [](const RandomPlan& plan) { EXPECT_TRUE(check(plan.problem, plan.split).legal()); });
}

TEST(RandomPlans, VllmPutsLayersWhereTheyArePlanned) {
  for_random_plans({.ends_with_layers = true}, [](const RandomPlan& plan) {
    const std::vector<std::string> lines = script_lines(settings("vllm", plan));
    const std::vector<std::string> words = shell_words(lines.back());
    EXPECT_EQ(option_value(words, "--tensor-parallel-size"), "1");
    const int stages = std::stoi(option_value(words, "--pipeline-parallel-size"));
    const std::vector<std::string> visible = list_of(exported_value(lines, "CUDA_VISIBLE_DEVICES"), ',');
    ASSERT_EQ(visible.size(), static_cast<std::size_t>(stages));
    const auto ranges = vllm_ranges(exported_value(lines, "VLLM_PP_LAYER_PARTITION"), plan.layers, stages);
    for (std::size_t rank = 0; rank < ranges.size(); ++rank) {
      EXPECT_LT(ranges[rank].first, ranges[rank].second);
      for (int layer = ranges[rank].first; layer < ranges[rank].second; ++layer)
        EXPECT_EQ(visible[rank], plan.number(static_cast<std::size_t>(layer) + 1)) << layer;
    }
    EXPECT_EQ(visible.front(), plan.number(0));
    EXPECT_EQ(visible.back(), plan.number(plan.units.size() - 1));
  });
}

TEST(RandomPlans, LlamaCppPutsLayersWhereTheyArePlanned) {
  for (const int hosts : {0, 2}) {
    for_random_plans({.hosts = hosts}, [](const RandomPlan& plan) {
      const std::vector<std::string> lines = script_lines(settings("llama.cpp", plan));
      ASSERT_EQ(lines.size(), 1U);
      const std::vector<std::string> placed = llama_devices(shell_words(lines[0]), plan.layers);
      ASSERT_EQ(placed.size(), plan.units.size() - 1);
      for (std::size_t i = 0; i < placed.size(); ++i) {
        const Platform& platform = plan.problem.workload->platform;
        const DeviceId device = plan.units[i + 1];
        const bool host = platform.classes[platform.class_of(device)].kind == DeviceKind::Host;
        EXPECT_EQ(placed[i], host ? "CPU" : "CUDA" + plan.number(i + 1)) << "unit " << i << " of " << lines[0];
      }
    });
  }
}

// Operators anywhere within a layer, as long as attention is in a row.
TEST(RandomPlans, LlamaCppPutsWeightsWhereTheyArePlanned) {
  std::mt19937 random(4);
  std::size_t overridden = 0;
  for_random_plans(
      {.hosts = 1},
      [&](const RandomPlan& planned) {
        RandomPlan plan = planned;
        const Graph& graph = plan.problem.workload->graph;
        for (NodeId v : graph.nodes.all()) {
          const bool may_move = graph.nodes[v].layer && graph.nodes[v].op == std::string("Linear");
          if (may_move && random() % 4 == 0) plan.split.device_of[v] = plan.units[random() % plan.units.size()];
        }
        const std::vector<std::string> words = shell_words(script_lines(settings("llama.cpp", plan)).back());
        const std::vector<std::string> placed = llama_devices(words, plan.layers);
        const Platform& platform = plan.problem.workload->platform;
        const std::map<std::string, std::string> tensor_of{
            {"input_layernorm", "attn_norm"}, {"self_attn.q_proj", "attn_q"}, {"mlp.up_proj", "ffn_up"}};
        for (NodeId v : graph.nodes.all()) {
          const Node& node = graph.nodes[v];
          if (!node.layer || node.parts.weights == 0) continue;
          const std::string part = node.name.substr(fmt::format("model.layers.{}.", *node.layer).size());
          const std::string tensor = fmt::format("blk.{}.{}.weight", *node.layer, tensor_of.at(part));
          const DeviceId device = plan.split.device_of[v];
          const bool host = platform.classes[platform.class_of(device)].kind == DeviceKind::Host;
          const std::string& layer_device = placed[static_cast<std::size_t>(*node.layer)];
          EXPECT_EQ(llama_tensor_device(words, tensor, layer_device),
                    host ? "CPU" : fmt::format("CUDA{}", device.index()))
              << tensor;
          if (llama_tensor_device(words, tensor, "") != "") ++overridden;
        }
        // Nothing else is caught by the patterns.
        for (const char* other : {"output.weight", "output_norm.weight", "token_embd.weight", "rope_freqs.weight"})
          EXPECT_EQ(llama_tensor_device(words, other, "its own"), "its own") << other;
      },
      kPlans / 8);  // regular expressions take their time under the sanitizers
  EXPECT_GT(overridden, 100U);
}

TEST(RandomPlans, MegatronPutsLayersWhereTheyArePlanned) {
  for (const bool backward : {false, true}) {
    for_random_plans({.backward = backward}, [](const RandomPlan& plan) {
      const std::string text = settings("megatron", plan);
      const std::vector<std::string> words = shell_words(script_lines(text).back());
      const int stages = std::stoi(option_value(words, "--pipeline-model-parallel-size"));
      EXPECT_EQ(std::stoi(option_value(words, "--num-layers")), plan.layers);
      const auto ranks = megatron_ranks(option_value(words, "--pipeline-model-parallel-layout"), stages, plan.layers);
      std::string letters = "E" + std::string(static_cast<std::size_t>(plan.layers), 't') + "L";
      std::size_t unit = 0;
      ASSERT_EQ(ranks.size(), plan.split.order.size());
      for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        for (const char letter : ranks[rank]) {
          EXPECT_EQ(letter, letters[unit]);
          EXPECT_EQ(plan.units[unit++], plan.split.order[rank]);
        }
      }
      EXPECT_EQ(unit, plan.units.size());
    });
  }
}

TEST(RandomPlans, TorchtitanPutsModulesWhereTheyArePlanned) {
  for_random_plans({}, [](const RandomPlan& plan) {
    std::string text = settings("torchtitan", plan);
    text = text.substr(text.find("= [") + 2);
    text.erase(text.rfind(",\n]"), 1);  // JSON has no comma there
    const nlohmann::json parts = nlohmann::json::parse(text);
    std::size_t unit = 0;
    ASSERT_EQ(parts.size(), plan.split.order.size());
    for (std::size_t stage = 0; stage < parts.size(); ++stage) {
      for (const auto& name : parts[stage]) {
        const bool norm = name == "norm";
        const std::string expected = unit == 0                      ? "tok_embeddings"
                                     : unit + 1 < plan.units.size() ? fmt::format("layers.{}", unit - 1)
                                                                    : "output";
        EXPECT_EQ(plan.units[unit], plan.split.order[stage]);
        if (norm) continue;
        EXPECT_EQ(name, expected);
        ++unit;
      }
    }
    EXPECT_EQ(unit, plan.units.size());
  });
}

TEST(RandomPlans, TorchCutsBeforeTheFirstModuleOfAStage) {
  for_random_plans({}, [](const RandomPlan& plan) {
    const std::string text = settings("torch", plan);
    std::size_t cuts = 0;
    for (std::size_t unit = 1; unit < plan.units.size(); ++unit) {
      const std::string module =
          unit + 1 < plan.units.size() ? fmt::format("model.layers.{}", unit - 1) : std::string("model.norm");
      const bool cut = text.find(fmt::format("\"{}\": SplitPoint.BEGINNING", module)) != std::string::npos;
      EXPECT_EQ(cut, plan.units[unit] != plan.units[unit - 1]) << module;
      cuts += cut ? 1 : 0;
    }
    EXPECT_EQ(cuts + 1, plan.split.order.size());
  });
}

TEST(RandomPlans, DeepspeedPutsLayersWhereTheyArePlanned) {
  for_random_plans({.backward = true}, [](const RandomPlan& plan) {
    const std::string text = settings("deepspeed", plan);
    const std::size_t begin = text.find("PARTS = [") + 9;
    std::vector<std::size_t> parts;
    for (const std::string& part : list_of(text.substr(begin, text.find(']', begin) - begin), ','))
      parts.push_back(std::stoul(part));
    // The head's norm is a layer of its own there.
    std::vector<DeviceId> units = plan.units;
    units.push_back(plan.units.back());
    ASSERT_EQ(parts.size(), plan.split.order.size() + 1);
    EXPECT_EQ(parts.back(), units.size());
    for (std::size_t stage = 0; stage + 1 < parts.size(); ++stage)
      for (std::size_t unit = parts[stage]; unit < parts[stage + 1]; ++unit)
        EXPECT_EQ(units[unit], plan.split.order[stage]) << unit;
  });
}

TEST(RandomPlans, AcceleratePutsParametersWhereTheyArePlanned) {
  for (const int hosts : {0, 1}) {
    for_random_plans({.hosts = hosts, .in_a_row = false}, [](const RandomPlan& plan) {
      std::map<std::string, std::string> map;
      const nlohmann::json document = nlohmann::json::parse(settings("accelerate", plan));
      for (const auto& [module, device] : document.items())
        map[module] = device.is_string() ? device.get<std::string>() : device.dump();
      const Graph& graph = plan.problem.workload->graph;
      const Platform& platform = plan.problem.workload->platform;
      for (NodeId v : graph.nodes.all()) {
        if (graph.nodes[v].parts.weights == 0) continue;
        const DeviceId device = plan.split.device_of[v];
        const bool host = platform.classes[platform.class_of(device)].kind == DeviceKind::Host;
        EXPECT_EQ(accelerate_device(map, graph.nodes[v].name + ".weight"),
                  host ? "cpu" : std::to_string(device.index()));
      }
    });
  }
}

TEST(RandomPlans, OnnxruntimePutsEveryNodeWhereItIsPlanned) {
  std::mt19937 random(9);
  for (int i = 0; i < kPlans / 4 && !HasFailure(); ++i) {
    Problem problem(layered_model(unequal_platform(1, 1), {.layers = 12}));
    Graph& graph = problem.workload.change().graph;
    // Names that are parts of each other.
    for (NodeId v : graph.nodes.all()) graph.nodes[v].name = fmt::format("n{}", v.index());
    Split split;
    split.device_of = IdVector<NodeId, DeviceId>(graph.nodes.size());
    for (NodeId v : graph.nodes.all()) split.device_of[v] = DeviceId(random() % 2);
    const Exported made = export_plan(*find_engine("onnxruntime"), {.problem = problem, .split = split});
    const nlohmann::json options = nlohmann::json::parse(made.files.front().text);
    const std::string rules = options.at("session.name_based_layer_assignment").get<std::string>();
    for (NodeId v : graph.nodes.all()) {
      if (graph.nodes[v].op == "input") continue;
      EXPECT_EQ(onnxruntime_device(rules, graph.nodes[v].name), split.device_of[v].index() == 0 ? "gpu:0" : "cpu");
    }
  }
}

}  // namespace
}  // namespace partita::detail::test
