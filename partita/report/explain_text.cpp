// SPDX-License-Identifier: Apache-2.0
#include "partita/report/explain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "partita/check/cost_sources.h"
#include "partita/check/names.h"
#include "partita/check/narrow_table.h"
#include "partita/check/times.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

constexpr std::size_t kWidestName = 40;
constexpr std::size_t kWidestOutput = 32;

// The largest unit of which it is at least one; the last of them for what is less.
template <std::size_t N>
std::string in_suitable_unit(double value, const std::array<std::pair<const char*, double>, N>& units) {
  for (const auto& [name, size] : units) {
    // 999.6 would be printed as 1e+03, so it moves up.
    if (value >= 0.9995 * size) return fmt::format("{:.3g} {}", value / size, name);
  }
  return fmt::format("{:.3g} {}", value / units.back().second, units.back().first);
}

// What a source is worth, in a few words.
const char* meaning_of(CostSource source) {
  switch (source) {
    case CostSource::Given: return "as the workload says";
    case CostSource::Measured: return "on the device";
    case CostSource::Calibrated: return "estimated, with the efficiency of measured operators of its family";
    case CostSource::Roofline: return "estimated from what the device can do at best";
    case CostSource::Default: return "a guess: its work is not fully known";
  }
  return "";
}

std::string name_of(const Node& node) {
  return node.name.empty() ? fmt::format("node {}", node.original_id) : node.name;
}

// The type of numbers that the operator makes, which is nearly always the one that it computes in.
DataType type_of_output(const Node& node) {
  return data_type(node.facts.output.substr(0, node.facts.output.find('['))).value_or(DataType::Float32);
}

ClassId quickest_class(const Node& node, const Platform& platform) {
  const double least = least_time(node, platform);
  for (ClassId c : platform.classes.all()) {
    if (platform.classes[c].count > 0 && node.time[c.index()] == least) return c;
  }
  return ClassId(0);
}

class Explanation {
 public:
  Explanation(const Workload& workload, const ExplainOptions& options)
      : workload_(workload), nodes_(workload.graph.nodes), options_(options) {}

  std::string text() const {
    if (options_.nodes && options_.nodes->size() == 1) return facts(options_.nodes->front());
    std::vector<NodeId> chosen;
    if (options_.nodes) {
      chosen = *options_.nodes;
    } else {
      for (NodeId v : nodes_.all()) chosen.push_back(v);
    }
    std::ranges::stable_sort(chosen, std::ranges::greater(), [this](NodeId v) { return time_of(nodes_[v]); });
    const std::size_t shown = options_.nodes ? chosen.size() : std::min(chosen.size(), kMostExplained);
    const std::size_t left = chosen.size() - shown;
    chosen.resize(shown);
    std::string text = table(chosen);
    if (left > 0) text += fmt::format("and {} more operator{}\n", left, left == 1 ? "" : "s");
    text += totals("family", [](const Node& node) { return node.facts.family; });
    return text + totals("source", [](const Node& node) { return std::string(to_string(node.facts.source)); });
  }

 private:
  struct Column {
    std::string heading;
    std::function<std::string(NodeId)> cell;  // empty where there is nothing to say
  };

  double time_of(const Node& node) const {
    const double time = least_time(node, workload_.platform);
    return time == kCannotRun ? 0 : time;
  }

  std::string time_cell(NodeId v, ClassId c) const {
    const double time = nodes_[v].time[c.index()];
    return time == kCannotRun ? "cannot run" : short_time_text(time, workload_.time_unit);
  }

  std::string bound_cell(NodeId v, ClassId c) const {
    const auto bound = bound_of(workload_, v, c, options_.rates);
    return bound ? to_string(*bound) : "";
  }

  std::vector<ClassId> classes() const {
    std::vector<ClassId> used;
    for (ClassId c : workload_.platform.classes.all()) {
      if (workload_.platform.classes[c].count > 0) used.push_back(c);
    }
    return used;
  }

  std::vector<Column> columns() const {
    const auto fact = [this](auto read) { return [this, read](NodeId v) -> std::string { return read(nodes_[v]); }; };
    const auto amount = [](const std::optional<double>& value, auto write) { return value ? write(*value) : ""; };
    std::vector<Column> all{
        {"<operator", fact([](const Node& node) { return shortened_inside(visible(name_of(node)), kWidestName); })},
        {"<op", fact([](const Node& node) { return node.op; })},
        {"<family", fact([](const Node& node) { return node.facts.family; })},
        {"<output", fact([](const Node& node) { return shortened_inside(visible(node.facts.output), kWidestOutput); })},
        {"FLOP", fact([=](const Node& node) { return amount(node.facts.flops, flops_text); })},
        {"moves", fact([=](const Node& node) { return amount(node.facts.moved_bytes, human_bytes); })},
        {"weights",
         fact([](const Node& node) { return node.parts.weights > 0 ? human_bytes(node.parts.weights) : ""; })},
    };
    for (ClassId c : classes())
      all.push_back({workload_.platform.classes[c].name, [this, c](NodeId v) { return time_cell(v, c); }});
    all.push_back(
        {"<bound by", [this](NodeId v) { return bound_cell(v, quickest_class(nodes_[v], workload_.platform)); }});
    // The sum by source says it where it is the same for all.
    const auto given = [](const Node& node) { return node.facts.source == CostSource::Given; };
    if (!std::ranges::all_of(nodes_, given))
      all.push_back({"<source", fact([](const Node& node) { return std::string(to_string(node.facts.source)); })});
    return all;
  }

  std::string table(const std::vector<NodeId>& chosen) const {
    std::vector<Row> rows(chosen.size() + 1);
    for (const Column& column : columns()) {
      std::vector<std::string> cells;
      for (NodeId v : chosen) cells.push_back(column.cell(v));
      if (std::ranges::all_of(cells, &std::string::empty)) continue;
      const bool left = column.heading.starts_with('<');
      rows[0].push_back(column.heading);
      for (std::size_t i = 0; i < cells.size(); ++i)
        rows[i + 1].push_back(cells[i].empty() ? "-" : (left ? "<" : "") + cells[i]);
    }
    return layout_folded(rows, options_.width);
  }

  // An empty line, then all nodes, those for which `group` says the same together; nothing where it says nothing of any.
  std::string totals(const char* heading, const std::function<std::string(const Node&)>& group) const {
    struct Sum {
      std::size_t nodes = 0;
      double flops = 0, time = 0;
    };
    std::map<std::string, Sum> sums;
    double total = 0;
    for (const Node& node : nodes_) {
      Sum& sum = sums[group(node)];
      ++sum.nodes;
      sum.flops += node.facts.flops.value_or(0);
      sum.time += time_of(node);
      total += time_of(node);
    }
    if (sums.size() == 1 && sums.begin()->first.empty()) return "";
    std::vector<std::pair<std::string, Sum>> sorted(sums.begin(), sums.end());
    std::ranges::stable_sort(sorted, std::ranges::greater(), [](const auto& entry) { return entry.second.time; });
    const bool works = std::ranges::any_of(sorted, [](const auto& entry) { return entry.second.flops > 0; });
    std::vector<Row> rows;
    const auto add = [&](Row row, const std::string& flops) {
      if (works) row.insert(row.begin() + 2, flops);
      rows.push_back(std::move(row));
    };
    add({std::string("<by ") + heading, "operators", "time", "share"}, "FLOP");
    for (const auto& [name, sum] : sorted) {
      add({"<" + (name.empty() ? "not said" : name), std::to_string(sum.nodes),
           short_time_text(sum.time, workload_.time_unit),
           fmt::format("{:.1f} %", total > 0 ? 100 * sum.time / total : 0)},
          flops_text(sum.flops));
    }
    return "\n" + layout_folded(rows, options_.width);
  }

  std::string facts(NodeId v) const {
    const Node& node = nodes_[v];
    std::vector<Row> rows;
    const auto add = [&rows](const std::string& name, const std::string& value) {
      if (!value.empty()) rows.push_back({"<" + name, "<" + value});
    };
    add("operator", fmt::format("{}, id {}", name_of(node), node.original_id));
    add("op", node.op);
    add("family", node.facts.family);
    if (node.layer) add("layer", std::to_string(*node.layer));
    if (workload_.graph.has_backward()) add("pass", node.backward ? "backward" : "forward");
    add("output", node.facts.output);
    if (node.output_bytes) add("size of it", human_bytes(*node.output_bytes));
    if (node.facts.flops) add("FLOP", flops_text(*node.facts.flops));
    if (node.facts.moved_bytes) add("moves", human_bytes(*node.facts.moved_bytes) + " from and to the device's memory");
    add("memory", human_bytes(node.memory));
    if (node.parts.weights != node.memory) add("weights", human_bytes(node.parts.weights));
    for (ClassId c : classes()) {
      const std::string bound = bound_cell(v, c);
      add("time on " + workload_.platform.classes[c].name,
          time_cell(v, c) + (bound.empty() ? "" : ", bound by " + bound));
    }
    add("source", fmt::format("{}: {}", to_string(node.facts.source), meaning_of(node.facts.source)));
    return layout_wrapped(rows, options_.width);
  }

  const Workload& workload_;
  const IdVector<NodeId, Node>& nodes_;
  const ExplainOptions& options_;
};

}  // namespace

std::string explain_text(const Workload& workload, const ExplainOptions& options) {
  return Explanation(workload, options).text();
}

const char* to_string(TimeBound bound) {
  switch (bound) {
    case TimeBound::Compute: return "compute";
    case TimeBound::Memory: return "memory";
    case TimeBound::Launch: return "launch";
  }
  return "";
}

std::optional<TimeBound> bound_of(const Workload& workload, NodeId node, ClassId device_class,
                                  const IdVector<ClassId, DeviceRates>& rates) {
  const Node& n = workload.graph.nodes[node];
  const std::optional<double> unit = seconds_in(workload.time_unit);
  const double time = n.time[device_class.index()];
  if (rates.size() != workload.platform.classes.size() || !unit || time == kCannotRun || time == 0) return std::nullopt;
  const DeviceRates& device = rates[device_class];
  if (2 * device.launch >= time * *unit) return TimeBound::Launch;
  if (!n.facts.flops || !n.facts.moved_bytes) return std::nullopt;
  const double arithmetic = *n.facts.flops / device.flops_of(type_of_output(n));
  return arithmetic >= *n.facts.moved_bytes / device.memory_bandwidth ? TimeBound::Compute : TimeBound::Memory;
}

std::string flops_text(double flops) {
  static constexpr std::array<std::pair<const char*, double>, 6> kUnits{
      {{"PFLOP", 1e15}, {"TFLOP", 1e12}, {"GFLOP", 1e9}, {"MFLOP", 1e6}, {"kFLOP", 1e3}, {"FLOP", 1}}};
  return in_suitable_unit(flops, kUnits);
}

std::string short_time_text(double time, const std::string& unit) {
  static constexpr std::array<std::pair<const char*, double>, 4> kUnits{
      {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
  const std::optional<double> seconds = seconds_in(unit);
  if (!seconds) return fmt::format("{:.4g}", time);
  return time == 0 ? "0" : in_suitable_unit(time * *seconds, kUnits);
}

}  // namespace partita::detail
