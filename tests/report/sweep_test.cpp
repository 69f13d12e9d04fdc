// SPDX-License-Identifier: Apache-2.0
// Sweeps as a table, as JSON and as a picture, from points made by hand.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "partita/report/sweep_json.h"
#include "partita/report/sweep_svg.h"
#include "partita/report/sweep_text.h"

namespace partita::detail {
namespace {

Problem problem() {
  Problem result;
  result.workload.change().name = "net <1>";
  result.workload.change().platform = make_platform(4, 1024.0 * 1024 * 1024, 1);
  return result;
}

SweepPoint found(double parameter, double value, double bound) {
  SweepPoint point{parameter, std::to_string(static_cast<int>(parameter)), {}, 2};
  point.result.split.emplace();
  point.result.value = value;
  point.result.bound = bound;
  point.result.status = value == bound ? Status::Optimal : Status::Feasible;
  point.result.proof = "search";
  point.result.seconds = parameter == 3 ? 0 : 0.5;
  return point;
}

Sweep example() {
  Sweep sweep;
  SweepPoint none{1, "1", {}, 0};
  none.result.status = Status::Infeasible;
  none.result.reason = "memory: too little & too bad";
  none.result.seconds = 0.5;
  sweep.points = {none, found(2, 10, 10), found(3, 8, 6), found(4, 8, 6)};
  sweep.enough = 2;
  sweep.verdict = "3 accelerators seem enough";
  return sweep;
}

TEST(SweepText, ARowForEachPoint) {
  EXPECT_EQ(
      sweep_text(problem(), example()),
      "net <1>: 0 nodes, 0 edges; 4 accelerators of 1 GiB, 1 host\n"
      "max-load, staged splits; accelerators from 1 to 4.\n"
      "\n"
      "accelerators     value     bound      gap  status      speed-up      gain  efficiency  devices used    time\n"
      "           1         -         -        -  infeasible         -         -           -             -  0.50 s\n"
      "           2  10.00000  10.00000      0 %  optimal        1.00x         -     100.0 %             2  0.50 s\n"
      "           3   8.00000   6.00000  25.00 %  feasible       1.25x  +25.00 %      83.3 %             2       -  "
      "<- enough\n"
      "           4   8.00000   6.00000  25.00 %  feasible       1.25x   +0.00 %      62.5 %             2  0.50 s\n"
      "\n"
      "bound: no staged split is below it on that platform\n"
      "\n"
      "accelerators 1: infeasible: memory: too little & too bad\n"
      "\n"
      "3 accelerators seem enough\n");
}

TEST(SweepText, ValuesHaveTheirUnit) {
  Problem timed = problem();
  timed.workload.change().time_unit = "ms";
  EXPECT_NE(sweep_text(timed, example()).find("accelerators  value [ms]     bound"), std::string::npos);
  EXPECT_NE(sweep_svg(timed, example()).find("time per sample [ms]</text>"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(sweep_json(timed, example(), {10, 7}))["time_unit"], "ms");
  EXPECT_FALSE(nlohmann::json::parse(sweep_json(problem(), example(), {10, 7})).contains("time_unit"));
}

TEST(SweepText, TimesAndWidth) {
  EXPECT_EQ(sweep_text(problem(), example(), {.times = false}).find("time"), std::string::npos);
  const std::string narrow = sweep_text(problem(), example(), {.width = 60});
  for (std::size_t begin = 0; begin < narrow.size();) {
    const std::size_t end = narrow.find('\n', begin);
    EXPECT_LE(end - begin, 60u) << narrow.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(SweepJson, HasEveryNumber) {
  const auto json = nlohmann::json::parse(sweep_json(problem(), example(), {10, 7}));
  EXPECT_EQ(json["partita"]["format"], "sweep");
  EXPECT_EQ(json["partita"]["version"], 1);
  EXPECT_EQ(json["parameter"], "accelerators");
  EXPECT_EQ(json["shape"], "staged");
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["enough"], 2);
  ASSERT_EQ(json["points"].size(), 4u);
  const auto& none = json["points"][0];
  EXPECT_EQ(none["status"], "infeasible");
  EXPECT_TRUE(none["value"].is_null() && none["speed_up"].is_null() && none["gain"].is_null());
  EXPECT_EQ(none["reason"], "memory: too little & too bad");
  const auto& point = json["points"][2];
  EXPECT_EQ(point["parameter"], 3);
  EXPECT_DOUBLE_EQ(point["gap"], 0.25);
  EXPECT_DOUBLE_EQ(point["speed_up"], 1.25);
  EXPECT_DOUBLE_EQ(point["gain"], 0.25);
  EXPECT_DOUBLE_EQ(point["efficiency"], 1.25 * 2 / 3);
  EXPECT_FALSE(point.contains("reason"));
  Sweep memory = example();
  memory.parameter = SweepParameter::Memory;
  memory.enough.reset();
  const auto other = nlohmann::json::parse(sweep_json(problem(), memory, {kUnlimited, 1}));
  EXPECT_FALSE(other["points"][2].contains("efficiency"));
  EXPECT_TRUE(other["enough"].is_null() && other["time_limit"].is_null());
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(SweepSvg, DrawsWhatThereIs) {
  const std::string svg = sweep_svg(problem(), example());
  EXPECT_EQ(count(svg, "<circle"), 3u);
  EXPECT_EQ(count(svg, "<polygon"), 1u);
  EXPECT_EQ(count(svg, "<path"), 1u);  // the point without a split
  EXPECT_NE(svg.find("net &lt;1&gt;"), std::string::npos);
  EXPECT_NE(svg.find("too little &amp; too bad"), std::string::npos);
  EXPECT_NE(svg.find("3: enough"), std::string::npos);
  EXPECT_NE(svg.find("prefers-color-scheme: dark"), std::string::npos);
  EXPECT_NE(svg.find("ideal: "), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf,"), std::string::npos);
}

TEST(SweepSvg, SteepCurvesAreDrawnByPowersOfTen) {
  Sweep sweep;
  sweep.parameter = SweepParameter::Memory;
  sweep.points = {found(1, 20000, 19000), found(2, 700, 0), found(4, 16, 15)};
  for (SweepPoint& point : sweep.points) point.label += " GiB";
  const std::string svg = sweep_svg(problem(), sweep);
  for (const char* level : {">1<", ">10<", ">100<", ">1000<", ">10000<"}) EXPECT_EQ(count(svg, level), 1u) << level;
  EXPECT_EQ(svg.find("inf"), std::string::npos);  // neither the bound of 0
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("ideal"), svg.find(".ideal") + 1);  // the style alone
}

TEST(SweepSvg, NothingAndOnePointAreDrawnToo) {
  Sweep sweep = example();
  sweep.points.clear();
  sweep.enough.reset();
  EXPECT_EQ(count(sweep_svg(problem(), sweep), "<circle"), 0u);
  sweep.points = {found(2, 0, 0)};
  sweep.parameter = SweepParameter::Bandwidth;
  const std::string svg = sweep_svg(problem(), sweep);
  EXPECT_EQ(count(svg, "<circle"), 1u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace partita::detail
