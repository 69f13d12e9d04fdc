// SPDX-License-Identifier: Apache-2.0
// Known values of the paper's inputs by the integer programs and for contiguous splits, on one core in a minute.
#include <gtest/gtest.h>

#include <algorithm>

#include "partita/check/certificate.h"
#include "partita/partita.h"
#include "partita/read/workload.h"
#include "tests/support/workloads.h"

namespace partita::detail::test {
namespace {

struct KnownSplit {
  const char* file;
  Shape shape;
  Algorithm algorithm;
  double value;
  double gap = 0;  // that must be proved within a minute
};

void PrintTo(const KnownSplit& known, std::ostream* out) { *out << known.file; }

class KnownIp : public testing::TestWithParam<KnownSplit> {};

TEST_P(KnownIp, IsFoundAndProved) {
  const auto folder = workloads_folder();
  if (!folder) GTEST_SKIP() << kNoWorkloads;
  Problem problem;
  problem.workload = read_workload((*folder / "paper/throughput-inputs" / GetParam().file).string());
  problem.shape = GetParam().shape;
  Budget budget(Budget::Limits{.seconds = 200});
  const Plan answer = plan(problem, {.algorithm = GetParam().algorithm, .gap = GetParam().gap}, budget);
  EXPECT_LE(answer.result.gap(), GetParam().gap + kOptimalGap);
  EXPECT_NEAR(answer.result.value, GetParam().value, 2e-6 * GetParam().value);
  EXPECT_LE(answer.result.bound, GetParam().value * (1 + 1e-9));
  if (answer.certificate) {
    EXPECT_TRUE(verify(problem, *answer.certificate).holds);
  }
}

std::string known_name(const testing::TestParamInfo<KnownSplit>& info) {
  const std::string file = info.param.file;
  const std::size_t from = file.rfind('/') + 1;
  std::string name = file.substr(from, file.find('.') - from) + "_" + to_string(info.param.shape);
  std::replace(name.begin(), name.end(), '-', '_');
  return info.param.algorithm == Algorithm::Ip ? name + "_by_ip" : name;
}

INSTANTIATE_TEST_SUITE_P(
    Paper, KnownIp,
    testing::Values(
        KnownSplit{"OperatorGraphs/bert_l-3_inference.json", Shape::Contiguous, Algorithm::Ip, 27.9185676799125},
        KnownSplit{"OperatorGraphs/bert_l-3_inference.json", Shape::Free, Algorithm::Ip, 21.908376105693748},
        KnownSplit{"LayerGraphs/bert24_inference.json", Shape::Staged, Algorithm::Ip, 17.78990625},
        KnownSplit{"LayerGraphs/gnmt_inference.json", Shape::Free, Algorithm::Ip, 31.687310546875, 0.1},
        KnownSplit{"OperatorGraphs/bert_l-3_inference.json", Shape::Contiguous, Algorithm::Auto, 27.9185676799125},
        KnownSplit{"OperatorGraphs/bert_l-3_training.json", Shape::Contiguous, Algorithm::Auto, 65.3030930},
        KnownSplit{"LayerGraphs/bert24_inference.json", Shape::Contiguous, Algorithm::Auto, 17.78990625},
        KnownSplit{"OperatorGraphs/resnet50_inference.json", Shape::Contiguous, Algorithm::Auto, 124.34884977404485},
        KnownSplit{"LayerGraphs/gnmt_inference.json", Shape::Contiguous, Algorithm::Auto, 32.910658203125, 0.04}),
    known_name);

// 20 s or so. The other inputs of the paper are not proved in a minute.
TEST(KnownLatencyIp, Bert24) {
  const auto folder = workloads_folder();
  if (!folder) GTEST_SKIP() << kNoWorkloads;
  Problem problem;
  problem.workload = read_workload((*folder / "paper/latency-inputs/LayerGraphs/bert24_inference.json").string());
  problem.objective = Objective::Latency;
  Budget budget(Budget::Limits{.seconds = 200});
  const Plan answer = plan(problem, {.algorithm = Algorithm::Ip}, budget);
  EXPECT_EQ(answer.result.status, Status::Optimal);
  EXPECT_NEAR(answer.result.value, 100.2185, 1e-4);
}

}  // namespace
}  // namespace partita::detail::test
