// SPDX-License-Identifier: Apache-2.0
// What a solver hands back, whatever ended its work: the best split that it found and the best bound that it proved.
#pragma once

#include <optional>
#include <string>

namespace partita::detail {

template <class Split>  // has a `value`
struct Outcome {
  std::optional<Split> split;
  double bound = 0;
  bool infeasible = false;  // proved: no split exists at all
  std::string proof;        // of the bound, in a few words
};

}  // namespace partita::detail
