// SPDX-License-Identifier: Apache-2.0
// Models as files, and solutions of other solvers. The program `cbc` stands for those, where it is installed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "partita/partita.h"
#include "partita/solve/mip/formulation.h"
#include "partita/solve/mip/read_solution.h"
#include "partita/solve/mip/write_model.h"
#include "partita/util/error.h"
#include "tests/mip/questions.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"

namespace partita::detail::test {
namespace {

LinearModel small_model() {
  LinearModel model;
  const ColumnId t = model.add_column({"T", 0, kNoLimit, 1});
  const ColumnId x = model.add_column({"x_0", 0, 1, 0, true});
  const ColumnId y = model.add_column({"y_0", 0, 1, 0, true});
  const ColumnId w = model.add_column({"w_0", -2, 5});
  const ColumnId f = model.add_column({"f_0", 3, 3});
  model.add_row("once", 1, {{x, 1}, {y, 1}}, 1);
  model.add_at_least("most", {{t, 1}, {x, -2.5}, {y, -4}}, 0);
  model.add_row("range", -1, {{w, 1}, {x, 1}, {w, 1}}, 7);
  model.add_at_most("top", {{w, 1}, {f, -0.1}}, 2);
  return model;
}

TEST(WriteModel, Mps) {
  EXPECT_EQ(model_text(small_model(), ModelFormat::Mps, "two\nlines\n"),
            "* two\n* lines\nNAME partita\nROWS\n N objective\n E once\n G most\n G range\n L top\nCOLUMNS\n"
            "    T objective 1\n    T most 1\n    MARKER0 'MARKER' 'INTORG'\n"
            "    x_0 once 1\n    x_0 most -2.5\n    x_0 range 1\n    y_0 once 1\n    y_0 most -4\n    MARKER1 'MARKER' "
            "'INTEND'\n"
            "    w_0 range 2\n    w_0 top 1\n    f_0 top -0.1\n"
            "RHS\n    RHS once 1\n    RHS range -1\n    RHS top 2\nRANGES\n    RNG range 8\n"
            "BOUNDS\n UP BND x_0 1\n UP BND y_0 1\n LO BND w_0 -2\n UP BND w_0 5\n FX BND f_0 3\nENDATA\n");
}

TEST(WriteModel, Lp) {
  EXPECT_EQ(model_text(small_model(), ModelFormat::Lp, "a comment"),
            "\\ a comment\nMinimize\n objective: + 1 T\nSubject To\n once: + 1 x_0 + 1 y_0 = 1\n"
            " most: + 1 T - 2.5 x_0 - 4 y_0 >= 0\n range: + 1 x_0 + 2 w_0 >= -1\n range_upper: + 1 x_0 + 2 w_0 <= 7\n"
            " top: + 1 w_0 - 0.1 f_0 <= 2\n"
            "Bounds\n 0 <= x_0 <= 1\n 0 <= y_0 <= 1\n -2 <= w_0 <= 5\n f_0 = 3\nGenerals\n x_0\n y_0\nEnd\n");
}

const std::vector<double> kSolutionOfFiles{2.5, 1, 0, 0, 3};

TEST(ReadSolution, EverySolversFormat) {
  const LinearModel model = small_model();
  const auto read = [&](const char* text) { return read_solution(model, text, "file"); };
  EXPECT_EQ(read("T 2.5\nx_0 1\n"), kSolutionOfFiles);
  EXPECT_EQ(read("# Solution for model partita\n# Objective value = 2.5\nT 2.5\nx_0 1\ny_0 -0\n"), kSolutionOfFiles)
      << "Gurobi";
  EXPECT_EQ(read("Optimal - objective value 2.50000000\n      0 T             2.5     0\n**    1 x_0             1     "
                 "-2.5\n"),
            kSolutionOfFiles)
      << "CBC";
  EXPECT_EQ(read("Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 2.5\n# Columns 5\nT 2.5\nx_0 "
                 "0.9999999\ny_0 0\n"
                 "w_0 0\nf_0 3\n# Rows 4\nonce 1\nmost 0\n\n# Dual solution values\nNone\n"),
            kSolutionOfFiles)
      << "HiGHS";
  EXPECT_EQ(read("solution status: optimal solution found\nobjective value:                                  2.5\n"
                 "T                                                 2.5 \t(obj:1)\nx_0                                 "
                 "              1 \t(obj:0)\n"),
            kSolutionOfFiles)
      << "SCIP";
}

TEST(ReadSolution, RefusesWhatBelongsToAnotherModel) {
  const LinearModel model = small_model();
  const auto message = [&](const char* text) -> std::string {
    try {
      read_solution(model, text, "file");
    } catch (const InputError& error) {
      EXPECT_EQ(error.kind(), ErrorKind::BadField);
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("T 1\nx_7 1\n").find("file:2: found column x_7"), std::string::npos);
  EXPECT_NE(message("x_0 0.4\n").find("expected a whole number"), std::string::npos);
  EXPECT_NE(message("x_0 one\n").find("expected a number"), std::string::npos);
  EXPECT_NE(message("x_0 nan\n").find("expected a number"), std::string::npos);
  EXPECT_NE(message("x_0 2\n").find("expected 0 to 1"), std::string::npos);
  EXPECT_NE(message("x_0 1\ny_0 1\n").find("row once is not met"), std::string::npos);
  EXPECT_NE(message("T 2.5\n").find("row once is not met"), std::string::npos);
  EXPECT_NE(message("").find("found no line"), std::string::npos);
  EXPECT_NE(message("Infeasible - objective value 0\n").find("found no line"), std::string::npos);
}

TEST(Adopt, MeasuresAndRefuses) {
  Problem problem;
  problem.workload = graph_from_text("a 3 30; b 2 20; c 1 10; a -> b -> c : 0.5");
  const Plan good = adopt(problem, split_from_text(problem.workload, "a | b c"));
  EXPECT_EQ(good.result.status, Status::Feasible);
  EXPECT_EQ(good.result.value, 3.5);
  EXPECT_EQ(good.result.bound, 0);
  const Plan bad = adopt(problem, split_from_text(problem.workload, "a c | b"));
  EXPECT_FALSE(bad.result.split.has_value());
  EXPECT_NE(bad.result.reason, "");
}

bool has_cbc() { return std::system("command -v cbc > /dev/null 2>&1") == 0; }

using ModelFiles = IntegerProgram;

TEST_P(ModelFiles, CbcReadsThemAndItsSolutionIsTheOptimum) {
  if (!has_cbc()) GTEST_SKIP() << "the program cbc is not installed";
  const auto folder = std::filesystem::temp_directory_path() / ("partita-mip-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  for (std::uint64_t seed = 1; seed <= cases(12); ++seed) {
    const Problem one = problem(seed + 3000);
    SCOPED_TRACE("seed " + std::to_string(seed + 3000) + "\n" + describe(*one.workload));
    const std::optional<double> best = brute_force(one);
    if (!best) continue;
    const bool mps = seed % 2 == 0;
    const auto model = folder / (mps ? "model.mps" : "model.lp"), solution = folder / "solution";
    std::ofstream(model) << integer_program(one, mps ? ModelFormat::Mps : ModelFormat::Lp);
    std::filesystem::remove(solution);
    ASSERT_EQ(
        std::system(("cbc " + model.string() + " -allow 0 -solve -solu " + solution.string() + " > /dev/null").c_str()),
        0);
    std::stringstream text;
    text << std::ifstream(solution).rdbuf();
    const Plan answer = adopt(one, read_integer_solution(one, text.str(), "solution"));
    ASSERT_TRUE(answer.result.split.has_value()) << answer.result.reason;
    EXPECT_NEAR(answer.result.value, *best, 1e-4 * (1 + *best));
  }
  std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(EveryQuestion, ModelFiles, kEveryQuestion, question_name);

}  // namespace
}  // namespace partita::detail::test
