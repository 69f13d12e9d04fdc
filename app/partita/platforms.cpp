// SPDX-License-Identifier: Apache-2.0
// `partita platforms [PLATFORM]`: the devices, links and servers that are known by name, or what a composition of them is.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "app/partita/commands.h"
#include "app/partita/output.h"
#include "app/shared/terminal_width.h"
#include "partita/check/narrow_table.h"
#include "partita/read/presets.h"

namespace partita::detail::app {
namespace {

constexpr const char* kPlatformsFooter =
    R"(A platform is devices and groups of them, with + between them, and a count and an x before them:
  4xa100                     four A100, each on its PCIe link
  4xa100-nvlink              the same on NVLink; a link's name behind any device puts it on that link
  a100+2xrtx3090+t4          unequal devices
  2x(4xa100-nvlink)+ib       two servers of four, with InfiniBand between them
  2x(8xl4+epyc)+eth100       two servers of eight and a host each
`partita plan model.onnx --platform 4xa100` plans for it. Where each figure comes from: --sources

Examples:
  partita platforms
  partita platforms '2x(4xa100-nvlink)+ib'
)";

std::string speed(double bytes_per_second) { return fmt::format("{:.4g} GB/s", bytes_per_second / 1e9); }

std::string micro(double seconds) { return fmt::format("{:.3g} us", seconds * 1e6); }

std::string peak(const DeviceRates& rates, DataType type) {
  const auto found = rates.flops.find(type);
  return found == rates.flops.end() ? "-" : fmt::format("{:.4g}", found->second / 1e12);
}

Row device_row(const std::string& name, const DeviceClass& device, const DeviceRates& rates, const std::string& count) {
  const bool host = device.kind == DeviceKind::Host;
  return {name,
          count,
          peak(rates, DataType::Float32),
          peak(rates, DataType::Float16),
          peak(rates, DataType::Int8),
          fmt::format("{:.4g} GB", device.memory / 1e9),
          speed(rates.memory_bandwidth),
          micro(rates.launch),
          host ? "-" : speed(1 / device.link_factor),
          host ? "-" : micro(device.link_latency)};
}

const Row kDeviceHeader{"<device", "count", "fp32", "fp16", "int8", "memory", "bandwidth", "launch", "link", "latency"};

void list_devices(std::string& page, std::size_t width, bool sources) {
  std::vector<Row> rows{kDeviceHeader};
  rows[0].erase(rows[0].begin() + 1);
  if (sources) rows[0].emplace_back("<source");
  for (const DevicePreset& preset : device_presets()) {
    Row row = device_row(preset.name, preset.device, preset.rates, "");
    row.erase(row.begin() + 1);
    if (sources) row.push_back(preset.source);
    rows.push_back(std::move(row));
  }
  page += "Devices (dense peaks in TFLOP/s and TOP/s; the link to the host's memory)\n" +
          (sources ? layout_wrapped(rows, width) : layout_folded(rows, width)) + "\n";
}

void list_links(std::string& page, std::size_t width, bool sources) {
  std::vector<Row> rows{{"<link", "bandwidth", "latency", "<what it is"}};
  if (sources) rows[0].emplace_back("<source");
  for (const LinkPreset& preset : link_presets()) {
    rows.push_back({preset.name, speed(1 / preset.link.factor), micro(preset.link.latency), preset.label});
    if (sources) rows.back().push_back(preset.source);
  }
  page += "Links (one direction)\n" + layout_wrapped(rows, width) + "\n";
}

void list_servers(std::string& page, std::size_t width, bool sources) {
  std::vector<Row> rows{{"<server", "<platform", "<what it is"}};
  if (sources) rows[0].emplace_back("<source");
  for (const ServerPreset& preset : server_presets()) {
    rows.push_back({preset.name, preset.platform, preset.label});
    if (sources) rows.back().push_back(preset.source);
  }
  page += "Servers\n" + layout_wrapped(rows, width);
}

void describe_cluster(const Platform& platform, const Cluster& cluster, int depth, std::string& page) {
  const std::string link = cluster.link
                               ? fmt::format("{}, {}", speed(1 / cluster.link->factor), micro(cluster.link->latency))
                               : "each device's own link";
  page += fmt::format("{:{}}cluster ({})", "", 2 * depth, link);
  const char* before = ": ";
  for (ClassId c : platform.classes.all()) {
    if (cluster.devices[c] == 0) continue;
    page += fmt::format("{}{} {}", before, cluster.devices[c], platform.classes[c].name);
    before = ", ";
  }
  page += "\n";
  for (const Cluster& inside : cluster.clusters) describe_cluster(platform, inside, depth + 1, page);
}

std::string page_of(const std::string& text, std::size_t width) {
  const PlatformSpec spec = compose_platform(text);
  std::vector<Row> rows{kDeviceHeader};
  for (ClassId c : spec.platform.classes.all()) {
    const DeviceClass& one = spec.platform.classes[c];
    rows.push_back(device_row(one.name, one, spec.rates[c], fmt::format("{}", one.count)));
  }
  std::string page = layout_folded(rows, width);
  if (spec.platform.clusters) describe_cluster(spec.platform, *spec.platform.clusters, 0, page);
  return page;
}

struct PlatformsArguments {
  std::string platform;
  bool sources = false;
};

}  // namespace

void add_platforms_command(Command& program, Action& action) {
  Command command =
      program.add_subcommand("platforms", "List the devices, links and servers that --platform knows by name");
  auto arguments = std::make_shared<PlatformsArguments>();
  command.add_option("PLATFORM", arguments->platform, "Show this composition of them instead of the list");
  command.add_flag("--sources", arguments->sources, "Where each figure comes from");
  command.footer(kPlatformsFooter);
  command.callback([&action, arguments] {
    action = [arguments] {
      const std::size_t width = page_width(STDOUT_FILENO);
      std::string page;
      if (!arguments->platform.empty()) {
        page = page_of(arguments->platform, width);
      } else {
        list_devices(page, width, arguments->sources);
        list_links(page, width, arguments->sources);
        list_servers(page, width, arguments->sources);
      }
      Output("-").write(page);
      return 0;
    };
  });
}

}  // namespace partita::detail::app
