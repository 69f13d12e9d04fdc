// SPDX-License-Identifier: Apache-2.0
// What a plan says of its answer besides the split, for people who compare plans without their models at hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace partita::detail {

struct PlanFacts {
  std::string status;     // empty where the plan does not say, likewise the other texts
  std::string time_unit;  // of value, bound and loads
  std::optional<double> bound;
  std::unordered_map<std::int64_t, std::string> names;  // of nodes, by original id
  std::optional<std::size_t> cut_tensors;               // how many pass between devices
  double cut_bytes = 0;                                 // those whose size is known
};

// What is not there, or is no such thing, counts as not said. Throws InputError where the text is not JSON.
PlanFacts parse_plan_facts(std::string_view bytes, const std::string& source);

}  // namespace partita::detail
