// SPDX-License-Identifier: Apache-2.0
// The experts' splits published with the paper cost what the paper says.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "partita/check/check.h"
#include "partita/read/split.h"
#include "partita/read/workload.h"
#include "tests/support/workloads.h"

namespace partita::detail {
namespace {

TEST(Experts, CostWhatThePaperSays) {
  const auto folder = workloads_folder();
  if (!folder) GTEST_SKIP() << kNoWorkloads;
  const std::filesystem::path paper = *folder / "paper";
  std::ifstream file(paper / "tables.json");
  if (!file) GTEST_SKIP() << kNoWorkloads;
  const nlohmann::json tables = nlohmann::json::parse(file);

  int compared = 0;
  for (const auto& row : tables.at("throughput")) {
    const std::filesystem::path workload = paper / row.at("file").get<std::string>();
    const std::filesystem::path expert = paper / "human-experts" / (workload.stem().string() + "_expert.json");
    // Operator graphs have files of the same names; the experts split the layer graphs.
    if (row.at("expert").is_null() || !std::filesystem::exists(expert)) continue;
    Problem problem;
    problem.workload = read_workload(workload.string());
    for (Shape shape : {Shape::Staged, Shape::Contiguous, Shape::Free}) {
      problem.shape = shape;
      const CheckReport report = check(problem, read_split(expert.string()));
      EXPECT_TRUE(report.legal()) << expert << ": " << (report.legal() ? "" : report.violations[0].message);
      EXPECT_NEAR(report.value, row.at("expert").get<double>(), 0.005 + 1e-9) << expert;  // the paper prints two digits
    }
    ++compared;
  }
  EXPECT_EQ(compared, 6);
}

}  // namespace
}  // namespace partita::detail
