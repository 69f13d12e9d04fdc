// SPDX-License-Identifier: Apache-2.0
#include "partita/report/diff_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "partita/check/names.h"
#include "partita/check/narrow_table.h"
#include "partita/check/times.h"

namespace partita::detail {
namespace {

using Devices = std::vector<SplitListing::Device>;

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
constexpr std::size_t kMostNames = 6;  // of the nodes that move from one device to another

std::unordered_map<std::int64_t, std::size_t> places_of(const Devices& devices) {
  std::unordered_map<std::int64_t, std::size_t> place;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    for (std::int64_t id : devices[d].node_ids) place.emplace(id, d);
  }
  return place;
}

// "a100" of "a100 3": devices of one class differ in the number behind it.
std::string class_of(const SplitListing::Device& device) {
  const std::size_t space = device.name.rfind(' ');
  return space == std::string::npos ? device.name : device.name.substr(0, space);
}

bool alike(const SplitListing::Device& a, const SplitListing::Device& b) {
  return a.kind == b.kind && class_of(a) == class_of(b);
}

// By device of `after`: the one of `before` that it is taken for, or kNowhere.
std::vector<std::size_t> matched(const Devices& before, const Devices& after) {
  const auto place = places_of(before);
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> shared;
  for (std::size_t d = 0; d < after.size(); ++d) {
    for (std::int64_t id : after[d].node_ids) {
      const auto found = place.find(id);
      if (found != place.end() && alike(before[found->second], after[d])) ++shared[{found->second, d}];
    }
  }
  std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> by_share;  // nodes, devices
  for (const auto& [pair, nodes] : shared) by_share.emplace_back(nodes, pair.first, pair.second);
  std::ranges::stable_sort(by_share, std::greater{}, [](const auto& one) { return std::get<0>(one); });
  std::vector<std::size_t> match(after.size(), kNowhere);
  std::vector<bool> taken(before.size(), false);
  const auto take = [&](std::size_t b, std::size_t a) {
    if (match[a] != kNowhere || taken[b]) return;
    match[a] = b;
    taken[b] = true;
  };
  for (const auto& [nodes, b, a] : by_share) take(b, a);
  // Those that share nothing: by name, then whatever is left of their kind.
  for (std::size_t a = 0; a < after.size(); ++a) {
    for (std::size_t b = 0; b < before.size(); ++b) {
      if (before[b].name == after[a].name) take(b, a);
    }
  }
  for (std::size_t a = 0; a < after.size(); ++a) {
    for (std::size_t b = 0; b < before.size(); ++b) {
      if (alike(before[b], after[a])) take(b, a);
    }
  }
  return match;
}

std::string ratio_text(double before, double after) {
  if (before == after) return "the same";
  if (!(before > 0) || !(after > 0)) return "";
  return before > after ? fmt::format("{:.3g} times as fast", before / after)
                        : fmt::format("{:.3g} times as slow", after / before);
}

std::string value_text(const PlanSide& side, const std::optional<double>& value) {
  return value ? time_text(*value, side.time_unit) : "not said";
}

std::string cuts_text(const PlanSide& side) {
  if (!side.cut_tensors) return "not said";
  return fmt::format("{}, {}", counted(*side.cut_tensors, "tensor"), human_bytes(side.cut_bytes));
}

std::string load_text(const SplitListing::Device* device, const std::string& unit) {
  if (!device) return "-";
  return device->claimed_load ? time_text(*device->claimed_load, unit) : "?";
}

class Difference {
 public:
  Difference(const PlanSide& before, const PlanSide& after) : before_(before), after_(after) {
    match_ = matched(before.split.devices, after.split.devices);
    const auto place = places_of(before.split.devices);
    for (std::size_t d = 0; d < devices_after().size(); ++d) {
      for (std::int64_t id : devices_after()[d].node_ids) {
        ++nodes_;
        const auto found = place.find(id);
        const std::size_t from = found == place.end() ? kNowhere : found->second;
        if (from == kNowhere || match_[d] != from) moved_[{from, d}].push_back(id);
      }
    }
  }

  std::string values(std::size_t width) const {
    const std::optional<double> was = before_.split.claimed_value, is = after_.split.claimed_value;
    const bool same_unit = before_.time_unit == after_.time_unit;
    std::vector<Row> rows{{"<", "<" + before_.label, "<" + after_.label, "<"}};
    rows.push_back({"value", value_text(before_, was), value_text(after_, is),
                    was && is && same_unit ? ratio_text(*was, *is) : ""});
    rows.push_back({"no split is below", value_text(before_, before_.bound), value_text(after_, after_.bound), ""});
    rows.push_back({"status", before_.status.empty() ? "not said" : before_.status,
                    after_.status.empty() ? "not said" : after_.status, ""});
    rows.push_back({"between devices", cuts_text(before_), cuts_text(after_), ""});
    return layout_folded(rows, width);
  }

  std::string devices(std::size_t width) const {
    std::vector<Row> rows{{"<device", "<before", "load before", "now", "nodes before", "now", "came", "left"}};
    std::vector<bool> shown(devices_before().size(), false);
    for (std::size_t d = 0; d < devices_after().size(); ++d) {
      const SplitListing::Device* was = match_[d] == kNowhere ? nullptr : &devices_before()[match_[d]];
      if (was) shown[match_[d]] = true;
      const SplitListing::Device& is = devices_after()[d];
      if (is.node_ids.empty() && (!was || was->node_ids.empty())) continue;
      rows.push_back({is.name, was ? was->name : "-", load_text(was, before_.time_unit),
                      load_text(&is, after_.time_unit), was ? std::to_string(was->node_ids.size()) : "-",
                      std::to_string(is.node_ids.size()), std::to_string(came(d)),
                      was ? std::to_string(left(match_[d])) : "-"});
    }
    for (std::size_t b = 0; b < devices_before().size(); ++b) {
      const SplitListing::Device& was = devices_before()[b];
      if (shown[b] || was.node_ids.empty()) continue;
      rows.push_back({"-", was.name, load_text(&was, before_.time_unit), "-", std::to_string(was.node_ids.size()), "-",
                      "-", std::to_string(left(b))});
    }
    return layout_folded(rows, width, 2);
  }

  std::string moves(const std::function<std::string(std::int64_t)>& name_of) const {
    std::size_t count = 0;
    for (const auto& [way, ids] : moved_) count += ids.size();
    if (count == 0) return fmt::format("the same split: none of {} changes its device\n", counted(nodes_, "node"));
    std::string text = fmt::format("{} of {} change their device:\n", count, counted(nodes_, "node"));
    for (const auto& [way, ids] : moved_) {
      std::vector<std::string> names;
      for (std::size_t i = 0; i < std::min(ids.size(), kMostNames); ++i) names.push_back(name_of(ids[i]));
      const std::string more = ids.size() > kMostNames ? fmt::format(" and {} more", ids.size() - kMostNames) : "";
      text += fmt::format("  {} -> {}: {}: {}{}\n",
                          way.first == kNowhere ? "not in " + before_.label : devices_before()[way.first].name,
                          devices_after()[way.second].name, counted(ids.size(), "node"), fmt::join(names, ", "), more);
    }
    return text;
  }

 private:
  const Devices& devices_before() const { return before_.split.devices; }
  const Devices& devices_after() const { return after_.split.devices; }

  std::size_t came(std::size_t to) const {
    std::size_t count = 0;
    for (const auto& [way, ids] : moved_) count += way.second == to ? ids.size() : 0;
    return count;
  }
  std::size_t left(std::size_t from) const {
    std::size_t count = 0;
    for (const auto& [way, ids] : moved_) count += way.first == from ? ids.size() : 0;
    return count;
  }

  const PlanSide& before_;
  const PlanSide& after_;
  std::vector<std::size_t> match_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::int64_t>> moved_;  // from, to
  std::size_t nodes_ = 0;
};

}  // namespace

std::string diff_text(const PlanSide& before, const PlanSide& after,
                      const std::function<std::string(std::int64_t)>& name_of, std::size_t width) {
  const Difference difference(before, after);
  return difference.values(width) + "\n" + difference.devices(width) + "\n" + difference.moves(name_of);
}

}  // namespace partita::detail
