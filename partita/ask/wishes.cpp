// SPDX-License-Identifier: Apache-2.0
#include "partita/ask/wishes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>
#include <variant>

#include "partita/ask/nodes_called.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

class WishReader {
 public:
  WishReader(const Workload& workload, const std::string& source)
      : graph_(workload.graph), platform_(workload.platform), source_(source) {}

  // A name may hold '=', the name of a device hardly does.
  void add_pins(const std::string& text, std::vector<Pin>& pins) const {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      throw InputError(ErrorKind::Usage, "WishOptions::pins",
                       fmt::format("found '{}'; expected NODE=DEVICE, as in 'embed=a100 0'", visible(text)));
    }
    const std::variant<ClassId, DeviceId> to = place(text.substr(equals + 1));
    for (NodeId v : nodes_called(graph_, text.substr(0, equals), "WishOptions::pins", source_)) pins.push_back({v, to});
  }

  std::vector<NodeId> together(const std::string& text) const {
    std::set<NodeId> nodes;
    for (const std::string& name : names(text)) {
      const std::vector<NodeId> called = nodes_called(graph_, name, "WishOptions::together", source_);
      nodes.insert(called.begin(), called.end());
    }
    return at_least_two("WishOptions::together", text, nodes);
  }

  // A name may stand for a forward node and the backward node that shares its device: of each colour one is enough.
  std::vector<NodeId> apart(const std::string& text) const {
    std::set<NodeId> nodes;
    for (const std::string& name : names(text)) {
      std::set<std::int64_t> colours;
      for (NodeId v : nodes_called(graph_, name, "WishOptions::apart", source_)) {
        const auto& colour = graph_.nodes[v].colour;
        if (!colour || colours.insert(*colour).second) nodes.insert(v);
      }
    }
    return at_least_two("WishOptions::apart", text, nodes);
  }

 private:
  static std::vector<std::string> names(std::string_view text) {
    std::vector<std::string> names;
    while (true) {
      const std::size_t comma = text.find(',');
      if (comma != 0 && !text.empty()) names.emplace_back(text.substr(0, comma));
      if (comma == std::string_view::npos) return names;
      text.remove_prefix(comma + 1);
    }
  }

  static std::vector<NodeId> at_least_two(const char* option, const std::string& text, const std::set<NodeId>& nodes) {
    if (nodes.size() >= 2) return {nodes.begin(), nodes.end()};
    throw InputError(
        ErrorKind::Usage, option,
        fmt::format("'{}' is fewer than two nodes; expected names, ids or patterns of several, with commas "
                    "between",
                    visible(text)));
  }

  // "a100" is any device of the class, "a100 1" one of them, as tables print it.
  std::variant<ClassId, DeviceId> place(const std::string& name) const {
    if (const std::optional<ClassId> c = class_called(name)) return *c;
    const std::size_t space = name.rfind(' ');
    if (space != std::string::npos) {
      std::size_t index = 0;
      const char* end = name.data() + name.size();
      const auto [rest, error] = std::from_chars(name.data() + space + 1, end, index);
      const std::optional<ClassId> c = class_called(name.substr(0, space));
      if (error == std::errc() && rest == end && c && index < static_cast<std::size_t>(platform_.classes[*c].count))
        return DeviceId(platform_.first_device(*c).index() + index);
    }
    throw InputError(ErrorKind::Usage, "WishOptions::pins",
                     fmt::format("no device or class is called '{}'; there are {}", visible(name), devices()));
  }

  std::optional<ClassId> class_called(const std::string& name) const {
    for (ClassId c : platform_.classes.all()) {
      if (platform_.classes[c].name == name) return c;
    }
    return std::nullopt;
  }

  // "a100 0 to a100 3, host 0".
  std::string devices() const {
    std::string text;
    for (ClassId c : platform_.classes.all()) {
      const int count = platform_.classes[c].count;
      if (count == 0) continue;
      const std::size_t first = platform_.first_device(c).index();
      text += (text.empty() ? "" : ", ") + platform_.device_name(DeviceId(first));
      if (count > 1) text += " to " + platform_.device_name(DeviceId(first + static_cast<std::size_t>(count) - 1));
    }
    return text;
  }

  const Graph& graph_;
  const Platform& platform_;
  const std::string& source_;
};

}  // namespace

Wishes read_wishes(const WishOptions& options, const Workload& workload, const std::string& source) {
  const WishReader reader(workload, source);
  Wishes wishes;
  for (const std::string& text : options.pins) reader.add_pins(text, wishes.pins);
  for (const std::string& text : options.together) wishes.together.push_back(reader.together(text));
  for (const std::string& text : options.apart) wishes.apart.push_back(reader.apart(text));
  return wishes;
}

}  // namespace partita::detail
