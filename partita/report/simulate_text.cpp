// SPDX-License-Identifier: Apache-2.0
#include "partita/report/simulate_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "partita/check/names.h"
#include "partita/check/narrow_table.h"
#include "partita/check/text_table.h"
#include "partita/check/times.h"
#include "partita/report/used_devices.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

constexpr std::size_t kRemarkWidth = 110;  // where lines may have any width

std::string share(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : std::string("-");
}

std::string head(const Simulation& simulation) {
  std::string schedule = fmt::format("schedule {}", to_string(simulation.kind));
  if (simulation.microbatches > 0) schedule += fmt::format(" in batches of {}", simulation.microbatches);
  return fmt::format("{}: {} through {}\n\n", schedule, counted(simulation.samples, "sample"),
                     counted(simulation.pieces.pieces.size(), "piece"));
}

bool same(double a, double b) { return std::abs(a - b) <= kValueTolerance * std::max(std::abs(a), std::abs(b)); }

// Behind the time per sample: how it was measured, and whether it is what the plan promises. The promise of another
// schedule than the plan's own is its formula, and the remark says why it is broken.
std::string judgement(const std::string& unit, const CheckReport& report, const Simulation& simulation) {
  const std::string text = simulation.steady ? "in steady state" : "on average; no steady state was reached";
  if (!simulation.formula) return text;
  const double promised = *simulation.formula;
  if (same(simulation.time_per_sample, promised))
    return text + (same(promised, report.value) ? ", as the plan promises" : ", as the schedule's formula says");
  if (!simulation.remark.empty()) return text;
  return fmt::format("{}; the formula says {}", text, time_text(promised, unit));
}

std::string measurements(const std::string& unit, const CheckReport& report, const Simulation& simulation,
                         std::size_t width) {
  const auto time = [&unit](double value) { return time_text(value, unit); };
  const double per_sample = simulation.time_per_sample;
  const bool batches = simulation.microbatches > 0;
  std::vector<Row> rows{{"<time per sample", fmt::format("<{}", time(per_sample)),
                         fmt::format("<{}", judgement(unit, report, simulation))}};
  const std::string rate = throughput_text(per_sample, unit);
  if (!rate.empty()) {
    rows.push_back({"throughput", rate, ""});
  } else if (per_sample > 0) {
    rows.push_back({"throughput", fmt::format("{:.6g}", 1 / per_sample),
                    unit.empty() ? "samples per unit of time" : fmt::format("samples per {}", visible(unit))});
  }
  rows.push_back({"latency", time(simulation.latency), "from start to end of a sample in mid-stream"});
  rows.push_back({"warm-up", time(simulation.warm_up_end),
                  batches ? "until the first batch is through" : "until the first sample is through"});
  if (simulation.samples > std::max<std::size_t>(simulation.microbatches, 1)) {
    const bool overlapping = !(simulation.drain_begin > simulation.warm_up_end);
    rows.push_back({"drain", time(simulation.makespan - simulation.drain_begin),
                    overlapping ? "from the end of the warm-up on"
                    : batches   ? "from the start of the last batch on"
                                : "from the start of the last sample on"});
  }
  rows.push_back({"makespan", time(simulation.makespan), "until the last sample is through"});
  std::string text = layout_wrapped(rows, width);
  if (!simulation.remark.empty()) text += wrapped_text(simulation.remark, width == kAnyWidth ? kRemarkWidth : width);
  return text;
}

// A schedule may keep more samples in flight than the memory model of the plan counts.
std::string mark(const Problem& problem, const CheckReport& report, const Simulation& simulation, DeviceId device) {
  const Platform& platform = problem.workload->platform;
  const double limit = platform.classes[platform.class_of(device)].memory;
  std::string text;
  if (report.is_bottleneck(device) && problem.objective != Objective::Latency) text = "bottleneck";
  if (simulation.devices[device].peak_memory > limit * (1 + kValueTolerance))
    text += (text.empty() ? "" : ", ") + fmt::format("more memory than its {}", human_bytes(limit));
  return text.empty() ? "<" : "<<- " + text;
}

}  // namespace

std::string simulate_text(const Problem& problem, const CheckReport& report, const Simulation& simulation,
                          std::size_t width) {
  const Platform& platform = problem.workload->platform;
  const bool staged = !report.order.empty();
  const bool sync = std::any_of(simulation.devices.begin(), simulation.devices.end(),
                                [](const DeviceUse& use) { return use.sync > 0; });
  Row header;
  if (staged) header.emplace_back("stage");
  header.insert(header.end(), {"<device", "compute", "in", "out"});
  if (sync) header.emplace_back("sync");
  header.insert(header.end(), {"busy", "idle", "samples", "in flight", "memory", "<"});

  std::vector<Row> rows{header};
  for (const UsedDevice& used : used_devices(report, simulation)) {
    const DeviceUse& use = simulation.devices[used.device];
    const bool pays = platform.classes[platform.class_of(used.device)].kind == DeviceKind::Accelerator;
    const auto of_all = [&](double part) { return share(part, simulation.makespan); };
    Row row;
    if (used.stage) row.push_back(std::to_string(*used.stage + 1));
    row.insert(row.end(), {platform.device_name(used.device), of_all(use.compute), pays ? of_all(use.in) : "-",
                           pays ? of_all(use.out) : "-"});
    if (sync) row.push_back(use.sync > 0 ? of_all(use.sync) : "-");
    row.insert(row.end(), {of_all(use.busy), of_all(simulation.makespan - use.busy), std::to_string(use.samples),
                           std::to_string(use.most_in_flight), human_bytes(use.peak_memory)});
    row.push_back(mark(problem, report, simulation, used.device));
    rows.push_back(std::move(row));
  }
  return head(simulation) + measurements(problem.workload->time_unit, report, simulation, width) + "\n" +
         layout_folded(rows, width, staged ? 2 : 1);
}

}  // namespace partita::detail
