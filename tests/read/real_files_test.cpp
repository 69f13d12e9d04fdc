// SPDX-License-Identifier: Apache-2.0
// The published workloads and the measured ones, where they are: every file reads, and survives a round trip.
#include <filesystem>
#include <vector>

#include "partita/read/split.h"
#include "partita/read/workload.h"
#include "partita/report/workload_json.h"
#include "tests/read/same_workload.h"
#include "tests/support/workloads.h"

namespace partita::detail {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_under(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".json" || path.extension() == ".gz") files.push_back(path);
  }
  return files;
}

TEST(RealFiles, EveryWorkloadReadsAndRoundTrips) {
  const auto workloads = workloads_folder();
  if (!workloads) GTEST_SKIP() << kNoWorkloads;
  std::size_t count = 0;
  for (const char* folder : {"paper/throughput-inputs", "paper/latency-inputs", "h200"}) {
    if (!fs::is_directory(*workloads / folder)) continue;
    for (const fs::path& path : files_under(*workloads / folder)) {
      SCOPED_TRACE(path.string());
      const Workload workload = read_workload(path.string());
      EXPECT_GT(workload.graph.nodes.size(), 30u);
      EXPECT_GT(workload.graph.edges.size(), 30u);
      EXPECT_EQ(workload.graph.has_backward(), path.string().find("training") != std::string::npos);
      EXPECT_GT(workload.platform.device_count(), 1u);
      expect_same(parse_workload(workload_json(workload), "again"), workload);
      ++count;
    }
  }
  if (count == 0) GTEST_SKIP() << kNoWorkloads;
}

TEST(RealFiles, ExpertSplitsNameTheNodesOfTheirWorkload) {
  const auto workloads = workloads_folder();
  if (!workloads || !fs::is_directory(*workloads / "paper" / "human-experts")) GTEST_SKIP() << kNoWorkloads;
  const fs::path folder = *workloads / "paper";
  for (const fs::path& path : files_under(folder / "human-experts")) {
    SCOPED_TRACE(path.string());
    const SplitListing listing = read_split(path.string());
    EXPECT_EQ(listing.claimed_value, std::nullopt);  // -1 in the files
    EXPECT_EQ(listing.devices.size(), 7u);
    const std::string name = path.stem().string();
    const std::string workload_name = name.substr(0, name.rfind("_expert")) + ".json";
    const Workload workload = read_workload((folder / "throughput-inputs" / "LayerGraphs" / workload_name).string());
    std::size_t listed = 0;
    for (const SplitListing::Device& device : listing.devices) listed += device.node_ids.size();
    EXPECT_EQ(listed, workload.graph.nodes.size());
  }
}

}  // namespace
}  // namespace partita::detail
