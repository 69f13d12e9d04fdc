// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "fuzz/target.h"
#include "partita/read/trace.h"

// What is read keeps its promises: at least one slice, by start, those of a lane one after the other.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace partita;
  using namespace partita::detail;
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::must_answer([&] {
    const RunTrace trace = parse_trace(text, "f", fuzz::kLimits);
    if (trace.slices.empty() || trace.samples == 0) std::abort();
    std::vector<double> until(trace.lanes.size(), 0);
    double start = 0;
    for (const RunTrace::Slice& slice : trace.slices) {
      if (slice.lane >= trace.lanes.size() || slice.start < start || slice.start < until[slice.lane]) std::abort();
      if (!(slice.finish >= slice.start) || slice.sample >= kMostRunSamples) std::abort();
      start = slice.start;
      until[slice.lane] = slice.finish;
    }
  });
  return 0;
}
