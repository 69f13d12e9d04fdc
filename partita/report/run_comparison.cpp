// SPDX-License-Identifier: Apache-2.0
#include "partita/report/run_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "partita/check/names.h"
#include "partita/check/narrow_table.h"
#include "partita/check/times.h"
#include "partita/report/used_devices.h"

namespace partita::detail {
namespace {

constexpr double kTraceRounding = 1e-6;  // of the time per sample: a trace has nanoseconds

std::string error_text(const ComparedTime& time) {
  const std::optional<double> error = time.error();
  if (!error) return "-";
  const double percent = 100 * *error;
  if (std::abs(percent) < 0.05) return "0.0 %";
  return percent < 999.95 ? fmt::format("{:+.1f} %", percent) : fmt::format("{:+.0f} %", percent);
}

ComparedDevice compare_device(const UsedDevice& used, const Simulation& predicted, const Simulation& measured) {
  const DeviceUse& before = predicted.devices[used.device];
  const DeviceUse& after = measured.devices[used.device];
  ComparedDevice result{used.device, used.stage, {}};
  const auto of_a_sample = [](double time, const DeviceUse& use) {
    return time / static_cast<double>(std::max<std::size_t>(use.samples, 1));
  };
  const auto add = [&](const char* what, double predicted_time, double measured_time) {
    if (predicted_time > 0 || measured_time > 0)
      result.times.push_back({what, of_a_sample(predicted_time, before), of_a_sample(measured_time, after),
                              kTraceRounding * predicted.time_per_sample});
  };
  add("compute", before.compute, after.compute);
  add("in", before.in, after.in);
  add("out", before.out, after.out);
  add("sync", before.sync, after.sync);
  add("waiting", predicted.makespan - before.busy, measured.makespan - after.busy);
  return result;
}

Row heading(Row keys, const std::string& unit) {
  keys.insert(keys.end(), {time_heading("predicted", unit), time_heading("measured", unit), "error"});
  return keys;
}

}  // namespace

std::optional<double> ComparedTime::error() const {
  if (std::abs(measured - predicted) <= rounding) return 0.0;
  return predicted > 0 ? std::optional(measured / predicted - 1) : std::nullopt;
}

RunComparison compare_run(const CheckReport& report, const Simulation& predicted, const Simulation& measured) {
  RunComparison result;
  const double rounding = kTraceRounding * predicted.time_per_sample;
  result.stream = {{"time per sample", predicted.time_per_sample, measured.time_per_sample, rounding},
                   {"latency", predicted.latency, measured.latency, rounding},
                   {"warm-up", predicted.warm_up_end, measured.warm_up_end, rounding},
                   {"makespan", predicted.makespan, measured.makespan, rounding}};
  for (const UsedDevice& used : used_devices(report, predicted))
    result.devices.push_back(compare_device(used, predicted, measured));
  return result;
}

std::string run_text(const Problem& problem, const RunComparison& comparison, const Simulation& predicted,
                     const Simulation& measured, std::size_t width) {
  const std::string& unit = problem.workload->time_unit;
  const std::string of_samples =
      predicted.samples == measured.samples
          ? counted(measured.samples, "sample")
          : fmt::format("{} measured, {} predicted", counted(measured.samples, "sample"), predicted.samples);
  std::vector<Row> rows{heading({"<"}, unit)};
  for (const ComparedTime& time : comparison.stream) {
    rows.push_back(
        {time.what, fmt::format("{:.6g}", time.predicted), fmt::format("{:.6g}", time.measured), error_text(time)});
  }
  std::string text = fmt::format("predicted against measured: {}\n\n", of_samples) + layout_folded(rows, width) + "\n";

  double largest = 0;
  for (const ComparedDevice& device : comparison.devices) {
    for (const ComparedTime& time : device.times) largest = std::max({largest, time.predicted, time.measured});
  }
  const TimeFormat format(largest);
  const bool staged = !comparison.devices.empty() && comparison.devices.front().stage.has_value();
  rows = {heading(staged ? Row{"stage", "<device", "<per sample"} : Row{"<device", "<per sample"}, unit)};
  for (const ComparedDevice& device : comparison.devices) {
    for (const ComparedTime& time : device.times) {
      Row row;
      if (staged) row.push_back(std::to_string(device.stage.value_or(0) + 1));
      row.insert(row.end(), {problem.workload->platform.device_name(device.device), time.what, format(time.predicted),
                             format(time.measured), error_text(time)});
      rows.push_back(std::move(row));
    }
  }
  return text + layout_folded(rows, width, staged ? 3 : 2);
}

void add_run_comparison(const RunComparison& comparison, JsonWriter& json) {
  const auto write = [&](const ComparedTime& time) {
    json.object([&] {
      json.field("what", time.what);
      json.field("predicted", time.predicted);
      json.field("measured", time.measured);
      json.field("error", time.error());
    });
  };
  json.key("stream").array(comparison.stream, write);
  json.key("devices").array(comparison.devices, [&](const ComparedDevice& device) {
    json.object([&] {
      json.field("device", device.device);
      json.field("stage", device.stage);
      json.key("times").array(device.times, write);
    });
  });
}

}  // namespace partita::detail
