// SPDX-License-Identifier: Apache-2.0
// What a certificate of latency speaks of, in integers.
//
// Suppose that some split has a latency of at most `limit`. Times are in units of limit / 2^40, rounded down and one
// taken off (kLoadUnits in claim_instance.h), so no path through that split's blocks is longer than kLoadLimit. A block
// on an accelerator takes the times of its nodes and the costs of the transfers that have members both in it and
// outside: an output that leaves the block is paid for once, and so is one that enters it. Each is the least that a
// device of the block's class pays over any of its links. A host node takes the least of its times on the hosts that
// can hold its group.
//
// Whatever else is asked of a split (wishes, cores of hosts, the order of an accelerator's blocks) makes no block
// shorter and no path disappear, so leaving it out makes a claim weaker, never wrong.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "partita/check/claim_instance.h"
#include "partita/util/bit_matrix.h"

namespace partita::detail {

struct LatencyClaim {
  using Int = std::int64_t;
  struct Node {
    std::size_t group = 0;
    bool backward = false;
    Int host_time = 0;
    std::vector<Int> time;  // by class of accelerators; of no use where the group cannot be held
  };
  struct Group {  // a colour class, all of it on one device
    bool on_host = false;
    std::vector<char> held;   // by class of accelerators: there may be one that holds it
    std::vector<Int> memory;  // by class, in units of its memory / 2^40
  };
  struct Transfer {
    std::vector<std::size_t> members;  // at least two nodes
    std::vector<Int> cost;             // by class
  };
  struct Edge {
    std::size_t from = 0, to = 0;
  };

  std::vector<Node> nodes;
  std::vector<Group> groups;
  std::vector<Transfer> transfers;
  std::vector<Edge> edges;                             // each pair of nodes once
  std::vector<std::vector<std::size_t>> into, out_of;  // edges, by node
  std::vector<std::size_t> order;                      // of the nodes, along edges; shorter if there is a circle
  std::unordered_map<std::int64_t, std::size_t> by_id;
  std::size_t classes = 0;  // of accelerators, those that there are
  Int blocks = 0;           // that accelerators run, at most
  bool one_block = true;    // in each pass an accelerator runs no more

  // By node, those that a path leads to, and from; empty until find_paths(). Quadratic.
  BitMatrix below, above;
  static std::size_t bytes_of_paths(std::size_t nodes) { return 2 * nodes * words_for(nodes) * sizeof(Word); }
  void find_paths();

  // The longest path, if every node takes the least that it can anywhere. Blocks on a path run one after the other,
  // each for the times of the path's nodes in it and more, so no split is quicker.
  Int longest_path() const;
};

LatencyClaim latency_claim(const Problem& problem, double limit);

}  // namespace partita::detail
