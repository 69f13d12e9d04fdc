// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/before_search.h"

namespace partita::detail {

template <class Graphs>
bool refuted_before_search(Presolved<Graphs>& small, const QuestionOf<Graphs>& question, const LimitOptions&, Budget&) {
  return some_group_fits_nowhere(small.graph, question);
}
template bool refuted_before_search(Presolved<StageGraph>&, const Threshold&, const LimitOptions&, Budget&);
template bool refuted_before_search(Presolved<PassGraphs>&, const PassQuestion&, const LimitOptions&, Budget&);

}  // namespace partita::detail
