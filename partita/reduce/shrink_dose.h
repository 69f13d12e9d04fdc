// SPDX-License-Identifier: Apache-2.0
// Who is removed from a graph (shrink.h), by the shares of the limit that they weigh.
//
// Larger doses make smaller graphs, which decide sooner and lose more. What several of them lose, as groups that are left
// after presolve and the value that the linearised DP finds there (the best known split of the large graph in brackets):
//     floaters, others       bert-large-training [4.399]   llama-1b-training [16.15]   densenet-201-training [8.186]
//     1 %, spine 0.4 %       109 groups, 4.35              38 groups, 15.8             289 groups, 8.144
//     1 %, spine 0.05 %      489, 4.399                    270, 16.08                  441, 8.151
//     1 %, sums 0.1 %        427, 4.392                    317, 15.97                  464, 8.162
//     1 %                    493, 4.399                    515, 16.15                  976, 8.170
#pragma once

namespace partita::detail {

struct ShrinkDose {
  double floaters = 0, spine = 0;  // 0 and 0: views alone
  bool narrow = false;             // fewer links between what is left, which lose more (shrink_nets.h)
  double sums = 0;                 // of the spine, too: groups with three nets or more, of which links keep most
  bool followers = false;  // first those that lose nothing by going with a neighbour, which presolve joins elsewhere

  bool views_only() const { return floaters <= 0 && spine <= 0 && sums <= 0; }
  bool takes_of_spine() const { return spine > 0 || sums > 0; }
};

// From the smallest graph to the largest. For the search over ideals, which wants few ideals and not few groups.
inline constexpr ShrinkDose kShrinkDoses[] = {{0.01}, {0.002}, {}};
// For the configuration LP over the stages' sets.
inline constexpr ShrinkDose kConvexDoses[] = {
    {0.01, 0.004}, {0.01, 0.0005}, {0.01, 0, false, 0.001}, {0.01, 0, true}, {0.01}, {0.002}, {}};

}  // namespace partita::detail
