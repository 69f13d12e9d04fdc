// SPDX-License-Identifier: Apache-2.0
// Several questions of BlockFinish, by several threads.
//
// The sets that answer a question are looked at by the level at which they are entered, from the last on; mostly that
// is one level after the other, each by itself. So, after a few steps of each question, what is left of its levels is
// dealt out in pieces; what is found in one of them spares work in the others of the same question. The answer is the
// least over the levels t of t plus the least load of a set that is entered at t or before; that load only grows
// towards earlier levels, so a piece may begin with what was found later, and each level may be looked at by itself, in
// any order. [BERT with 12 layers and a tenth of the transfer costs: were handing over for nothing, labels would be 7
// times as fast with 16 threads; nodes that lie on no common path allow twice.] Tests:
// tests/solve/latency_threads_test.cpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "partita/solve/latency/block_finish.h"
#include "partita/util/parallel.h"

namespace partita::detail {

// How many threads share what a single question asks: with few of them the nodes of a round are enough, and less is
// looked at in vain. [BERT with 6 layers, two threads: 2.4 s of processor time instead of 1.8.]
inline std::size_t threads_of_question(const Budget* budget) {
  constexpr std::size_t kFewest = 4;
  const std::size_t threads = budget ? threads_of(*budget) : 1;
  return threads < kFewest ? 1 : threads;
}

struct WalkSharing {
  std::size_t steps_alone = 2;      // of each question at first
  std::size_t levels_of_piece = 4;  // at least
};

// To their ends. go_on(i, walk, last level, most steps, slot) goes on with question i (BlockFinish::go_on).
template <class GoOn>
void walk_together(const Budget& budget, std::vector<BlockFinish::Walk>& walks, const WalkSharing& sharing,
                   const GoOn& go_on) {
  constexpr std::size_t kPiecesPerThread = 2, kToTheEnd = std::numeric_limits<std::size_t>::max();
  const std::size_t threads = threads_of_question(&budget);
  const std::size_t steps = threads > walks.size() ? sharing.steps_alone : kToTheEnd;
  for_each(budget, walks.size(), [&](std::size_t i, std::size_t slot) { go_on(i, walks[i], 0, steps, slot); });

  struct Piece {
    std::size_t walk, first, last;  // of the levels
  };
  const auto open = [](const BlockFinish::Walk& walk) { return walk.level > 0; };
  const auto unfinished = static_cast<std::size_t>(std::ranges::count_if(walks, open));
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < walks.size(); ++i) {
    const std::size_t level = walks[i].level;
    if (level == 0) continue;
    const std::size_t count = std::clamp<std::size_t>(level / sharing.levels_of_piece, 1,
                                                      (kPiecesPerThread * threads + unfinished - 1) / unfinished);
    for (std::size_t k = count; k > 0; --k) pieces.push_back({i, level * k / count, level * (k - 1) / count});
  }
  // Those nearest to where the walks stand first: what they find may spare the others.
  std::ranges::stable_sort(pieces, std::greater(), [&](const Piece& piece) {
    return static_cast<double>(piece.first) / static_cast<double>(walks[piece.walk].level);
  });
  std::vector<std::atomic<double>> best(walks.size());
  for (std::size_t i = 0; i < walks.size(); ++i) best[i] = walks[i].best;
  for_each(budget, pieces.size(), [&](std::size_t i, std::size_t slot) {
    const auto& [of, first, last] = pieces[i];
    BlockFinish::Walk walk{best[of], first, walks[of].load};
    go_on(of, walk, last, kToTheEnd, slot);
    double known = best[of];
    while (walk.best < known && !best[of].compare_exchange_weak(known, walk.best)) {
    }
  });
  for (std::size_t i = 0; i < walks.size(); ++i) walks[i] = {best[i], 0, walks[i].load};
}

}  // namespace partita::detail
