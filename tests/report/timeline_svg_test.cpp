// SPDX-License-Identifier: Apache-2.0
#include "partita/report/timeline_svg.h"

#include <gtest/gtest.h>

#include <regex>
#include <vector>

#include "partita/report/timeline.h"
#include "tests/report/hand_made_simulation.h"

namespace partita::detail {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

// Every element is closed, in the right order; text holds no bare '<' or '&'.
void expect_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  static const std::regex kTag("<(/?)([a-z]+)((?: [a-zA-Z:-]+=\"[^\"<]*\")*)(/?)>");
  std::size_t at = 0;
  for (std::sregex_iterator tag(svg.begin(), svg.end(), kTag), end; tag != end; ++tag) {
    const std::string between = svg.substr(at, static_cast<std::size_t>(tag->position()) - at);
    EXPECT_EQ(between.find('<'), std::string::npos) << between;
    at = static_cast<std::size_t>(tag->position() + tag->length());
    if ((*tag)[1].length() > 0) {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), (*tag)[2].str());
      open.pop_back();
    } else if ((*tag)[4].length() == 0) {
      open.push_back((*tag)[2].str());
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(svg.substr(at), "\n");
  EXPECT_FALSE(std::regex_search(svg, std::regex("&(?!amp;|lt;|gt;|quot;)")));
}

TEST(Timeline, EndsShortlyAfterTheSteadyStateBegins) {
  const HandMade made = hand_made(100);
  const Timeline shown = timeline(made.report, made.simulation);
  EXPECT_EQ(shown.end, 28);  // the first sample is through at 8; five times 4
  EXPECT_TRUE(shown.cut);
  EXPECT_EQ(shown.samples, 7u);  // sample 6 starts at 24
  ASSERT_EQ(shown.lanes.size(), 2u);
  EXPECT_EQ(shown.lanes[0].boxes.back().finish, 28);
  for (const TimelineLane& lane : shown.lanes) {
    for (std::size_t i = 1; i < lane.boxes.size(); ++i) EXPECT_LE(lane.boxes[i - 1].finish, lane.boxes[i].start);
  }
}

TEST(Timeline, ShortRunsAreShownWhole) {
  const HandMade made = hand_made(8);  // ends at 36, not much after 28
  const Timeline shown = timeline(made.report, made.simulation);
  EXPECT_EQ(shown.end, 36);
  EXPECT_FALSE(shown.cut);
  EXPECT_EQ(shown.samples, 8u);
  EXPECT_EQ(shown.lanes[0].boxes.size() + shown.lanes[1].boxes.size(), 64u);
}

TEST(Timeline, EndsBeforeAnythingIsMissing) {
  const HandMade made = hand_made(100, 1, 5);
  EXPECT_EQ(timeline(made.report, made.simulation).end, 16);  // sample 5 could start once sample 4 has
}

TEST(Timeline, ShowsTwoBatchesOrTwoSamples) {
  HandMade made = hand_made(100);
  made.simulation.kind = ScheduleKind::GPipe;
  made.simulation.microbatches = 4;
  EXPECT_EQ(timeline(made.report, made.simulation).end, 36);  // when sample 7 is through
  made.simulation.kind = ScheduleKind::Sequential;
  EXPECT_EQ(timeline(made.report, made.simulation).end, 12);
  EXPECT_GT(samples_for_timeline({ScheduleKind::GPipe, 100, 500}), 1000u);
}

TEST(Timeline, LanesWithoutWorkAreCounted) {
  HandMade made = hand_made(100);
  const std::string name = "accelerator 1: in";
  made.simulation.lanes.push_back({DeviceId(1), name});
  EXPECT_EQ(timeline(made.report, made.simulation).idle_lanes, 1u);
}

TEST(Timeline, NarrowNeighboursJoin) {
  HandMade made = hand_made(1);
  made.simulation.intervals.clear();
  for (int i = 0; i < 800; ++i)
    made.simulation.intervals.push_back({LaneId(0), PieceId(0), Phase::Compute, 0, i / 100.0, (i + 1) / 100.0});
  const Timeline shown = timeline(made.report, made.simulation);
  ASSERT_EQ(shown.lanes.size(), 1u);
  ASSERT_EQ(shown.lanes[0].boxes.size(), 1u);
  EXPECT_EQ(shown.lanes[0].boxes[0].pieces, 800u);
}

TEST(Timeline, NeverHasTooManyBoxes) {
  HandMade made = hand_made(2000);
  made.simulation.kind = ScheduleKind::GPipe;
  made.simulation.microbatches = 500;
  const Timeline shown = timeline(made.report, made.simulation);
  std::size_t boxes = 0;
  for (const TimelineLane& lane : shown.lanes) boxes += lane.boxes.size();
  EXPECT_GT(boxes, 500u);
  EXPECT_LE(boxes, 900u);
  EXPECT_LT(timeline_svg(made.problem, made.report, made.simulation).size(), 200'000u);
}

TEST(TimelineSvg, HasABoxForEachInterval) {
  const HandMade made = hand_made(8);
  const std::string svg = timeline_svg(made.problem, made.report, made.simulation);
  expect_well_formed(svg);
  EXPECT_EQ(count_of(svg, "<title>sample "), 64u);
  EXPECT_EQ(count_of(svg, "<title>sample 3, backward, in: 17.5 to 18</title>"), 1u);
  EXPECT_EQ(count_of(svg, ">7</text>"), 4u);  // forward and backward on two devices
  EXPECT_EQ(count_of(svg, ">transfers in</text>"), 1u);
  EXPECT_EQ(count_of(svg, "exchange of weights"), 0u);
  EXPECT_NE(svg.find(">warm-up</text>"), std::string::npos);
  EXPECT_NE(svg.find(">steady state: 4 per sample</text>"), std::string::npos);
  EXPECT_NE(svg.find(">drain</text>"), std::string::npos);
  EXPECT_NE(svg.find("Shown: all samples."), std::string::npos);
  EXPECT_NE(svg.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_EQ(count_of(svg, "http"), 1u);  // the name of the format
}

TEST(TimelineSvg, SaysWhatIsLeftOut) {
  const HandMade made = hand_made(100);
  const std::string svg = timeline_svg(made.problem, made.report, made.simulation);
  EXPECT_NE(svg.find("Shown: the first 7 of 100 samples, until 28 of 404."), std::string::npos);
}

TEST(TimelineSvg, AnyNameAndEvenNothingIsDrawn) {
  HandMade made = hand_made(3);
  made.problem.workload.change().name = "a<b>&\"c\"";
  made.simulation.lanes[LaneId(0)].name = "<&> of a very long class of devices: compute";
  expect_well_formed(timeline_svg(made.problem, made.report, made.simulation));
  made.simulation.intervals.clear();
  expect_well_formed(timeline_svg(made.problem, made.report, made.simulation));
  made.simulation = {};
  made.simulation.devices.resize(2);
  expect_well_formed(timeline_svg(made.problem, made.report, made.simulation));
}

}  // namespace
}  // namespace partita::detail
