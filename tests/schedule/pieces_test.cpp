// SPDX-License-Identifier: Apache-2.0
// Splits cut into pieces: small ones by hand, and random ones against what check says of their devices.
#include "partita/schedule/pieces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>

#include "partita/util/dice.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/random_setup.h"
#include "tests/support/random_split.h"

namespace partita::detail::test {
namespace {

struct Case {
  Problem problem;
  Split split;
  CheckReport report;
  Pieces pieces;

  Case(std::string_view graph, std::string_view text, Shape shape = Shape::Free, int accelerators = 3) {
    problem.workload = graph_from_text(graph, accelerators);
    problem.shape = shape;
    split = split_from_text(problem.workload, text);
    report = check(problem, split);
    EXPECT_TRUE(report.legal());
    pieces = cut_into_pieces(problem, split, report);
  }

  const Piece& operator[](std::size_t i) const { return pieces.pieces[PieceId(i)]; }

  // "0: a b; 1: c; 0 back: d".
  std::string text() const {
    std::string text;
    for (const Piece& piece : pieces.pieces) {
      text += (text.empty() ? "" : "; ") + std::to_string(piece.device.index()) + (piece.backward ? " back:" : ":");
      for (NodeId v : piece.nodes) text += " " + problem.workload->graph.nodes[v].name;
    }
    return text;
  }
};

using Ids = std::vector<PieceId>;

void expect_load(const Piece& piece, double compute, double in, double out) {
  EXPECT_DOUBLE_EQ(piece.load.compute, compute);
  EXPECT_DOUBLE_EQ(piece.load.in, in);
  EXPECT_DOUBLE_EQ(piece.load.out, out);
}

TEST(Pieces, OfAStagedChain) {
  const Case c("a 1 9 out=10; b 2 9 out=20; c 4 9 out=30; d 8 9; a -> b -> c -> d", "c d | | a b", Shape::Staged);
  EXPECT_EQ(c.text(), "2: a b; 0: c d");
  EXPECT_TRUE(c.pieces.fewest);
  expect_load(c[0], 3, 0, 20);
  expect_load(c[1], 12, 20, 0);
  EXPECT_EQ(c[0].after, Ids());
  EXPECT_EQ(c[1].after, Ids{PieceId(0)});
  EXPECT_EQ(c.pieces.piece_of[node_named(c.problem.workload, "c")], PieceId(1));
}

TEST(Pieces, OfTrainingRunBackInTheOtherOrder) {
  const Case c("a 1 9 out=1; b 2 9 out=1; B 4 9 back out=1; A 8 9 back; a -> b -> B -> A", "a A | b B", Shape::Staged);
  EXPECT_EQ(c.text(), "0: a; 1: b; 1 back: B; 0 back: A");
  EXPECT_TRUE(c.pieces.fewest);
  EXPECT_EQ(c[2].after, Ids{PieceId(1)});
  EXPECT_EQ(c[3].after, Ids{PieceId(2)});
}

TEST(Pieces, OfTrainingRunBackInTheOtherOrderAlsoWhereNothingSaysSo) {
  const Case c("a 1 9 out=1; b 2 9 out=1; A 8 9 back; B 4 9 back; a -> b; a -> A; b -> B", "a A | b B", Shape::Staged);
  EXPECT_EQ(c.text(), "0: a; 1: b; 1 back: B; 0 back: A");
}

TEST(Pieces, OfDevicesThatWaitForEachOther) {
  const Case c("p 1 9 out=10; q 2 9 out=20; r 4 9; s 8 9; p -> r; q -> s", "p s | q r");
  EXPECT_EQ(c.text(), "0: p; 1: q r; 0: s");
  EXPECT_TRUE(c.pieces.fewest);
  expect_load(c[0], 1, 0, 10);
  expect_load(c[1], 6, 10, 20);
  expect_load(c[2], 8, 20, 0);
  EXPECT_EQ(c[1].after, Ids{PieceId(0)});
  EXPECT_EQ(c[2].after, Ids{PieceId(1)});
}

TEST(Pieces, PassResultsToLaterPiecesOfTheirDeviceForNothing) {
  const Case c("a 1 9 out=5; b 1 9 out=7; c 1 9; a -> b c; b -> c", "a c | b");
  EXPECT_EQ(c.text(), "0: a; 1: b; 0: c");
  expect_load(c[2], 1, 7, 0);
  EXPECT_EQ(c[2].after, (Ids{PieceId(0), PieceId(1)}));
}

TEST(Pieces, OfOneDeviceReadAnInputOnce) {
  // b and d on device 1 both read a; what d reads came in with b.
  const Case c("a 1 9 out=5; b 1 9 out=3; c 1 9 out=2; d 1 9; a -> b d; b -> c -> d", "a | b d | c");
  EXPECT_EQ(c.text(), "0: a; 1: b; 2: c; 1: d");
  expect_load(c[1], 1, 5, 3);
  expect_load(c[3], 1, 2, 0);
  EXPECT_EQ(c[3].after, (Ids{PieceId(0), PieceId(1), PieceId(2)}));
}

TEST(Pieces, WaitForWhatCameInWithAnotherOne) {
  // The output of a comes in with b, so d waits for the piece of b, though it reads nothing of it.
  const Case c("a 1 9 out=5; b 1 9; e 1 9 out=3; c 1 9 out=2; d 1 9; a -> b d; e -> c -> d", "a | b d e | c");
  EXPECT_EQ(c.text(), "0: a; 1: b e; 2: c; 1: d");
  EXPECT_EQ(c[3].after, (Ids{PieceId(0), PieceId(1), PieceId(2)}));
}

TEST(Pieces, ReadEdgesOfDifferentCostOneByOne) {
  const Case c("a 1 9; b 1 9 out=3; c 1 9 out=2; d 1 9; a -> b : 5; a -> d : 6; b -> c -> d", "a | b d | c");
  EXPECT_EQ(c.text(), "0: a; 1: b; 2: c; 1: d");
  expect_load(c[0], 1, 0, 11);
  expect_load(c[1], 1, 5, 3);
  expect_load(c[3], 1, 2 + 6, 0);
  EXPECT_EQ(c[3].after, (Ids{PieceId(0), PieceId(2)}));
}

TEST(Pieces, BringInForTheBackwardPassWhatOnlyThatReads) {
  // Device 1 has a forward piece behind a's; it takes a's output along for B.
  const Case with("a 1 9 out=5; b 1 9; B 1 9 back; a -> B; b -> B", "a | b B");
  EXPECT_EQ(with.text(), "0: a; 1: b; 1 back: B");
  expect_load(with[1], 1, 5, 0);
  expect_load(with[2], 1, 0, 0);
  EXPECT_EQ(with[1].after, Ids{PieceId(0)});
  EXPECT_EQ(with[2].after, (Ids{PieceId(0), PieceId(1)}));
  // Here b is before a, so that a piece without nodes has to read.
  const Case without("b 1 9 out=2; a 1 9 out=5; B 1 9 back; b -> a -> B", "a | b B");
  EXPECT_EQ(without.text(), "1: b; 0: a; 1:; 1 back: B");
  expect_load(without[2], 0, 5, 0);
  expect_load(without[3], 1, 0, 0);
  EXPECT_EQ(without[2].after, Ids{PieceId(1)});
  EXPECT_EQ(without[3].after, (Ids{PieceId(1), PieceId(2)}));
  // A host reads for nothing.
  const Case host("b 1 9 out=2; a 1 9 out=5; B 1 9 back; b -> a -> B", "a | | | b B");
  EXPECT_EQ(host.text(), "3: b; 0: a; 3 back: B");
}

// The pieces of a split over two devices, where forward nodes can run again for so much of their time.
Pieces recomputed_pieces(std::string_view graph, double share, std::string_view text,
                         const IdVector<DeviceId, char>& recomputes) {
  Problem problem{graph_from_text(graph), {.memory_model = MemoryModel::OneF1B, .recompute = true}};
  for (Node& node : problem.workload.change().graph.nodes) node.recompute_share = node.backward ? 0 : share;
  Split split = split_from_text(problem.workload, text);
  split.order = {DeviceId(0), DeviceId(1)};
  split.recomputes = recomputes;
  const CheckReport report = check(problem, split);
  EXPECT_TRUE(report.legal());
  return cut_into_pieces(problem, split, report);
}

TEST(Pieces, RecomputeBeforeTheBackwardPass) {
  // Device 0 has backward nodes, device 1 has none.
  const Pieces pieces =
      recomputed_pieces("a 1 9 out=1; b 2 9 out=1; c 4 9; B 8 9 back; A 16 9 back; a -> b -> c; b -> B -> A", 0.5,
                        "a b B A | c", {1, 1, 0});
  ASSERT_EQ(pieces.pieces.size(), 4u);
  expect_load(pieces.pieces[PieceId(0)], 3, 0, 1);
  expect_load(pieces.pieces[PieceId(1)], 4, 1, 0);
  expect_load(pieces.pieces[PieceId(2)], 24 + 1.5, 0, 0);
  expect_load(pieces.pieces[PieceId(3)], 2, 0, 0);
  EXPECT_TRUE(pieces.pieces[PieceId(3)].backward);
  EXPECT_EQ(pieces.pieces[PieceId(3)].after, Ids{PieceId(1)});
}

TEST(Pieces, RecomputeWithTheFirstOfSeveralBackwardPieces) {
  const Pieces pieces = recomputed_pieces(
      "a 1 9 colour=1; b 2 9 colour=2; C 4 9 back colour=1; B 8 9 back colour=2; A 16 9 back colour=1;"
      "a -> b -> C -> B -> A",
      1, "a C A | b B", {1, 0, 0});
  ASSERT_EQ(pieces.pieces.size(), 5u);
  expect_load(pieces.pieces[PieceId(2)], 4 + 1, 0, 0);
  expect_load(pieces.pieces[PieceId(4)], 16, 0, 0);
}

// A forward pass of chains through devices drawn at random, for which the search gives up, and a backward pass of one
// node, for which there is nothing to search.
TEST(Pieces, AreFewestOnlyIfProvedInBothPasses) {
  Problem problem;
  problem.shape = Shape::Free;
  problem.workload = graph_from_text("x 1 1", 6);
  Graph& graph = problem.workload.change().graph;
  const Node node = graph.nodes[NodeId(0)];
  graph.nodes = {};
  Split split;
  Dice dice(1);
  constexpr std::size_t kNodes = 400, kChains = 10;
  for (std::size_t v = 0; v <= kNodes; ++v) {
    graph.nodes.push_back(node);
    graph.nodes[NodeId(v)].original_id = static_cast<std::int64_t>(v);
    graph.nodes[NodeId(v)].backward = v == kNodes;
    split.device_of.push_back(DeviceId(dice.below(6)));
    if (v + kChains < kNodes) graph.edges.push_back({NodeId(v), NodeId(v + kChains), 0});
  }
  graph.edges.push_back({NodeId(0), NodeId(kNodes), 0});
  const CheckReport report = check(problem, split);
  ASSERT_TRUE(report.legal()) << report.violations.front().message;
  EXPECT_FALSE(cut_into_pieces(problem, split, report).fewest);
}

// The fewest pieces with nodes in one pass, by going through all sets of nodes that can be done, run by run; a run may
// stop anywhere.
std::size_t fewest_in_pass(const Graph& graph, const Split& split, bool backward) {
  using Done = std::set<NodeId>;
  Done all;
  for (NodeId v : graph.nodes.all()) {
    if (graph.nodes[v].backward == backward) all.insert(v);
  }
  std::set<Done> now{Done()};
  for (std::size_t runs = 0;; ++runs) {
    if (now.count(all)) return runs;
    std::set<Done> next;
    for (std::size_t d = 0; d < 16; ++d) {
      std::vector<Done> open(now.begin(), now.end());
      std::set<Done> seen = now;
      while (!open.empty()) {
        const Done done = open.back();
        open.pop_back();
        for (NodeId v : all) {
          if (done.count(v) || split.device_of[v] != DeviceId(d)) continue;
          const bool ready = std::all_of(graph.edges.begin(), graph.edges.end(), [&](const Edge& edge) {
            return edge.to != v || !all.count(edge.from) || done.count(edge.from);
          });
          Done more = done;
          more.insert(v);
          if (!ready || !seen.insert(more).second) continue;
          next.insert(more);
          open.push_back(more);
        }
      }
    }
    now = std::move(next);
  }
}

void expect_sound(const Problem& problem, const Split& split, const CheckReport& report, const Pieces& pieces) {
  const Graph& graph = problem.workload->graph;
  std::size_t listed = 0;
  bool backward = false;
  std::map<bool, std::size_t> with_nodes;
  std::map<bool, std::map<DeviceId, PassLoad>> loads;
  for (PieceId p : pieces.pieces.all()) {
    const Piece& piece = pieces.pieces[p];
    EXPECT_GE(piece.backward, backward) << "forward pieces come first";
    backward = piece.backward;
    for (NodeId v : piece.nodes) {
      EXPECT_EQ(pieces.piece_of[v], p);
      EXPECT_EQ(split.device_of[v], piece.device);
      EXPECT_EQ(graph.nodes[v].backward, piece.backward);
    }
    EXPECT_TRUE(std::is_sorted(piece.nodes.begin(), piece.nodes.end()));
    EXPECT_TRUE(std::adjacent_find(piece.after.begin(), piece.after.end(), std::greater_equal<>()) ==
                piece.after.end());
    EXPECT_TRUE(std::all_of(piece.after.begin(), piece.after.end(), [p](PieceId q) { return q < p; }));
    listed += piece.nodes.size();
    with_nodes[piece.backward] += piece.nodes.empty() ? 0 : 1;
    PassLoad& load = loads[piece.backward][piece.device];
    load.compute += piece.load.compute;
    load.in += piece.load.in;
    load.out += piece.load.out;
  }
  EXPECT_EQ(listed, graph.nodes.size());
  for (const Edge& edge : graph.edges) {
    const PieceId from = pieces.piece_of[edge.from];
    const PieceId to = pieces.piece_of[edge.to];
    const std::vector<PieceId>& after = pieces.pieces[to].after;
    EXPECT_TRUE(from == to || std::binary_search(after.begin(), after.end(), from));
  }
  for (DeviceId d : report.devices.all()) {
    if (report.devices[d].original.valid() && report.devices[d].original != d) continue;
    for (const bool pass : {false, true}) {
      const PassLoad& expected = pass ? report.devices[d].backward : report.devices[d].forward;
      EXPECT_NEAR(loads[pass][d].compute, expected.compute, 1e-9 * (1 + expected.compute)) << d.index() << pass;
      EXPECT_NEAR(loads[pass][d].in, expected.in, 1e-9 * (1 + expected.in)) << d.index() << pass;
      EXPECT_NEAR(loads[pass][d].out, expected.out, 1e-9 * (1 + expected.out)) << d.index() << pass;
    }
  }
  EXPECT_TRUE(pieces.fewest);
  EXPECT_EQ(with_nodes[false], fewest_in_pass(graph, split, false));
  EXPECT_EQ(with_nodes[true], fewest_in_pass(graph, split, true));
}

TEST(Pieces, OfRandomSplitsAddUpAndAreFewest) {
  std::size_t legal = 0, several = 0, reading = 0;
  for (std::uint64_t seed = 1; seed <= cases(2000); ++seed) {
    SetupFeatures features;
    features.memory = features.recompute = features.copies = false;
    Problem problem = random_setup(seed, features);
    problem.shape = Shape::Free;
    for (DeviceClass& c : problem.workload.change().platform.classes) c.memory = kUnlimited;
    for (Node& node : problem.workload.change().graph.nodes) node.colour = std::nullopt;
    Dice dice(seed);
    const Platform& platform = problem.workload->platform;
    Split split;
    for (const Node& node : problem.workload->graph.nodes) {
      DeviceId d(dice.below(platform.device_count()));
      for (int tries = 0; node.time[platform.class_of(d).index()] == kCannotRun && tries < 20; ++tries)
        d = DeviceId(dice.below(platform.device_count()));
      split.device_of.push_back(d);
    }
    const CheckReport report = check(problem, split);
    if (!report.legal()) continue;
    const Pieces pieces = cut_into_pieces(problem, split, report);
    expect_sound(problem, split, report, pieces);
    ++legal;
    std::map<std::pair<DeviceId, bool>, int> count;
    int most = 0;
    bool only_reads = false;
    for (const Piece& piece : pieces.pieces) {
      most = std::max(most, ++count[{piece.device, piece.backward}]);
      only_reads |= piece.nodes.empty();
    }
    several += most > 1 ? 1 : 0;
    reading += only_reads ? 1 : 0;
    if (HasFailure()) FAIL() << "seed " << seed << "\n" << describe(problem);
  }
  EXPECT_GT(legal, cases(2000) / 2);
  EXPECT_GT(several, legal / 10);
  EXPECT_GT(reading, legal / 200);
}

TEST(Pieces, OfStagedSplitsAreOneForEachDeviceInTheForwardPass) {
  std::size_t legal = 0, copies = 0, recomputing = 0;
  for (std::uint64_t seed = 1; seed <= cases(3000); ++seed) {
    const Problem problem = random_setup(seed);
    std::mt19937 engine(static_cast<unsigned>(seed));
    const Split split = random_split(problem, engine);
    const CheckReport report = check(problem, split);
    if (!report.legal()) continue;
    const Pieces pieces = cut_into_pieces(problem, split, report);
    expect_sound(problem, split, report, pieces);
    ++legal;
    std::vector<DeviceId> forward;
    for (const Piece& piece : pieces.pieces) {
      if (!piece.backward && !piece.nodes.empty()) forward.push_back(piece.device);
    }
    std::set<DeviceId> has_forward;
    for (NodeId v : problem.workload->graph.nodes.all()) {
      if (!problem.workload->graph.nodes[v].backward) has_forward.insert(split.device_of[v]);
    }
    std::vector<DeviceId> expected;
    for (DeviceId d : report.order) {
      if (has_forward.count(d)) expected.push_back(d);
    }
    EXPECT_EQ(forward, expected);
    for (DeviceId d : report.devices.all()) {
      copies += report.devices[d].original.valid() && report.devices[d].original != d ? 1 : 0;
      recomputing += report.devices[d].recomputes && report.devices[d].node_count > 0 ? 1 : 0;
    }
    if (HasFailure()) FAIL() << "seed " << seed << "\n" << describe(problem);
  }
  EXPECT_GT(legal, cases(3000) / 5);
  EXPECT_GT(copies, 0u);
  EXPECT_GT(recomputing, 0u);
}

}  // namespace
}  // namespace partita::detail::test
