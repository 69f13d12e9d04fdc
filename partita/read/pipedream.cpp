// SPDX-License-Identifier: Apache-2.0
// A line for each layer, "node3 -- Linear(in_features=4096) -- forward_compute_time=1.5, backward_compute_time=3.0,
// activation_size=1024.0, parameter_size=65536.0", and one that begins with a tab for each edge, "\tnode3 -- node4".
// Layers may end with " -- stage_id=2", which is a split and no part of the workload. Times are milliseconds, sizes
// bytes; an activation_size may be a list, "[1024.0; 512.0]", which is added up.
#include "partita/read/pipedream.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "partita/read/bytes.h"
#include "partita/read/fields.h"
#include "partita/read/planner_file.h"
#include "partita/read/source_label.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

constexpr std::string_view kBetween = " -- ";
constexpr std::string_view kForward = "forward_compute_time";
constexpr std::string_view kIdBegin = "node";

struct Layer {
  std::string id;
  std::string description;
  double forward = 0;
  double backward = 0;
  double activation = 0;
  double parameters = 0;
};

struct GraphLine {
  std::size_t from;
  std::size_t to;
};

std::string_view first_word(std::string_view line) {
  const std::size_t end = line.find(kBetween);
  return end == std::string_view::npos ? line : line.substr(0, end);
}

class GraphText {
 public:
  explicit GraphText(const std::string& source) : source_(source) {}

  void read(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    // Edges may come before the layers that they join.
    std::vector<std::pair<std::size_t, std::string_view>> edge_lines;
    for (line_ = 1; !text.empty(); ++line_) {
      const std::size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
      if (line.front() == '\t') {
        edge_lines.emplace_back(line_, line.substr(1));
      } else {
        read_layer(line);
      }
    }
    for (const auto& [number, line] : edge_lines) {
      line_ = number;
      read_edge(line);
    }
  }

  const std::vector<Layer>& layers() const { return layers_; }
  const std::vector<GraphLine>& links() const { return links_; }
  std::size_t with_stage() const { return with_stage_; }

 private:
  [[noreturn]] void fail(ErrorKind kind, const std::string& problem) const {
    throw InputError(kind, fmt::format("{}: line {}", source_, line_), problem);
  }

  void read_layer(std::string_view line) {
    Layer layer;
    layer.id = std::string(first_word(line));
    // The description may hold anything, so what is behind it is looked for from the end.
    const std::string mark = std::string(kBetween) + std::string(kForward) + "=";
    const std::size_t at = line.rfind(mark);
    if (at == std::string_view::npos || at < layer.id.size() || layer.id.empty()) {
      fail(
          ErrorKind::BadField,
          fmt::format("found \"{}\"; expected a layer, \"ID -- DESCRIPTION -- forward_compute_time=..., "
                      "backward_compute_time=..., activation_size=..., parameter_size=...\", or a tab and \"ID -- ID\"",
                      one_line(line, 60)));
    }
    const std::size_t description = std::min(layer.id.size() + kBetween.size(), at);
    layer.description = std::string(line.substr(description, at - description));
    std::string_view numbers = line.substr(at + kBetween.size());
    if (const std::size_t end = numbers.find(kBetween); end != std::string_view::npos) {
      if (numbers.substr(end + kBetween.size()).starts_with("stage_id=")) ++with_stage_;
      numbers = numbers.substr(0, end);
    }
    layer.forward = amount(numbers, kForward);
    layer.backward = amount(numbers, "backward_compute_time");
    layer.activation = amount(numbers, "activation_size");
    layer.parameters = amount(numbers, "parameter_size");
    if (!by_id_.emplace(layer.id, layers_.size()).second) {
      fail(ErrorKind::BadGraph,
           fmt::format("there is a layer {} already; expected ids that are all different", one_line(layer.id, 60)));
    }
    layers_.push_back(std::move(layer));
  }

  // The number, or the sum of the list, behind "NAME=".
  double amount(std::string_view numbers, std::string_view name) const {
    for (std::string_view rest = numbers; !rest.empty();) {
      const std::size_t end = rest.find(", ");
      const std::string_view field = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
      if (!field.starts_with(name) || field.substr(name.size(), 1) != "=") continue;
      std::string_view value = field.substr(name.size() + 1);
      if (!value.starts_with('[')) return number(value, name);
      if (!value.ends_with(']'))
        fail(ErrorKind::BadField,
             fmt::format("{}: found \"{}\"; expected a list, [1.0; 2.0]", name, one_line(value, 60)));
      value = value.substr(1, value.size() - 2);
      double sum = 0;
      while (!value.empty()) {
        const std::size_t semicolon = value.find(';');
        sum += number(value.substr(0, semicolon), name);
        value.remove_prefix(semicolon == std::string_view::npos ? value.size() : semicolon + 1);
      }
      if (!std::isfinite(sum))
        fail(ErrorKind::BadNumber, fmt::format("{}: the list adds up to more than the largest number", name));
      return sum;
    }
    fail(ErrorKind::BadField, fmt::format("{} is missing; expected a number", name));
  }

  double number(std::string_view text, std::string_view name) const {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0) {
      fail(ErrorKind::BadNumber,
           fmt::format("{}: found \"{}\"; expected a finite number, 0 or more", name, one_line(text, 60)));
    }
    return value + 0.0;  // -0 becomes 0
  }

  void read_edge(std::string_view line) {
    const std::string from(first_word(line));
    if (from.size() == line.size())
      fail(ErrorKind::BadField,
           fmt::format("found \"{}\"; expected an edge, a tab and \"ID -- ID\"", one_line(line, 60)));
    const std::string to(line.substr(from.size() + kBetween.size()));
    const auto find = [this](const std::string& id) {
      const auto entry = by_id_.find(id);
      if (entry == by_id_.end())
        fail(ErrorKind::BadGraph,
             fmt::format("there is no layer {}; expected the id of one of the layers", one_line(id, 60)));
      return entry->second;
    };
    links_.push_back({find(from), find(to)});
  }

  const std::string& source_;
  std::size_t line_ = 0;
  std::vector<Layer> layers_;
  std::vector<GraphLine> links_;
  std::unordered_map<std::string, std::size_t> by_id_;
  std::size_t with_stage_ = 0;
};

// "node17" is 17; none where an id is anything else.
std::optional<std::vector<std::int64_t>> numbers_of(const std::vector<Layer>& layers) {
  std::vector<std::int64_t> numbers;
  for (const Layer& layer : layers) {
    const std::string_view id = layer.id;
    constexpr std::size_t kMostDigits = 15;
    if (!id.starts_with(kIdBegin)) return std::nullopt;
    const std::string_view digits = id.substr(kIdBegin.size());
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool plain = error == std::errc() && end == digits.data() + digits.size() && digits.size() <= kMostDigits &&
                       digits == std::to_string(value);
    if (!plain || value < 0) return std::nullopt;
    numbers.push_back(value);
  }
  return numbers;
}

Workload workload_of(const GraphText& text, const std::string& source, const PlatformOverrides& overrides,
                     double bandwidth) {
  if (!(bandwidth > 0)) {
    throw InputError(ErrorKind::BadNumber, source,
                     fmt::format("is read with a bandwidth of {}; expected more than 0", bandwidth));
  }
  const PlatformSpec devices = planner_devices(overrides, std::nullopt, source);
  const std::vector<Layer>& layers = text.layers();
  Workload workload;
  workload.name = label_of(source);
  workload.platform = devices.platform;
  workload.time_unit = "ms";
  workload.notes = devices.notes;
  if (text.with_stage() > 0) {
    workload.notes.push_back(
        fmt::format("{}: the stages of {} layers (stage_id) are passed over", source, text.with_stage()));
  }
  bool training = false;
  for (const Layer& layer : layers) training = training || layer.backward > 0;
  const std::optional<std::vector<std::int64_t>> numbers = numbers_of(layers);
  std::int64_t next = static_cast<std::int64_t>(layers.size());
  if (numbers) {
    for (std::int64_t number : *numbers) next = std::max(next, number + 1);
  }
  const auto add = [&](std::size_t i, bool backward) {
    const Layer& layer = layers[i];
    const std::int64_t id = numbers ? (*numbers)[i] : static_cast<std::int64_t>(i);
    Node node;
    node.original_id = backward ? next + id : id;
    node.name = numbers ? layer.description : fmt::format("{}: {}", layer.id, layer.description);
    node.op = layer.description.substr(0, layer.description.find('('));
    node.backward = backward;
    if (training) node.colour = id;
    if (backward) node.name += ".grad";
    node.time = accelerator_times(devices, backward ? layer.backward : layer.forward);
    node.output_bytes = layer.activation;
    const MemoryParts parts{layer.parameters, 0, training ? layer.activation : 0, 0};
    node.set_memory(std::nullopt, backward ? MemoryParts{} : parts, std::nullopt);
    return workload.graph.nodes.push_back(std::move(node));
  };
  for (std::size_t i = 0; i < layers.size(); ++i) add(i, false);
  for (std::size_t i = 0; training && i < layers.size(); ++i) add(i, true);
  constexpr double kMillisecondsOfASecond = 1000;
  for (const GraphLine& link : text.links()) {
    // What comes back is the gradient of what went out: as large.
    const double cost = layers[link.from].activation / bandwidth * kMillisecondsOfASecond;
    workload.graph.edges.push_back({NodeId(link.from), NodeId(link.to), cost});
    if (training)
      workload.graph.edges.push_back({NodeId(layers.size() + link.to), NodeId(layers.size() + link.from), cost});
  }
  finish_planner_file(workload, source);
  return workload;
}

Workload read_text(std::unique_ptr<ByteSource> bytes, const std::string& source, const PlatformOverrides& overrides,
                   double bandwidth) {
  const std::string all = read_to_end(*unpacked(std::move(bytes), source), source);
  GraphText text(source);
  text.read(all);
  return workload_of(text, source, overrides, bandwidth);
}

}  // namespace

bool looks_like_pipedream(std::string_view beginning) {
  while (!beginning.empty()) {
    const std::string_view line = beginning.substr(0, beginning.find('\n'));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) {
      if (line.size() == beginning.size()) return false;
      beginning.remove_prefix(line.size() + 1);
      continue;
    }
    if (line.front() == '{' || line.front() == '[' || line.find(kBetween) == std::string_view::npos) return false;
    return line.front() == '\t' || line.find(kForward) != std::string_view::npos;
  }
  return false;
}

Workload parse_pipedream(std::string_view bytes, const std::string& source, const PlatformOverrides& overrides,
                         double bandwidth) {
  return read_text(memory_source(bytes), source, overrides, bandwidth);
}

Workload read_pipedream(const std::string& path, const PlatformOverrides& overrides, double bandwidth) {
  return read_text(file_source(path), source_name(path), overrides, bandwidth);
}

}  // namespace partita::detail
