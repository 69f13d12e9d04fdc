// SPDX-License-Identifier: Apache-2.0
// A workload and a split, a zero byte between them.
#include "fuzz/target.h"
#include "partita/check/check.h"
#include "partita/read/split.h"
#include "partita/read/workload.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace partita;
  using namespace partita::detail;
  const std::string_view text = fuzz::text_of(data, size);
  const std::size_t border = text.find('\0');
  if (border == std::string_view::npos) return 0;
  constexpr std::size_t kMostDevices = 1'000;  // more take time, and find nothing more
  fuzz::must_answer([&] {
    Problem problem;
    problem.workload = parse_workload(text.substr(0, border), "f", {}, fuzz::kLimits);
    const SplitListing listing = parse_split(text.substr(border + 1), "s", fuzz::kLimits);
    if (problem.workload->platform.device_count() > kMostDevices || listing.devices.size() > kMostDevices) return;
    for (const Objective objective : {Objective::MaxLoad, Objective::GPipe, Objective::Latency}) {
      problem.objective = objective;
      check(problem, listing);
    }
  });
  return 0;
}
