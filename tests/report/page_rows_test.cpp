// SPDX-License-Identifier: Apache-2.0
// The splits of rows of a comparison or a sweep, in the data of a page.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/report/page_answer.h"

namespace partita::detail {
namespace {

// Rows of a comparison: the page's own split, another one, the same as that, one that breaks a rule, and none.
struct RowsOfPage {
  Answer own{kTraining, kTrainingSplit};
  Comparison comparison;
  std::vector<std::optional<PageRow>> rows;

  RowsOfPage() {
    for (const char* split : {kTrainingSplit, "c | a b f | d e", "c | a b f | d e", "a c e f | b | d", ""}) add(split);
  }
  void add(std::string_view text) {
    comparison.runs.emplace_back();
    rows.emplace_back();
    if (text.empty()) return;
    PageRow row{own.problem, {}, {}};
    row.result.split = split_from_text(own.problem.workload, text);
    row.report = check(row.problem, *row.result.split);
    row.result.status = Status::Feasible;
    row.result.value = row.report.value;
    comparison.runs.back().split = row.result.split;
    rows.back() = std::move(row);
  }
  Json page() const {
    PageContent content = own.content();
    content.comparison = &comparison;
    content.rows = &rows;
    return Json::parse(page_json(content));
  }
};

TEST(PageRows, RowsShowTheirSplits) {
  const RowsOfPage made;
  ASSERT_FALSE(made.rows[3]->report.legal());
  const Json page = made.page();
  std::vector<Json> shown;
  for (const Json& run : page.at("comparison").at("runs")) shown.push_back(run.at("split"));
  EXPECT_EQ(shown, (std::vector<Json>{0, 1, 1, 2, nullptr}));
  ASSERT_EQ(page.at("splits").size(), 2);

  // Each is what the page of that split alone would have.
  const Json& other = page.at("splits")[0];
  const Json alone = Answer(kTraining, "c | a b f | d e").page();
  EXPECT_FALSE(other.contains("devices"));
  EXPECT_EQ(other.at("plan").at("loads"), alone.at("plan").at("loads"));
  EXPECT_EQ(other.at("plan").at("cuts"), alone.at("plan").at("cuts"));
  for (const char* field : {"piece", "x", "y", "width", "height", "pieces"})
    EXPECT_EQ(other.at("graph").at(field), alone.at("graph").at(field)) << field;
  EXPECT_FALSE(other.at("graph").contains("edgeCost"));
  EXPECT_FALSE(other.at("graph").contains("device"));

  const Json& illegal = page.at("splits")[1].at("graph");
  EXPECT_EQ(illegal.at("device"), Json({0, 1, 0, 2, 0, 0}));
  EXPECT_TRUE(illegal.at("pieces").empty());
  EXPECT_FALSE(made.own.page().contains("splits"));
}

TEST(PageRows, PointsOfASweepHaveDevicesAndCostsOfTheirOwn) {
  RowsOfPage made;
  made.rows.resize(2);
  Problem& problem = made.rows[1]->problem;
  problem.workload.change().platform.classes[ClassId(0)].memory = 64;
  problem.workload.change().graph.edges[0].cost = 0.5;
  PageContent content = made.own.content();
  Sweep sweep;
  sweep.points.resize(2);
  content.sweep = &sweep;
  content.rows = &made.rows;
  const Json page = Json::parse(page_json(content));
  EXPECT_EQ(page.at("sweep").at("points")[0].at("split"), 0);
  EXPECT_EQ(page.at("sweep").at("points")[1].at("split"), 1);
  const Json& there = page.at("splits")[0];
  EXPECT_EQ(there.at("devices")[0].at("memory"), 64);
  EXPECT_EQ(there.at("graph").at("edgeCost")[0], 0.5);
}

TEST(PageRows, NoMoreSplitsThanThereIsRoomFor) {
  std::string graph;
  std::string one;
  for (int i = 0; i < 2000; ++i) {
    graph += fmt::format("n{} 1 9;", i);
    one += fmt::format(" n{}", i);
  }
  RowsOfPage made;
  made.own = Answer(graph, one);
  made.rows.clear();
  made.comparison.runs.clear();
  constexpr std::size_t kFit = kMostRowNodes / 2000;
  for (std::size_t i = 0; i < kFit + 3; ++i) {
    made.comparison.runs.emplace_back();
    PageRow row{made.own.problem, made.own.result, {}};
    row.result.split->device_of[NodeId(i)] = DeviceId(1);
    row.report = check(row.problem, *row.result.split);
    made.rows.emplace_back(std::move(row));
  }
  const std::string text = page_json([&] {
    PageContent content = made.own.content();
    content.comparison = &made.comparison;
    content.rows = &made.rows;
    return content;
  }());
  const Json page = Json::parse(text);
  EXPECT_EQ(page.at("splits").size(), kFit);
  EXPECT_EQ(page.at("comparison").at("runs")[kFit - 1].at("split"), kFit);
  EXPECT_TRUE(page.at("comparison").at("runs")[kFit].at("split").is_null());
  EXPECT_LT(text.size(), 8'000'000U + made.own.page().dump().size());
}

}  // namespace
}  // namespace partita::detail
