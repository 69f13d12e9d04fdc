// SPDX-License-Identifier: Apache-2.0
// Orders of the groups with few open nets, for the dynamic programs that go along an order.
//
// A net is open at a place of the order if it has members on both sides. Cutting an order into intervals cuts only open
// nets, and a dynamic program over subsets has about 2^(open nets) states, so orders with few and cheap open nets serve
// both. The direction of data does not matter for loads, hence these orders are not topological: they follow the net
// structure, walking down one branch and back up another where that keeps fewer nets open.
//
// Greedy: of the groups next to what is placed, take the one that opens least and closes most; nets count as one, or by
// a power of their cost. Ties go to the net open longest, so that loose ends do not stay open for ever, and random
// noise makes each order another one. Least frontiers are NP-hard (pathwidth); the greedy ones have at most ten open
// nets on the paper's inputs. O(n * candidates * nets of a group). Tests: tests/solve/free_orders_test.cpp.
#pragma once

#include <span>
#include <vector>

#include "partita/reduce/net_graph.h"
#include "partita/util/budget.h"
#include "partita/util/dice.h"

namespace partita::detail {

struct FrontierOrderOptions {
  double noise = 0.1;     // added to each choice, in average nets: 0 is purely greedy up to ties, 1 rather random
  double cost_power = 0;  // 0: all nets count the same; 1: by their cost
};

// O(n * groups to choose from), which is quadratic where a graph is wide; throws OutOfTime.
std::vector<GroupId> frontier_order(const NetGraph& graph, const FrontierOrderOptions& options, Dice& dice,
                                    const Budget* budget = nullptr);
// Of some groups only; the members of nets outside are as if not there.
std::vector<GroupId> frontier_order(const NetGraph& graph, std::span<const GroupId> among,
                                    const FrontierOrderOptions& options, Dice& dice, const Budget* budget = nullptr);

}  // namespace partita::detail
