// SPDX-License-Identifier: Apache-2.0
// All ideals of a graph as the paths of a layered graph: what is to be remembered of the groups decided so far.
//
// Groups are decided one by one, in or out. Layer t has a state for each way to answer, of the first t groups: which of
// the open ones are in (so that the ideal stays closed under predecessors), and which of the open nets have members in,
// and which have members out (so that a net is charged once, when both first hold). Every ideal is one path from the
// first layer to the last, and the charges along it add up to its boundary cost, that of the nets cut among those that
// count. Parallel branches that share no open group or net follow one another; states do not multiply.
//
// Where a layer would get too wide, the cheapest open net is forgotten: what was charged for it so far stays, the rest
// is not charged. Then charges add up to at most the boundary cost, which is all that anybody uses them for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "partita/reduce/boundary/whole_weights.h"
#include "partita/util/bit_matrix.h"
#include "partita/util/time_watch.h"

namespace partita::detail {

struct IdealStates {
  static constexpr std::int32_t kNone = -1;

  struct State {
    std::int32_t if_in = kNone, if_out = kNone;  // of the next layer; none where that would be no ideal
    Whole charge_in = 0, charge_out = 0;
  };
  struct Layer {
    std::vector<State> states;
    std::vector<Word> keys;  // words_per_key words for each state
  };

  bool was_in(std::size_t layer, std::size_t state, GroupId v) const {
    return test_bit(std::span(layers[layer].keys).subspan(state * words_per_key, words_per_key), slot[v]);
  }

  std::vector<GroupId> order;
  IdVector<GroupId, std::size_t> decided_at;
  IdVector<GroupId, std::size_t> slot;  // the bit of a key that says whether the group is in, while it is open
  std::size_t words_per_key = 1;
  std::vector<Layer> layers;  // before each decision, and after the last, where there is one state
  std::size_t widest = 0;
  std::size_t forgotten = 0;  // nets
};

struct StateLimits {
  std::size_t per_layer = 12'000;
  std::size_t in_all = 1'000'000;
};

// Nothing if there are more states than that.
std::optional<IdealStates> ideal_states(const StageGraph& graph, const WholeWeights& weights,
                                        const IdVector<NetId, char>& counts, const std::vector<GroupId>& order,
                                        const StateLimits& limits, TimeWatch& watch);

}  // namespace partita::detail
