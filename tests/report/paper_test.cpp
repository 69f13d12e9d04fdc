// SPDX-License-Identifier: Apache-2.0
// The paper's tables, from cells made by hand.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "partita/report/paper_json.h"
#include "partita/report/paper_svg.h"
#include "partita/report/paper_text.h"

namespace partita::detail {
namespace {

AlgorithmRun found(double value, bool baseline) {
  AlgorithmRun run;
  run.baseline = baseline;
  run.outcome = AlgorithmRun::Outcome::Split;
  run.value = value;
  run.legal = true;
  run.seconds = 0.25;
  if (!baseline) {
    run.bound = value;
    run.optimal = true;
  }
  return run;
}

PaperCell paper(double value, const std::string& runtime = "") {
  PaperCell cell;
  cell.present = true;
  cell.value = value;
  cell.runtime = runtime;
  return cell;
}

PaperTable table(double dp, double search) {
  PaperTable table;
  table.name = "throughput";
  table.title = "Throughput";
  table.columns = {{"DP", "dp"}, {"Local search", "local-search"}, {"Expert", "expert"}};
  PaperRow row{"A", "training", "in/LayerGraphs/a.json", {paper(2.5, "3s"), paper(4), {}}, {}};
  row.runs = {found(dp, false), found(search, true), std::nullopt};
  table.rows = {row};
  return table;
}

TEST(PaperText, EqualCellsHaveNoNotes) {
  EXPECT_EQ(paper_text({table(2.5004, 4.0)}, {}),
            "Throughput\n"
            "\n"
            "workload                 DP / paper  time / paper  gap  Local search / paper  Expert / paper\n"
            "LayerGraphs/A training  2.50 / 2.50     0.2s / 3s  0 %           4.00 / 4.00               -\n");
}

TEST(PaperText, DifferencesAreExplained) {
  const std::string text = paper_text({table(2.4, 4.4)}, {.markdown = true});
  EXPECT_NE(text.find("| 2.40 / 2.50 [1] |"), std::string::npos) << text;
  EXPECT_NE(text.find("- [1] DP: proved to be the best here: A training -4.00 %\n"), std::string::npos) << text;
  EXPECT_NE(text.find("- [2] Local search: other random starts: A training +10.00 %\n"), std::string::npos) << text;
}

TEST(PaperText, OutOfMemoryOnBothSidesIsNoDifference) {
  PaperCell oom;
  oom.present = true;
  oom.remark = "OOM";
  AlgorithmRun run = found(3, true);
  run.legal = false;
  run.fault = "over memory by 1.0 GiB";
  EXPECT_EQ(why_different({"Expert", "expert"}, oom, run), "");
  EXPECT_EQ(why_different({"Expert", "expert"}, paper(3), run), "over memory by 1.0 GiB");
}

TEST(PaperText, PrintedDigitsDecide) {
  EXPECT_TRUE(same_as_printed(paper(17.71), found(17.7147, false)));
  EXPECT_FALSE(same_as_printed(paper(17.71), found(17.73, false)));
  EXPECT_TRUE(same_as_printed(paper(1000), found(1000.19, false)));
  EXPECT_FALSE(same_as_printed(paper(1000), std::nullopt));
}

TEST(PaperJson, HoldsTheCells) {
  const auto json = nlohmann::json::parse(paper_json({table(2.4, 4.0)}, {10, 1, true}));
  const auto& cells = json["tables"][0]["rows"][0]["cells"];
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[0]["paper"], 2.5);
  EXPECT_NEAR(cells[0]["difference"].get<double>(), -0.04, 1e-12);
  EXPECT_TRUE(cells[0].contains("why"));
  EXPECT_FALSE(cells[1].contains("why"));
}

TEST(PaperSvg, HasABarForEachLegalSplit) {
  PaperTable chart = table(2.5, 5);
  chart.rows[0].workload = "A<&>";
  const std::string svg = paper_svg(chart);
  EXPECT_NE(svg.find("A&lt;&amp;&gt; training: Local search 0.50x (5.00)"), std::string::npos) << svg;
  EXPECT_EQ(svg.find("Expert 0"), std::string::npos);
}

}  // namespace
}  // namespace partita::detail
