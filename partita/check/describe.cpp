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

#include "partita/check/in_use.h"
#include "partita/check/limits.h"
#include "partita/check/names.h"
#include "partita/check/narrow_table.h"
#include "partita/check/times.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

constexpr std::size_t kViolationsShown = 20;  // of one kind
constexpr std::size_t kLinesShown = 30;       // of a schedule
constexpr std::size_t kIdleLinksShown = 4;    // shared links, with others
constexpr std::size_t kLongestTitle = 120;    // bytes of a workload's name

// "0,3-5" of numbers in rising order; a long list is cut.
std::string ranges_text(const std::vector<std::size_t>& numbers) {
  constexpr std::size_t kRangesShown = 8;
  std::string text;
  std::size_t ranges = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t first = i;
    while (i + 1 < numbers.size() && numbers[i + 1] == numbers[i] + 1) ++i;
    if (++ranges > kRangesShown) return text + ",...";
    if (!text.empty()) text += ",";
    text += i == first ? std::to_string(numbers[i]) : fmt::format("{}-{}", numbers[first], numbers[i]);
  }
  return text;
}

bool holds_something(const DeviceReport& device) { return device.node_count > 0 || device.original.valid(); }

std::string class_name(const Platform& platform, ClassId id) {
  return visible(platform.classes[id].name, kLongestShownName);
}

// "accelerator 3-5, host 0".
std::string empty_devices(const Platform& platform, const CheckReport& report) {
  std::string text;
  for (ClassId id : platform.classes.all()) {
    const std::size_t first = platform.first_device(id).index();
    std::vector<std::size_t> empty;
    for (std::size_t i = 0; i < static_cast<std::size_t>(platform.classes[id].count); ++i) {
      if (!holds_something(report.devices[DeviceId(first + i)])) empty.push_back(i);
    }
    if (empty.empty()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", class_name(platform, id), ranges_text(empty));
  }
  return text;
}

// What a row is called: "gpu 3", or "gpu 0,3-4 x3" for devices that share a stage.
class RowNames {
 public:
  RowNames(const Platform& platform, const CheckReport& report) : platform_(&platform) {
    for (DeviceId d : report.devices.all()) {
      const DeviceId original = report.devices[d].original;
      if (original.valid() && original != d) copies_[original].push_back(d);
    }
  }

  std::string operator()(DeviceId device) const {
    const auto copies = copies_.find(device);
    if (copies == copies_.end()) return platform_->device_name(device);
    const ClassId id = platform_->class_of(device);
    const std::size_t first = platform_->first_device(id).index();
    std::vector<std::size_t> numbers{device.index() - first};
    for (DeviceId d : copies->second) numbers.push_back(d.index() - first);
    std::sort(numbers.begin(), numbers.end());
    return fmt::format("{} {} x{}", class_name(*platform_, id), ranges_text(numbers), numbers.size());
  }

 private:
  const Platform* platform_;
  std::map<DeviceId, std::vector<DeviceId>> copies_;
};

bool has_shared_stages(const CheckReport& report) {
  return std::any_of(report.devices.begin(), report.devices.end(),
                     [](const DeviceReport& device) { return device.sharing > 1; });
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
  const bool training = problem.workload->graph.has_backward();
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
    std::string name = on_host ? "hosts" : problem.workload->platform.device_name(step.device);
    if (!on_host && training) name += step.backward ? ", backward" : ", forward";
    if (!on_host && several[step.device]) name += fmt::format(", subgraph {}", step.subgraph);
    result.push_back({step.start, step.finish, std::move(name), step.node_count});
  }
  return result;
}

// More busy cores than hosts are worth a warning: the latency then counts on cores that the platform does not name.
std::string busy_cores(const Problem& problem, const CheckReport& report, std::size_t width) {
  if (report.host_cores == 0) return "";
  const std::size_t hosts = problem.workload->platform.device_count(DeviceKind::Host);
  if (report.host_cores <= hosts)
    return fmt::format("{} busy at once, of {}\n", counted(report.host_cores, "host core"), hosts);
  return wrapped_text(fmt::format("warning: {} host nodes run at once, but there {} {}; Question::strict_host_cores "
                                  "makes nodes wait for a free "
                                  "one",
                                  report.host_cores, hosts == 1 ? "is" : "are", counted(hosts, "host")),
                      width);
}

// What is asked, a few words each: "max-load", "staged", "transfers overlap".
std::vector<std::string> question_words(const Problem& problem) {
  std::vector<std::string> question{to_string(problem.objective)};
  if (problem.objective == Objective::Latency) {
    if (problem.subgraphs > 1) question.push_back(fmt::format("up to {} subgraphs", problem.subgraphs));
    if (problem.strict_host_cores) question.emplace_back("strict host cores");
  } else {
    question.push_back(to_string(problem.shape));
    if (problem.backward_shape) question.push_back("backward shape");
    if (problem.transfers != TransferMode::Sum)
      question.push_back(std::string("transfers ") + to_string(problem.transfers));
    if (problem.replicas > 1) question.push_back(fmt::format("up to {} devices to a stage", problem.replicas));
    if (problem.memory_model != MemoryModel::Flat)
      question.push_back(std::string("memory ") + to_string(problem.memory_model));
    if (problem.microbatches > 0) question.push_back(fmt::format("microbatches {}", problem.microbatches));
    if (problem.recompute) question.emplace_back("recomputing");
  }
  const Wishes& wishes = problem.wishes;
  if (!wishes.pins.empty()) question.push_back(counted(wishes.pins.size(), "pin"));
  if (!wishes.together.empty()) question.push_back(counted(wishes.together.size(), "list") + " of nodes together");
  if (!wishes.apart.empty()) question.push_back(counted(wishes.apart.size(), "list") + " of nodes apart");
  return question;
}

}  // namespace

std::string describe_devices(const Platform& platform) {
  std::string text;
  for (const DeviceClass& c : platform.classes) {
    if (c.count == 0) continue;
    if (!text.empty()) text += ", ";
    const auto count = static_cast<std::size_t>(c.count);
    text += c.name == to_string(c.kind) ? counted(count, c.name)
                                        : fmt::format("{} x {}", count, visible(c.name, kLongestShownName));
    if (std::isfinite(c.memory)) text += " of " + memory_text(c.memory);
  }
  if (platform.clusters && !platform.clusters->clusters.empty())
    text += fmt::format(" in {}", counted(platform.clusters->clusters.size(), "cluster"));
  if (!platform.shared_links.empty())
    text += fmt::format(" behind {}", counted(platform.shared_links.size(), "shared link"));
  return text;
}

std::string describe_workload(const Problem& problem) {
  const Graph& graph = problem.workload->graph;
  return fmt::format("{}: {}, {}; {}", visible(problem.workload->name, kLongestTitle),
                     counted(graph.nodes.size(), "node"), counted(graph.edges.size(), "edge"),
                     describe_devices(problem.workload->platform));
}

std::string stage_name(const Problem& problem, const CheckReport& report, DeviceId device) {
  return RowNames(problem.workload->platform, report)(device);
}

std::string describe_question(Objective objective, Shape shape) {
  if (objective == Objective::Latency) return to_string(objective);
  return fmt::format("{}, {} splits", to_string(objective), to_string(shape));
}

namespace {

// What a row of the table is marked with: words, or where those have no room, signs that a line below explains.
struct Marks {
  const char* before;
  const char* bottleneck;
  const char* over_memory;
  const char* between;
};
constexpr Marks kWords{"<- ", "bottleneck", "over its memory", ", "};
constexpr Marks kSigns{"", "*", "!", ""};

// The table of devices, header first; all times with so many digits of the largest.
std::vector<Row> device_rows(const Problem& problem, const CheckReport& report, int digits, const Marks& marks) {
  const Platform& platform = problem.workload->platform;
  const bool latency = problem.objective == Objective::Latency;
  const bool timed = latency && !report.schedule.empty();
  const bool staged = !report.order.empty();
  const bool training = problem.workload->graph.has_backward();
  const bool shared = has_shared_stages(report);
  const bool flat = problem.memory_model == MemoryModel::Flat;  // else memory has a table of its own
  const IdVector<DeviceId, Span> span = spans(report);
  const RowNames name(platform, report);

  double largest = timed ? report.value : 0;
  for (double load : report.load) largest = std::max(largest, load);
  for (const SharedLinkReport& link : report.shared_links) largest = std::max(largest, link.load);
  const TimeFormat time(largest, digits);

  Row header;
  if (staged) header.push_back("stage");
  header.insert(header.end(), {"<device", time_heading("load", problem.workload->time_unit)});
  if (training) header.insert(header.end(), {"forward", "backward"});
  header.insert(header.end(), {"compute", "in", "out"});
  if (shared) header.push_back("sync");
  if (timed) header.insert(header.end(), {"start", "finish"});
  if (flat) header.push_back("memory");
  header.insert(header.end(), {"nodes", "<"});

  std::vector<Row> rows{header};
  for (DeviceId d : devices_in_use(report)) {
    const DeviceReport& device = report.devices[d];
    const DeviceClass& device_class = platform.classes[platform.class_of(d)];
    const bool pays = device_class.kind == DeviceKind::Accelerator;
    const auto average = [&](double of_one) { return time(of_one / static_cast<double>(device.sharing)); };
    Row row;
    if (staged) row.push_back(std::to_string(rows.size()));
    row.insert(row.end(), {name(d), time(report.load[d])});
    if (training) {
      row.push_back(average(pass_load(device.forward, problem.transfers)));
      row.push_back(average(pass_load(device.backward, problem.transfers)));
    }
    row.push_back(average(device.compute()));
    row.push_back(pays ? average(device.in()) : "-");
    row.push_back(pays ? average(device.out()) : "-");
    if (shared) row.push_back(device.sharing > 1 ? time(device.sync) : "-");
    if (timed) row.insert(row.end(), {time(span[d].start), time(span[d].finish)});
    if (flat) row.push_back(human_bytes(device.memory));
    row.push_back(std::to_string(device.node_count));
    std::vector<std::string> notes;
    const DeviceId slowest = report.bottleneck;
    const bool bottleneck =
        !report.slowest_link && slowest.valid() && (slowest == d || report.devices[slowest].original == d);
    if (bottleneck && !latency) notes.emplace_back(marks.bottleneck);
    if (flat && over_memory(device.memory, device_class.memory)) notes.emplace_back(marks.over_memory);
    row.push_back(fmt::format("<{}{}", notes.empty() ? "" : marks.before, fmt::join(notes, marks.between)));
    rows.push_back(row);
  }
  // Links that devices share come last, like devices that compute nothing. Of many, those that nothing goes over are left out.
  for (std::size_t i = 0; i < report.shared_links.size() && rows.size() > 1; ++i) {
    const SharedLinkReport& link = report.shared_links[i];
    if (report.shared_links.size() > kIdleLinksShown && link.load == 0) continue;
    Row row;
    if (staged) row.emplace_back("-");
    row.insert(row.end(), {link.name, time(link.load)});
    if (training) {
      row.push_back(time(pass_load(link.forward, problem.transfers)));
      row.push_back(time(pass_load(link.backward, problem.transfers)));
    }
    row.insert(row.end(), {"-", time(link.forward.in + link.backward.in), time(link.forward.out + link.backward.out)});
    if (shared) row.emplace_back("-");
    if (flat) row.emplace_back("-");
    row.emplace_back("-");
    row.push_back(report.slowest_link == i ? fmt::format("<{}{}", marks.before, marks.bottleneck) : "<");
    rows.push_back(row);
  }
  return rows;
}

// Words behind the rows are what a narrow table can do without most easily, then a digit of each of its columns. Where
// both together do not help, the words stay.
std::string device_table(const Problem& problem, const CheckReport& report, std::size_t width) {
  constexpr int kDigits = 6, kFewestDigits = 4;
  const auto fits = [width](const std::vector<Row>& rows) {
    return width == kAnyWidth || widest_line(layout(rows)) <= width;
  };
  std::vector<Row> rows = device_rows(problem, report, kDigits, kWords);
  if (rows.size() == 1) return "";
  if (fits(rows)) return layout(rows);
  std::vector<Row> signs;
  for (int digits = kDigits; digits >= kFewestDigits && (signs.empty() || !fits(signs)); --digits)
    signs = device_rows(problem, report, digits, kSigns);
  if (!fits(signs)) {
    return layout_folded(device_rows(problem, report, kFewestDigits, kWords), width, report.order.empty() ? 1 : 2);
  }
  const bool over =
      std::any_of(signs.begin() + 1, signs.end(), [](const Row& row) { return row.back().ends_with('!'); });
  return layout(signs) + (over ? "* the bottleneck, ! over its memory\n" : "* the bottleneck\n");
}

}  // namespace

std::string describe_table(const Problem& problem, const CheckReport& report, std::size_t width) {
  std::string text = device_table(problem, report, width);
  if (has_shared_stages(report)) {
    text += wrapped_text("xN: N devices run copies of the stage in turns; their times are averages over all samples",
                         width);
  }
  const std::string empty = empty_devices(problem.workload->platform, report);
  if (!empty.empty()) text += wrapped_text("empty: " + empty, width);
  return text;
}

namespace {

// The limit that all devices in use have, if it is the same.
std::optional<double> limit_of_all(const Platform& platform, const CheckReport& report) {
  std::optional<double> limit;
  for (DeviceId d : devices_in_use(report)) {
    const double its_limit = platform.classes[platform.class_of(d)].memory;
    if (limit && *limit != its_limit) return std::nullopt;
    limit = its_limit;
  }
  return limit;
}

}  // namespace

std::string describe_memory(const Problem& problem, const CheckReport& report, std::size_t width) {
  if (problem.memory_model == MemoryModel::Flat) return "";
  const Platform& platform = problem.workload->platform;
  const bool staged = !report.order.empty();
  const RowNames name(platform, report);
  const std::optional<double> one_limit = limit_of_all(platform, report);
  Row header;
  if (staged) header.push_back("stage");
  const bool gradients =
      std::ranges::any_of(report.devices, [](const DeviceReport& device) { return device.memory_items.gradients > 0; });
  header.insert(header.end(), {"<device", "weights"});
  if (gradients) header.emplace_back("gradients");
  header.insert(header.end(), {"optimizer", "per sample", "in flight"});
  if (problem.recompute) header.emplace_back("recomputing");
  header.emplace_back("memory");
  if (!one_limit) header.emplace_back("limit");
  header.emplace_back("<");

  std::vector<Row> rows{header};
  for (DeviceId d : devices_in_use(report)) {
    const DeviceReport& device = report.devices[d];
    const MemoryItems& items = device.memory_items;
    const double limit = platform.classes[platform.class_of(d)].memory;
    Row row;
    if (staged) row.push_back(std::to_string(rows.size()));
    row.insert(row.end(), {name(d), human_bytes(items.weights)});
    if (gradients) row.push_back(human_bytes(items.gradients));
    row.insert(row.end(),
               {human_bytes(items.optimizer_state), human_bytes(items.activation), std::to_string(items.in_flight)});
    if (problem.recompute) row.push_back(device.recomputes ? human_bytes(items.recomputed) : "-");
    row.push_back(human_bytes(device.memory));
    if (!one_limit) row.push_back(std::isfinite(limit) ? human_bytes(limit) : "-");
    row.push_back(over_memory(device.memory, limit) ? "<<- over" : "<");
    rows.push_back(row);
  }
  if (rows.size() == 1) return "";
  const std::string limit =
      one_limit && std::isfinite(*one_limit) ? ", at most " + memory_text(*one_limit) + " each" : "";
  return fmt::format("memory ({}{}):\n", to_string(problem.memory_model), limit) +
         layout_folded(rows, width, staged ? 2 : 1);
}

std::string describe_schedule(const Problem& problem, const CheckReport& report, std::size_t width) {
  if (report.schedule.empty()) return "";
  const TimeFormat time(report.value);
  const std::vector<Period> lines = periods(problem, report);
  std::vector<Row> rows{{time_heading("start", problem.workload->time_unit), "finish", "<what runs", "nodes"}};
  // One line more is no longer than "... and 1 more".
  const std::size_t shown = lines.size() <= kLinesShown + 1 ? lines.size() : kLinesShown;
  for (std::size_t i = 0; i < shown; ++i) {
    const Period& line = lines[i];
    rows.push_back({time(line.start), time(line.finish), line.name, std::to_string(line.node_count)});
  }
  std::string text = "schedule of one sample:\n" + layout_folded(rows, width, 3);
  if (shown < lines.size()) text += fmt::format("... and {} more\n", lines.size() - shown);
  return text + busy_cores(problem, report, width);
}

std::string describe_problem(const Problem& problem) {
  return fmt::format("{}, {}", fmt::join(question_words(problem), ", "), describe_devices(problem.workload->platform));
}

std::string describe_verdict(const Problem& problem, const CheckReport& report) {
  std::vector<std::string> question = question_words(problem);
  if (problem.objective == Objective::Latency && report.host_cores > 0)
    question.push_back(counted(report.host_cores, "host core") + " busy at once");
  const std::string value = std::isfinite(report.value) ? time_text(report.value, problem.workload->time_unit) : "none";
  std::string text = fmt::format("value: {} ({})\n", value, fmt::join(question, ", "));
  if (report.legal()) return text + "legal\n";

  text += fmt::format("not legal: {}\n", counted(report.violations.size(), "violation"));
  std::map<Violation::Kind, std::size_t> shown;
  for (const Violation& violation : report.violations) {
    if (++shown[violation.kind] > kViolationsShown) continue;
    text += fmt::format("  {}: {}\n", to_string(violation.kind), visible(violation.message));
  }
  for (const auto& [kind, count] : shown) {
    if (count > kViolationsShown)
      text += fmt::format("  {}: {} more of this kind\n", to_string(kind), count - kViolationsShown);
  }
  return text;
}

}  // namespace partita::detail
