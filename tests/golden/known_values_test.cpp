// SPDX-License-Identifier: Apache-2.0
// Values that are known: the paper's inputs and measured models, solved to optimality. The inputs are not part of the
// project; where their folder is missing the tests are skipped.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "partita/check/certificate.h"
#include "partita/partita.h"
#include "partita/read/workload.h"
#include "tests/support/workloads.h"

namespace partita::detail::test {
namespace {

struct Known {
  std::string key;     // in best-known.json
  std::string folder;  // that the key is relative to
};

void PrintTo(const Known& known, std::ostream* out) { *out << known.key; }

class KnownValue : public testing::TestWithParam<Known> {};

TEST_P(KnownValue, IsFoundAndProved) {
  const auto folder = workloads_folder();
  if (!folder) GTEST_SKIP() << kNoWorkloads;
  std::ifstream file(*folder / "best-known.json");
  const double value = nlohmann::json::parse(file)[GetParam().key]["staged"]["value"];

  Problem problem;
  problem.workload = read_workload((*folder / GetParam().folder / GetParam().key).string());
  Budget budget(Budget::Limits{.seconds = 300});
  const Plan plan = partita::plan(problem, {}, budget);
  EXPECT_EQ(plan.result.status, Status::Optimal);
  EXPECT_NEAR(plan.result.value, value, 1e-6 * value);
  EXPECT_LE(plan.result.bound, plan.result.value);
  EXPECT_TRUE(plan.report.legal());
}

std::vector<Known> paper_inputs() {
  std::vector<Known> known;
  for (const char* name : {"bert24", "gnmt", "inceptionv3", "resnet50"}) {
    for (const char* pass : {"inference", "training"}) {
      known.push_back({std::string("throughput-inputs/LayerGraphs/") + name + "_" + pass + ".json", "paper"});
    }
  }
  for (const char* name : {"bert_l-3_inference", "bert_l-3_training", "bert_l-6_inference", "bert_l-6_training",
                           "bert_l-12_inference", "bert_L-12_training", "resnet50_inference", "resnet50_training"}) {
    known.push_back({std::string("throughput-inputs/OperatorGraphs/") + name + ".json", "paper"});
  }
  return known;
}

// Free splits: the value, and a certificate that holds for the bound.
class KnownFreeValue : public testing::TestWithParam<Known> {};

TEST_P(KnownFreeValue, IsFoundAndCertified) {
  const auto folder = workloads_folder();
  if (!folder) GTEST_SKIP() << kNoWorkloads;
  std::ifstream file(*folder / "best-known.json");
  const double value = nlohmann::json::parse(file)[GetParam().key]["free"]["value"];

  Problem problem;
  problem.workload = read_workload((*folder / GetParam().folder / GetParam().key).string());
  problem.shape = Shape::Free;
  Budget budget(Budget::Limits{.seconds = 300});
  const Plan plan = partita::plan(problem, {}, budget);
  EXPECT_EQ(plan.result.status, Status::Optimal);
  EXPECT_NEAR(plan.result.value, value, 1e-6 * value);
  ASSERT_TRUE(plan.certificate);
  EXPECT_EQ(plan.certificate->limit, plan.result.bound);
  EXPECT_TRUE(verify(problem, *plan.certificate).holds);
}

// Those that need a second or two; `./dev bench` runs them all.
std::vector<Known> free_inputs() {
  std::vector<Known> known;
  for (const char* name : {"LayerGraphs/bert24_inference", "LayerGraphs/bert24_training", "LayerGraphs/gnmt_training",
                           "OperatorGraphs/bert_l-3_inference", "OperatorGraphs/bert_l-3_training",
                           "OperatorGraphs/bert_l-6_training", "OperatorGraphs/bert_l-12_inference",
                           "OperatorGraphs/resnet50_inference", "OperatorGraphs/resnet50_training"}) {
    known.push_back({std::string("throughput-inputs/") + name + ".json", "paper"});
  }
  return known;
}

// The time of one sample.
class KnownLatency : public testing::TestWithParam<Known> {};

TEST_P(KnownLatency, IsFoundAndProved) {
  const auto folder = workloads_folder();
  if (!folder) GTEST_SKIP() << kNoWorkloads;
  std::ifstream file(*folder / "best-known.json");
  const double value = nlohmann::json::parse(file)[GetParam().key]["latency"]["value"];

  Problem problem;
  problem.workload = read_workload((*folder / GetParam().folder / GetParam().key).string());
  problem.objective = Objective::Latency;
  Budget budget(Budget::Limits{.seconds = 300});
  const Plan plan = partita::plan(problem, {}, budget);
  EXPECT_EQ(plan.result.status, Status::Optimal);
  EXPECT_NEAR(plan.result.value, value, 1e-5 * value);
  EXPECT_LE(plan.result.bound, plan.result.value);
  EXPECT_TRUE(plan.report.legal());
}

// All of the paper's but InceptionV3, which is not proved in reasonable time.
std::vector<Known> latency_inputs() {
  std::vector<Known> known;
  for (const char* name : {"LayerGraphs/bert24", "LayerGraphs/gnmt", "LayerGraphs/resnet50", "OperatorGraphs/bert_l-3",
                           "OperatorGraphs/bert_l-6", "OperatorGraphs/bert_l-12", "OperatorGraphs/resnet50"}) {
    known.push_back({std::string("latency-inputs/") + name + "_inference.json", "paper"});
  }
  return known;
}

std::vector<Known> measured_models() {
  std::vector<Known> known;
  for (const char* name :
       {"bert-large-inference", "densenet-201-inference", "dlrm-inference", "gpt2-medium-inference",
        "gpt2-medium-training", "inception-v3-inference", "inception-v3-training", "unet-inference", "unet-training"}) {
    known.push_back({std::string(name) + ".json.gz", "h200"});
  }
  return known;
}

std::string name_of_known(const testing::TestParamInfo<Known>& info) {
  std::string name = info.param.key.substr(info.param.key.rfind('/') + 1);
  name = name.substr(0, name.find(".json"));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return info.param.key.find("Operator") != std::string::npos ? name + "_operators" : name;
}

INSTANTIATE_TEST_SUITE_P(Paper, KnownValue, testing::ValuesIn(paper_inputs()), name_of_known);
INSTANTIATE_TEST_SUITE_P(Paper, KnownFreeValue, testing::ValuesIn(free_inputs()), name_of_known);
INSTANTIATE_TEST_SUITE_P(Paper, KnownLatency, testing::ValuesIn(latency_inputs()), name_of_known);
INSTANTIATE_TEST_SUITE_P(Measured, KnownValue, testing::ValuesIn(measured_models()), name_of_known);

}  // namespace
}  // namespace partita::detail::test
