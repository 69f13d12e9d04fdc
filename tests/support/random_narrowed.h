// SPDX-License-Identifier: Apache-2.0
// Transfers of a workload of which some groups alone are to count, whichever: no certificate may prove more by that.
#pragma once

#include <vector>

#include "partita/model/certificate.h"
#include "tests/support/transfers.h"

namespace partita::detail::test {

// `below(n)` is a random number below n.
template <class Below>
std::vector<Certificate::Narrowed> random_narrowed(const Graph& graph, Below below) {
  std::vector<Certificate::Narrowed> result;
  const auto id = [&](std::size_t node) { return graph.nodes[NodeId(node)].original_id; };
  for (const Transfer& transfer : list_transfers(graph)) {
    if (below(4) != 0) continue;
    Certificate::Narrowed& one = result.emplace_back();
    one.transfer.push_back(id(transfer.producer));
    for (std::size_t v : transfer.consumers) one.transfer.push_back(id(v));
    for (std::int64_t node : one.transfer) {
      if (below(2) == 0) one.counted.push_back(node);
    }
  }
  return result;
}

}  // namespace partita::detail::test
