// SPDX-License-Identifier: Apache-2.0
#include "partita/check/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "partita/check/limits.h"
#include "partita/check/names.h"
#include "partita/check/text_table.h"

namespace partita {
namespace {

constexpr std::size_t kViolationsShown = 20;  // of one kind
constexpr std::size_t kLinesShown = 30;       // of a schedule

// "accelerator 3-5, host 0".
std::string empty_devices(const Platform& platform, const CheckReport& report) {
  std::string text;
  for (ClassId id : platform.classes.all()) {
    const std::size_t first = platform.first_device(id).index();
    const auto count = static_cast<std::size_t>(platform.classes[id].count);
    std::string ranges;
    for (std::size_t i = 0; i < count; ++i) {
      if (report.devices[DeviceId(first + i)].node_count > 0) continue;
      std::size_t last = i;
      while (last + 1 < count && report.devices[DeviceId(first + last + 1)].node_count == 0) ++last;
      if (!ranges.empty()) ranges += ",";
      ranges += last == i ? std::to_string(i) : fmt::format("{}-{}", i, last);
      i = last;
    }
    if (!ranges.empty()) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", platform.classes[id].name, ranges);
  }
  return text;
}

std::vector<DeviceId> devices_in_use(const CheckReport& report) {
  if (!report.order.empty()) return report.order;
  std::vector<DeviceId> devices;
  for (DeviceId d : report.devices.all()) {
    if (report.devices[d].node_count > 0) devices.push_back(d);
  }
  return devices;
}

struct Span {
  double start = std::numeric_limits<double>::infinity();
  double finish = 0;
};

IdVector<DeviceId, Span> spans(const CheckReport& report) {
  IdVector<DeviceId, Span> result(report.devices.size());
  for (const ScheduleStep& step : report.schedule) {
    result[step.device].start = std::min(result[step.device].start, step.start);
    result[step.device].finish = std::max(result[step.device].finish, step.finish);
  }
  return result;
}

// A line of the schedule: a subgraph of an accelerator, or a time in which hosts are busy without a break.
struct Period {
  double start = 0;
  double finish = 0;
  std::string name;
  std::size_t node_count = 0;
};

// By start. Host nodes that take no time are in none of them. Precondition: the schedule is sorted by start.
std::vector<Period> periods(const Problem& problem, const CheckReport& report) {
  const bool training = problem.workload.graph.has_backward();
  IdVector<DeviceId, bool> several(report.devices.size(), false);  // subgraphs in one pass, so that they need numbers
  for (const ScheduleStep& step : report.schedule) {
    if (step.subgraph > 0) several[step.device] = true;
  }
  std::vector<Period> result;
  std::optional<std::size_t> hosts;  // the last time of busy hosts
  for (const ScheduleStep& step : report.schedule) {
    const bool on_host = step.node.valid();
    if (on_host && step.finish <= step.start) continue;
    if (on_host && hosts && step.start <= result[*hosts].finish) {
      result[*hosts].finish = std::max(result[*hosts].finish, step.finish);
      ++result[*hosts].node_count;
      continue;
    }
    if (on_host) hosts = result.size();
    std::string name = on_host ? "hosts" : problem.workload.platform.device_name(step.device);
    if (!on_host && training) name += step.backward ? ", backward" : ", forward";
    if (!on_host && several[step.device]) name += fmt::format(", subgraph {}", step.subgraph);
    result.push_back({step.start, step.finish, std::move(name), step.node_count});
  }
  return result;
}

// More busy cores than hosts are worth a warning: the latency then counts on cores that the platform does not name.
std::string busy_cores(const Problem& problem, const CheckReport& report) {
  if (report.host_cores == 0) return "";
  const std::size_t hosts = problem.workload.platform.device_count(DeviceKind::Host);
  if (report.host_cores <= hosts)
    return fmt::format("{} busy at once, of {}\n", counted(report.host_cores, "host core"), hosts);
  return fmt::format(
      "warning: {} host nodes run at once, but there {} {}; --host-cores strict makes nodes wait for a free one\n",
      report.host_cores, hosts == 1 ? "is" : "are", counted(hosts, "host"));
}

std::string memory_text(double bytes) {
  if (bytes >= 1073741824.0) return fmt::format("{:.4g} GiB", bytes / 1073741824.0);
  if (bytes >= 1048576.0) return fmt::format("{:.4g} MiB", bytes / 1048576.0);
  return fmt::format("{:.6g} bytes", bytes);
}

std::string platform_text(const Platform& platform) {
  std::string text;
  for (const DeviceClass& c : platform.classes) {
    if (c.count == 0) continue;
    if (!text.empty()) text += ", ";
    text += counted(static_cast<std::size_t>(c.count), c.name);
    if (std::isfinite(c.memory)) text += " of " + memory_text(c.memory);
  }
  return text;
}

}  // namespace

std::string describe_workload(const Problem& problem) {
  const Graph& graph = problem.workload.graph;
  return fmt::format("{}: {}, {}; {}", problem.workload.name, counted(graph.nodes.size(), "node"),
                     counted(graph.edges.size(), "edge"), platform_text(problem.workload.platform));
}

std::string describe_table(const Problem& problem, const CheckReport& report) {
  const Platform& platform = problem.workload.platform;
  const bool latency = problem.objective == Objective::Latency;
  const bool timed = latency && !report.schedule.empty();
  const bool staged = !report.order.empty();
  const bool training = problem.workload.graph.has_backward();
  const IdVector<DeviceId, Span> span = spans(report);

  double largest = timed ? report.value : 0;
  for (double load : report.load) largest = std::max(largest, load);
  const TimeFormat time(largest);

  Row header;
  if (staged) header.push_back("stage");
  header.insert(header.end(), {"<device", "load"});
  if (training) header.insert(header.end(), {"forward", "backward"});
  header.insert(header.end(), {"compute", "in", "out"});
  if (timed) header.insert(header.end(), {"start", "finish"});
  header.insert(header.end(), {"memory", "nodes", "<"});

  std::vector<Row> rows{header};
  for (DeviceId d : devices_in_use(report)) {
    const DeviceReport& device = report.devices[d];
    const DeviceClass& device_class = platform.classes[platform.class_of(d)];
    const bool pays = device_class.kind == DeviceKind::Accelerator;
    Row row;
    if (staged) row.push_back(std::to_string(rows.size()));
    row.insert(row.end(), {platform.device_name(d), time(report.load[d])});
    if (training) {
      row.push_back(time(pass_load(device.forward, problem.transfers)));
      row.push_back(time(pass_load(device.backward, problem.transfers)));
    }
    row.push_back(time(device.compute()));
    row.push_back(pays ? time(device.in()) : "-");
    row.push_back(pays ? time(device.out()) : "-");
    if (timed) row.insert(row.end(), {time(span[d].start), time(span[d].finish)});
    row.push_back(human_bytes(device.memory));
    row.push_back(std::to_string(device.node_count));
    std::string note;
    if (d == report.bottleneck && !latency) note = "<- bottleneck";
    if (over_memory(device.memory, device_class.memory))
      note += note.empty() ? "<- over its memory" : ", over its memory";
    row.push_back("<" + note);
    rows.push_back(row);
  }
  std::string text = rows.size() > 1 ? layout(rows) : "";
  const std::string empty = empty_devices(platform, report);
  if (!empty.empty()) text += "empty: " + empty + "\n";
  return text;
}

std::string describe_schedule(const Problem& problem, const CheckReport& report) {
  if (report.schedule.empty()) return "";
  const TimeFormat time(report.value);
  const std::vector<Period> lines = periods(problem, report);
  std::vector<Row> rows{{"start", "finish", "<what runs", "nodes"}};
  // One line more is no longer than "... and 1 more".
  const std::size_t shown = lines.size() <= kLinesShown + 1 ? lines.size() : kLinesShown;
  for (std::size_t i = 0; i < shown; ++i) {
    const Period& line = lines[i];
    rows.push_back({time(line.start), time(line.finish), line.name, std::to_string(line.node_count)});
  }
  std::string text = "schedule of one sample:\n" + layout(rows);
  if (shown < lines.size()) text += fmt::format("... and {} more\n", lines.size() - shown);
  return text + busy_cores(problem, report);
}

std::string describe_verdict(const Problem& problem, const CheckReport& report) {
  std::vector<std::string> question{to_string(problem.objective)};
  if (problem.objective == Objective::Latency) {
    if (problem.subgraphs > 1) question.push_back(fmt::format("up to {} subgraphs", problem.subgraphs));
    if (problem.strict_host_cores) question.emplace_back("strict host cores");
    if (report.host_cores > 0) question.push_back(counted(report.host_cores, "host core") + " busy at once");
  } else {
    question.push_back(to_string(problem.shape));
    if (problem.backward_shape) question.push_back("backward shape");
    if (problem.transfers != TransferMode::Sum)
      question.push_back(std::string("transfers ") + to_string(problem.transfers));
  }
  const std::string value = std::isfinite(report.value) ? fmt::format("{:.7g}", report.value) : "none";
  std::string text = fmt::format("value: {} ({})\n", value, fmt::join(question, ", "));
  if (report.legal()) return text + "legal\n";

  text += fmt::format("not legal: {}\n", counted(report.violations.size(), "violation"));
  std::map<Violation::Kind, std::size_t> shown;
  for (const Violation& violation : report.violations) {
    if (++shown[violation.kind] > kViolationsShown) continue;
    text += fmt::format("  {}: {}\n", to_string(violation.kind), violation.message);
  }
  for (const auto& [kind, count] : shown) {
    if (count > kViolationsShown)
      text += fmt::format("  {}: {} more of this kind\n", to_string(kind), count - kViolationsShown);
  }
  return text;
}

}  // namespace partita
