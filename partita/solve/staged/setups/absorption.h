// SPDX-License-Identifier: Apache-2.0
// When is it no use to leave a group to a later stage?
#pragma once

#include <span>

#include "partita/reduce/setup_instance.h"
#include "partita/solve/staged/setups/segment.h"
#include "partita/util/bit_matrix.h"

namespace partita::detail {

// Whether any stage X that holds v, and nothing of `ideal`, costs no more without v once v joins the ideal: for every
// class and number of devices that X may have. X and the stage that v joins are next to each other in one cluster,
// whose segment is known. Precondition: v is outside the ideal, its predecessors inside.
//
// X loses v's time. A net wholly outside the ideal may be cut by X once v is gone; one whose only member outside is v
// is cut by X as long as v is there. Where in and out are told apart, a net with other members on both sides turns, if
// v produces it, from something that X sends into something that X may receive. What X gains it exchanges inside the
// cluster; what it loses it may have exchanged over a longer or a shorter way. So a net that X sends to the ideal over
// a shorter way may become dearer, too, once v reads it beside X. All other nets cost X no more than before.
bool spares_nothing(const SetupGraph& graph, const SetupRules& rules, const Segment& segment,
                    std::span<const Word> ideal, GroupId v);

// The same where devices are not next to each other, and X may be closer to a third device than the one that v joins.
// Also no third device may pay more: v must not be the producer of anything that is read outside the ideal, and whoever
// produces for v must have a reader in the ideal already, which is as far from it as v will be. Where copies exchange
// weights, v must have none. Sufficient, by far not necessary.
bool harms_nobody(const SetupGraph& graph, const SetupRules& rules, std::span<const Word> ideal, GroupId v);

}  // namespace partita::detail
