// SPDX-License-Identifier: Apache-2.0
// Two plans of one model side by side, for people: what each costs, what each device holds, and which nodes change place.
//
// Devices of one kind are often alike, and a plan that only exchanges them is the same plan. So each device of the second
// plan is taken for the one of its kind and class in the first with which it shares the most nodes, the largest share first.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "partita/model/split.h"
#include "partita/util/text_width.h"

namespace partita::detail {

// One of the two: `label` is what the text calls it. Reports know no readers, so the parts are named here.
struct PlanSide {
  std::string label;
  const SplitListing& split;
  std::string status;
  std::string time_unit;
  std::optional<double> bound;
  std::optional<std::size_t> cut_tensors;
  double cut_bytes = 0;
};

// `name_of`: a node for people, by original id. Every line ends with a newline.
std::string diff_text(const PlanSide& before, const PlanSide& after,
                      const std::function<std::string(std::int64_t)>& name_of, std::size_t width = kAnyWidth);

}  // namespace partita::detail
