// SPDX-License-Identifier: Apache-2.0
// A prediction beside what was measured: the times of the whole stream, and of each device what a sample takes of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partita/schedule/simulation.h"
#include "partita/util/json_writer.h"
#include "partita/util/text_width.h"

namespace partita::detail {

struct ComparedTime {
  const char* what;  // "time per sample", "compute", ...
  double predicted = 0;
  double measured = 0;
  double rounding = 0;  // times that differ by no more are the same

  // measured / predicted - 1; nothing where nothing was predicted but something was measured.
  std::optional<double> error() const;
};

struct ComparedDevice {
  DeviceId device;
  std::optional<std::size_t> stage;  // from 0
  // Of a sample that the device takes: compute, in, out, sync and waiting, without those that are 0 on both sides. Waiting
  // is the time until the makespan in which it does nothing, shared among its samples.
  std::vector<ComparedTime> times;
};

struct RunComparison {
  std::vector<ComparedTime> stream;     // time per sample, latency, warm-up, makespan
  std::vector<ComparedDevice> devices;  // in the order in which a sample meets them
};

// `measured` is measured_run (schedule/measured_run.h) of a trace, beside `predicted`.
RunComparison compare_run(const CheckReport& report, const Simulation& predicted, const Simulation& measured);

// For people. Every line ends with a newline, and is at most `width` wide, as far as names allow.
std::string run_text(const Problem& problem, const RunComparison& comparison, const Simulation& predicted,
                     const Simulation& measured, std::size_t width = kAnyWidth);

// For programs: the members "stream" and "devices" of the object that is open.
void add_run_comparison(const RunComparison& comparison, JsonWriter& json);

}  // namespace partita::detail
