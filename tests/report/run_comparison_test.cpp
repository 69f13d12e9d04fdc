// SPDX-License-Identifier: Apache-2.0
#include "partita/report/run_comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "partita/read/trace.h"
#include "partita/report/page.h"
#include "partita/report/simulate_json.h"
#include "partita/report/timeline_svg.h"
#include "partita/report/trace_json.h"
#include "partita/schedule/measured_run.h"
#include "tests/report/hand_made_simulation.h"
#include "tests/report/xml_fault.h"

namespace partita::detail {
namespace {

using Json = nlohmann::json;

Simulation read_back(const HandMade& made) {
  const std::string text = trace_json(made.problem, made.report, made.simulation);
  return measured_run(made.problem, made.report, made.simulation, parse_trace(text, "trace.json"));
}

// The first device computes 20 % longer, and the second one reads what nobody predicted.
Simulation slower(const HandMade& made) {
  Simulation measured = made.simulation;
  measured.time_per_sample *= 1.25;
  measured.makespan *= 1.25;
  measured.devices[DeviceId(0)].compute *= 1.2;
  measured.devices[DeviceId(1)].sync = 1;
  return measured;
}

TEST(RunComparison, ATraceOfASimulationHasNoErrors) {
  for (const double unit : {1.0, 1e-2 / 3, 12345.678901}) {
    const HandMade made = hand_made(40, unit);
    const RunComparison comparison = compare_run(made.report, made.simulation, read_back(made));
    for (const ComparedTime& time : comparison.stream) EXPECT_NEAR(time.error().value(), 0, 1e-4) << time.what;
    ASSERT_EQ(comparison.devices.size(), 2u);
    for (const ComparedDevice& device : comparison.devices) {
      EXPECT_EQ(device.times.size(), 4u);
      for (const ComparedTime& time : device.times) EXPECT_NEAR(time.error().value(), 0, 1e-4) << time.what;
    }
  }
}

TEST(RunComparison, ForPeople) {
  const HandMade made = hand_made(4);
  const Simulation measured = slower(made);
  const RunComparison comparison = compare_run(made.report, made.simulation, measured);
  EXPECT_EQ(run_text(made.problem, comparison, made.simulation, measured),
            "predicted against measured: 4 samples\n"
            "\n"
            "                 predicted  measured    error\n"
            "time per sample          4         5  +25.0 %\n"
            "latency                  8         8    0.0 %\n"
            "warm-up                  8         8    0.0 %\n"
            "makespan                20        25  +25.0 %\n"
            "\n"
            "stage  device         per sample  predicted  measured     error\n"
            "    1  accelerator 0  compute       3.00000   3.60000   +20.0 %\n"
            "    1  accelerator 0  in            0.50000   0.50000     0.0 %\n"
            "    1  accelerator 0  out           0.50000   0.50000     0.0 %\n"
            "    1  accelerator 0  waiting       1.00000   2.25000  +125.0 %\n"
            "    2  accelerator 1  compute       3.00000   3.00000     0.0 %\n"
            "    2  accelerator 1  in            0.50000   0.50000     0.0 %\n"
            "    2  accelerator 1  out           0.50000   0.50000     0.0 %\n"
            "    2  accelerator 1  sync          0.00000   0.25000         -\n"
            "    2  accelerator 1  waiting       1.00000   2.25000  +125.0 %\n");
  for (const std::size_t width : {80u, 60u, 50u}) {
    const std::string text = run_text(made.problem, comparison, made.simulation, measured, width);
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin))
      EXPECT_LE(end - begin, width) << text.substr(begin, end - begin);
  }
}

TEST(RunComparison, ForPrograms) {
  const HandMade made = hand_made(4);
  const Simulation measured = slower(made);
  const Json json = Json::parse(simulate_json(made.problem, made.report, made.simulation, &measured)).at("measured");
  EXPECT_EQ(json.at("samples"), 4);
  EXPECT_EQ(json.at("stream")[0],
            Json({{"what", "time per sample"}, {"predicted", 4}, {"measured", 5}, {"error", 0.25}}));
  EXPECT_EQ(json.at("devices")[1].at("stage"), 1);
  EXPECT_EQ(json.at("devices")[1].at("times")[3].at("error"), nullptr);
  EXPECT_FALSE(Json::parse(simulate_json(made.problem, made.report, made.simulation)).contains("measured"));
}

TEST(RunComparison, OnThePage) {
  const HandMade made = hand_made(40);
  Result result;
  result.status = Status::Feasible;
  result.split = split_from_text(made.problem.workload, "a d | b c");
  result.value = made.report.value;
  const RunTrace trace = parse_trace(trace_json(made.problem, made.report, made.simulation), "trace.json");
  const std::string page = run_page_html(made.problem, result, made.report, made.simulation, trace);
  const std::string element = R"(<script id="data" type="application/json">)";
  const std::size_t begin = page.find(element) + element.size();
  const Json data = Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  const Json& measured = data.at("measured").at("timeline");
  EXPECT_EQ(data.at("command"), "simulate");
  // What begins at the same time may stand in another order.
  const auto slices_of = [](const Json& timeline) {
    std::vector<std::string> slices;
    for (std::size_t i = 0; i < timeline.at("lane").size(); ++i) {
      slices.push_back(std::to_string(std::lround(1000 * timeline.at("start")[i].get<double>())) + " " +
                       timeline.at("lane")[i].dump() + timeline.at("piece")[i].dump() + " " +
                       timeline.at("sample")[i].dump() + timeline.at("phase").get<std::string>()[i]);
    }
    std::ranges::sort(slices);
    return slices;
  };
  EXPECT_EQ(slices_of(measured), slices_of(data.at("timeline")));
  EXPECT_FALSE(measured.contains("operators"));
  EXPECT_TRUE(measured.at("memory").empty());
  EXPECT_EQ(data.at("measured").at("stream").size(), 4u);
  EXPECT_EQ(data.at("measured").at("devices")[0].at("device"), 0);
}

TEST(RunComparison, TwoPicturesInOneScale) {
  const HandMade made = hand_made(8);
  Simulation measured = made.simulation;
  for (Interval& interval : measured.intervals) {
    interval.start *= 2;
    interval.finish *= 2;
  }
  measured.makespan *= 2;
  const std::string svg = timelines_svg(made.problem, made.report, made.simulation, measured);
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_NE(svg.find(">predicted: by hand<"), std::string::npos);
  EXPECT_NE(svg.find(">measured: by hand<"), std::string::npos);
  // Boxes by colours of their own, and the same one begins twice as far to the right below.
  const auto left_of = [&](const std::string& colour, const std::string& title) {
    const std::regex box("<rect class=\"" + colour + "\" x=\"([0-9.]+)\"[^>]*><title>" + title + "<");
    std::smatch found;
    return std::regex_search(svg, found, box) ? std::stod(found[1]) : -1;
  };
  const double origin = left_of("cp0", "sample 0, forward, compute: 0 to 1");
  EXPECT_EQ(left_of("cm0", "sample 0, forward, compute: 0 to 2"), origin);
  const double above = left_of("cp0", "sample 1, forward, compute: 4 to 5") - origin;
  EXPECT_GT(above, 0);
  EXPECT_NEAR(left_of("cm0", "sample 1, forward, compute: 8 to 10") - origin, 2 * above, 0.11);
}

}  // namespace
}  // namespace partita::detail
