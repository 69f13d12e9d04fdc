// SPDX-License-Identifier: Apache-2.0
// Splits made of the configuration LP's solution: price and dive [Sadykov-Vanderbeck-Pessoa-Tahiri-Uchoa-IJOC'19].
//
// At a limit that the LP allows, its solution holds every group in parts of sets, all of them within the limit and no
// more than the devices can have. A dive makes them whole one by one: a set with a large part goes to a device for good,
// and the LP of what is left is solved anew, with sets priced in that go with what is held. What is left is a model like
// the first one, with fewer devices and groups. A net with a member that is held is cut wherever it is hit: it keeps one
// member for all that are held, a group that no device but an idle host can hold.
//
// Where nothing is left within the limit, the rest goes on at a slightly higher one, as long as that is below the best
// value. A greedy dive takes the set with the largest part each time, others draw sets, those with large parts more
// often: dives are short (one set for each device), so a new one is the way back from a bad choice. [ResNet50 of layers,
// 177 groups, 6 accelerators: the LP allows 76.21 after 6 s, and the first dive from there takes 0.1 s and ends at 76.206;
// annealing and pairs reach 76.28 in five minutes.]
//
// Memory of single devices is looked at only as far as groups go: what comes out must be checked. Tests:
// tests/solve/price_and_dive_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "partita/solve/configuration/configuration_lp.h"
#include "partita/util/dice.h"

namespace partita::detail {

class PriceAndDive {
 public:
  // All must outlive it. Sets of the model are any sets: no order.
  PriceAndDive(const ConfigurationModel& model, const std::vector<GroupId>& order, const Trellis::Size& size)
      : model_(model), order_(order), size_(size) {}

  struct Start {
    double limit = 0;
    double below = 0;                // a dive that rises to this limit is given up
    std::vector<SetInUse> solution;  // of the LP at the limit
    const std::vector<std::vector<GroupId>>& columns;
    const GroupPrices& prices;
  };
  // What each device holds, hosts too; every group is in one set. Nothing if it was given up, or the budget ended. Throws
  // OutOfTime.
  std::optional<std::vector<SetInUse>> dive(const Start& start, bool greedy, Dice& dice, Budget& budget) const;

 private:
  class Dive;

  const ConfigurationModel& model_;
  const std::vector<GroupId>& order_;
  const Trellis::Size size_;
};

}  // namespace partita::detail
