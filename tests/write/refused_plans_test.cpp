// SPDX-License-Identifier: Apache-2.0
// Plans that an engine cannot run, and what is said of them; names that need quotes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "partita/util/error.h"
#include "partita/write/engines/engine.h"
#include "partita/write/engines/quoting.h"
#include "tests/write/engine_judges.h"
#include "tests/write/layered_model.h"

namespace partita::detail::test {
namespace {

const DeviceId kA(0), kB(1), kC(2);

// What is said, or "" where the plan is exported.
std::string refusal(const char* engine, const ExportRequest& request, ErrorKind kind = ErrorKind::Unsupported) {
  try {
    export_plan(*find_engine(engine), request);
  } catch (const InputError& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  return "";
}

void expect_refused(const char* engine, const ExportRequest& request, const std::vector<std::string>& mentions,
                    ErrorKind kind = ErrorKind::Unsupported) {
  const std::string text = refusal(engine, request, kind);
  for (const std::string& mention : mentions)
    EXPECT_NE(text.find(mention), std::string::npos) << engine << ": " << text;
  EXPECT_EQ(std::ranges::count(text, '\n'), 0);
}

TEST(RefusedPlans, CutsInsideALayer) {
  const Problem problem(layered_model(unequal_platform(2)));
  Split split = layered_split(*problem.workload, {kA, kA, kA, kB, kB, kB});
  for (NodeId v : problem.workload->graph.nodes.all())
    if (problem.workload->graph.nodes[v].name == "model.layers.1.mlp.up_proj") split.device_of[v] = kB;
  for (const char* engine : {"vllm", "megatron", "torchtitan", "torch", "accelerate", "deepspeed"}) {
    expect_refused(engine, {.problem = problem, .split = split},
                   {"inside layer 1", "model.layers.1.mlp.up_proj on gpu1 0", "PlanOptions::contract_layers",
                    std::string("`--for ") + engine});
  }
  EXPECT_EQ(refusal("llama.cpp", {.problem = problem, .split = split}), "");
}

TEST(RefusedPlans, DevicesThatComeBack) {
  const Problem problem(layered_model(unequal_platform(2)));
  const Split split = layered_split(*problem.workload, {kA, kA, kB, kB, kA, kA});
  for (const char* engine : {"vllm", "llama.cpp", "megatron", "torchtitan", "torch", "deepspeed"})
    expect_refused(engine, {.problem = problem, .split = split},
                   {"gpu0 0", "one run of layers", "Question::shape = staged"});
  EXPECT_EQ(refusal("accelerate", {.problem = problem, .split = split}), "");
  EXPECT_EQ(refusal("openvino", {.problem = problem, .split = split}), "");
}

TEST(RefusedPlans, StagesWithoutLayers) {
  const Problem problem(layered_model(unequal_platform(3)));
  const Split head = layered_split(*problem.workload, {kA, kA, kB, kB, kB, kC});
  expect_refused("vllm", {.problem = problem, .split = head},
                 {"gpu2 0 has model.norm", "empty", "last layer", "`--for vllm`"});
  const Split embedding = layered_split(*problem.workload, {kA, kB, kB, kB, kB, kB});
  expect_refused("vllm", {.problem = problem, .split = embedding}, {"model.embed_tokens", "first layer"});
  EXPECT_EQ(refusal("megatron", {.problem = problem, .split = head}), "");
}

TEST(RefusedPlans, EndsThatAreCut) {
  const Problem problem(layered_model(unequal_platform(2)));
  Split split = layered_split(*problem.workload, {kA, kA, kA, kA, kA, kA});
  split.device_of[NodeId(problem.workload->graph.nodes.size() - 1)] = kB;  // the head without its norm
  expect_refused("megatron", {.problem = problem, .split = split}, {"model.norm is on gpu0 0 and lm_head on gpu1 0"});
  EXPECT_EQ(refusal("torch", {.problem = problem, .split = split}), "");
  const Exported llama = export_plan(*find_engine("llama.cpp"), {.problem = problem, .split = split});
  const std::vector<std::string> words = shell_words(script_lines(llama.files.front().text).back());
  EXPECT_EQ(llama_devices(words, 4).back(), "CUDA1");
  EXPECT_EQ(llama_tensor_device(words, "output_norm.weight", "CUDA1"), "CUDA0");
  EXPECT_EQ(llama_tensor_device(words, "blk.0.attn_output.weight", "CUDA0"), "CUDA0");
}

TEST(RefusedPlans, Hosts) {
  const Problem problem(layered_model(unequal_platform(1, 1)));
  const Split split = layered_split(*problem.workload, {kA, kA, kA, kB, kB, kB});
  for (const char* engine : {"vllm", "megatron", "torch"})
    expect_refused(engine, {.problem = problem, .split = split},
                   {"cpu 0", "accelerators", "PlatformOverrides::hosts = 0"});
  expect_refused("llama.cpp", {.problem = problem, .split = split}, {"layer 2", "first layers to the host"});
}

TEST(RefusedPlans, SkipsOverAStage) {
  const Problem problem(layered_model(unequal_platform(3), {.skip = true}));
  const Split split = layered_split(*problem.workload, {kA, kA, kB, kB, kC, kC});
  for (const char* engine : {"vllm", "megatron", "torchtitan", "torch", "deepspeed"})
    expect_refused(engine, {.problem = problem, .split = split},
                   {"stage 2 reads what model.embed_tokens makes in stage 0", "triton"});
  EXPECT_EQ(refusal("llama.cpp", {.problem = problem, .split = split}), "");
  const Split two = layered_split(*problem.workload, {kA, kA, kB, kB, kB, kB});
  EXPECT_EQ(refusal("vllm", {.problem = problem, .split = two}), "");
}

// Every stage makes its own.
TEST(RefusedPlans, MasksAreNoSkips) {
  const Problem problem(layered_model(unequal_platform(3), {.mask = true}));
  Split split = layered_split(*problem.workload, {kA, kA, kB, kB, kC, kC});
  EXPECT_EQ(refusal("vllm", {.problem = problem, .split = split}), "");
}

TEST(RefusedPlans, WeightsAreNoSkips) {
  const Problem problem(layered_model(unequal_platform(3), {.turned_table = true}));
  const Split split = layered_split(*problem.workload, {kA, kA, kB, kB, kC, kC});
  EXPECT_EQ(refusal("vllm", {.problem = problem, .split = split}), "");
}

TEST(RefusedPlans, Copies) {
  const Problem problem(layered_model(unequal_platform(2)));
  Split split = layered_split(*problem.workload, {kA, kA, kA, kA, kA, kA});
  split.copy_of = {kA, kA};
  for (const Engine& engine : engines()) {
    if (engine.runs_stage_files) continue;
    expect_refused(engine.name, {.problem = problem, .split = split}, {"gpu1 0 runs a copy", "Question::replicas = 1"});
  }
}

TEST(RefusedPlans, TrainingWhereOnlyInferenceRuns) {
  const Problem problem(layered_model(unequal_platform(2), {.backward = true}));
  const Split split = layered_split(*problem.workload, {kA, kA, kA, kB, kB, kB});
  for (const char* engine : {"vllm", "llama.cpp", "onnxruntime", "openvino"})
    expect_refused(engine, {.problem = problem, .split = split}, {"training", "megatron"});
  EXPECT_EQ(refusal("megatron", {.problem = problem, .split = split}), "");
}

TEST(RefusedPlans, LayersThatAreNone) {
  Problem problem(layered_model(unequal_platform(2)));
  const Split split = layered_split(*problem.workload, {kA, kA, kA, kB, kB, kB});
  Problem gap = problem;
  for (Node& node : gap.workload.change().graph.nodes)
    if (node.layer == 2) node.layer = 7;
  expect_refused("vllm", {.problem = gap, .split = split}, {"layer 2 is missing"});
  Problem turned = problem;
  for (Node& node : turned.workload.change().graph.nodes)
    if (node.layer) node.layer = 3 - *node.layer;
  expect_refused("vllm", {.problem = turned, .split = split}, {"layer 3 feeds layer 2"});
  for (Node& node : problem.workload.change().graph.nodes) node.layer.reset();
  expect_refused("llama.cpp", {.problem = problem, .split = split}, {"no node of layered says which layer", "layerId"});
}

TEST(RefusedPlans, SeveralAcceleratorsInOneSession) {
  const Problem problem(layered_model(unequal_platform(2)));
  const Split split = layered_split(*problem.workload, {kA, kA, kA, kB, kB, kB});
  expect_refused("onnxruntime", {.problem = problem, .split = split}, {"gpu0 0 and gpu1 0", "triton"});
}

TEST(RefusedPlans, StageFilesThatAreNotThere) {
  const Problem problem(layered_model(unequal_platform(2)));
  const Split split = layered_split(*problem.workload, {kA, kA, kA, kB, kB, kB});
  for (const char* engine : {"triton", "genai"})
    expect_refused(engine, {.problem = problem, .split = split},
                   {"`partita split MODEL PLAN", "ExportRequest::stages"});
}

TEST(RefusedPlans, NamesOfDevices) {
  const Problem problem(layered_model(unequal_platform(2)));
  const Split split = layered_split(*problem.workload, {kA, kA, kA, kB, kB, kB});
  const auto bad = [&](std::vector<std::string> names, const char* mention) {
    expect_refused("vllm", {.problem = problem, .split = split, .devices = std::move(names)}, {mention},
                   ErrorKind::Usage);
  };
  bad({"CUDA0"}, "expected 2");
  bad({"CUDA0", "CUDA0"}, "given twice");
  bad({"CUDA0", ""}, "no name");
  bad({"CUDA0", "a b"}, "no name");
  const Exported made =
      export_plan(*find_engine("llama.cpp"), {.problem = problem, .split = split, .devices = {"RPC[h:1]", "CUDA$0"}});
  EXPECT_EQ(option_value(shell_words(script_lines(made.files.front().text).back()), "-dev"), "RPC[h:1],CUDA$0");
}

TEST(RefusedPlans, NamesThatRulesCannotHold) {
  for (const char* name : {"a(b", "a,b", "a;b", "=a", " a", "a\n", ""}) {
    Problem problem(layered_model(unequal_platform(1, 1)));
    problem.workload.change().graph.nodes[NodeId(3)].name = name;
    const Split split = layered_split(*problem.workload, {kA, kA, kA, kA, kA, kA});
    expect_refused("onnxruntime", {.problem = problem, .split = split}, {"rename it"});
  }
}

TEST(Quoting, ShellsReadTheWordBack) {
  for (const char* text : {"plain", "two words", "it's", "'", "", "$HOME `ls` \"x\" \\", "a|b*c", "ä\n#", "-o=1,2"})
    EXPECT_EQ(shell_words("x " + shell_word(text)), (std::vector<std::string>{"x", text}));
  EXPECT_EQ(shell_word("CUDA0,CUDA1"), "CUDA0,CUDA1");
}

TEST(Quoting, ProtocolBuffersAndPythonEscape) {
  EXPECT_EQ(protobuf_text("a\"b\\c\n\xc3\xa4"), R"("a\"b\\c\012\303\244")");
  EXPECT_EQ(python_text("a\"b\\c\n"), R"("a\"b\\c\n")");
  EXPECT_EQ(regex_text("a.b[0]"), R"(a\.b\[0\])");
}

}  // namespace
}  // namespace partita::detail::test
