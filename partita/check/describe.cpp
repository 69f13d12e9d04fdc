// SPDX-License-Identifier: Apache-2.0
#include "partita/check/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "partita/check/limits.h"
#include "partita/check/names.h"

namespace partita {
namespace {

constexpr int kDigits = 6;                    // significant ones of a table's largest time
constexpr std::size_t kViolationsShown = 20;  // of one kind

using Row = std::vector<std::string>;

// Enough decimals for kDigits significant digits of the largest number; all times of a table share them, so that the
// decimal points stand below each other.
int decimals_for(double largest) {
  if (!(largest > 0) || !std::isfinite(largest)) return 0;
  const int before_point = static_cast<int>(std::floor(std::log10(largest))) + 1;
  return std::clamp(kDigits - before_point, 0, 9);
}

// The first row is the header. Columns whose header starts with '<' are left-aligned.
std::string layout(const std::vector<Row>& rows) {
  const auto text_of = [](const std::string& cell) { return !cell.empty() && cell[0] == '<' ? cell.substr(1) : cell; };
  const std::size_t columns = rows.front().size();
  std::vector<std::size_t> width(columns, 0);
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < columns; ++c) width[c] = std::max(width[c], text_of(row[c]).size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      const bool left = rows.front()[c].starts_with('<');
      if (c) line += "  ";
      line +=
          left ? fmt::format("{:<{}}", text_of(row[c]), width[c]) : fmt::format("{:>{}}", text_of(row[c]), width[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

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

}  // namespace

std::string describe_table(const Problem& problem, const CheckReport& report) {
  const Platform& platform = problem.workload.platform;
  const bool latency = problem.objective == Objective::Latency;
  const bool timed = latency && !report.schedule.empty();
  const bool staged = !report.order.empty();
  const bool training = problem.workload.graph.has_backward();
  const IdVector<DeviceId, Span> span = spans(report);

  double largest = timed ? report.value : 0;
  for (double load : report.load) largest = std::max(largest, load);
  const int decimals = decimals_for(largest);
  const auto time = [&](double t) { return fmt::format("{:.{}f}", t, decimals); };

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

std::string describe_verdict(const Problem& problem, const CheckReport& report) {
  std::vector<std::string> question{to_string(problem.objective)};
  if (problem.objective == Objective::Latency) {
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
