// SPDX-License-Identifier: Apache-2.0
// The order of the pieces is that of fewest_runs.h, one pass after the other: no edge goes from a backward node to a
// forward one. Transfers are what check/crossings.h counts for whole devices; what is left to do here is to say with
// which piece each of them goes. Linear, after the search for the order. Tests: tests/schedule/pieces_test.cpp.
#include "partita/schedule/pieces.h"

#include <algorithm>

#include "partita/check/crossings.h"
#include "partita/model/contention.h"
#include "partita/model/shared_links.h"
#include "partita/util/csr.h"
#include "partita/util/fewest_runs.h"

namespace partita {

using namespace detail;

namespace {

class PieceCutter {
 public:
  PieceCutter(const Problem& problem, const Split& split, const CheckReport& report)
      : problem_(problem),
        graph_(problem.workload->graph),
        platform_(problem.workload->platform),
        split_(split),
        report_(report),
        training_(graph_.has_backward()),
        slow_down_(slow_downs(platform_)) {
    std::vector<std::pair<NodeId, NodeId>> pairs;
    pairs.reserve(graph_.edges.size());
    for (const Edge& edge : graph_.edges) pairs.emplace_back(edge.from, edge.to);
    readers_ = Csr<NodeId, NodeId>(graph_.nodes.size(), pairs);
  }

  Pieces cut() {
    result_.piece_of.assign(graph_.nodes.size(), PieceId());
    result_.fewest = true;
    find_transfers();
    cut_pass(false);
    add_pieces_that_only_read();
    if (training_) {
      cut_pass(true);
      add_pieces_that_only_recompute();
    }
    for (NodeId v : graph_.nodes.all()) compute(v);
    for (const Edge& edge : graph_.edges) must_wait(result_.piece_of[edge.to], result_.piece_of[edge.from]);
    for (const Transfer& t : out_) {
      Piece& piece = result_.pieces[result_.piece_of[t.crossing.producer]];
      piece.load.out += t.crossing.cost;
      for (const LinkUse& use : t.over) add_use(use.link, 0, use.out, piece);
    }
    for (const Transfer& t : in_) bring_in(t);
    for (Piece& piece : result_.pieces) {
      std::ranges::sort(piece.links, {}, &LinkUse::link);
      std::sort(piece.after.begin(), piece.after.end());
      piece.after.erase(std::unique(piece.after.begin(), piece.after.end()), piece.after.end());
    }
    return std::move(result_);
  }

 private:
  struct Transfer {
    Crossing crossing;
    std::vector<LinkUse> over;  // shared links
  };

  static DeviceId device_of(const Crossing& crossing) { return DeviceId(crossing.block.index()); }

  void must_wait(PieceId piece, PieceId before) {
    if (piece != before) result_.pieces[piece].after.push_back(before);
  }

  // Those that take time. What costs nothing, as all that hosts move, needs no piece to come with.
  void find_transfers() {
    IdVector<NodeId, BlockId> block_of;
    for (DeviceId d : split_.device_of) block_of.push_back(BlockId(d.index()));
    IdVector<BlockId, DeviceId> devices;
    for (DeviceId d : ids<DeviceId>(platform_.device_count())) devices.push_back(d);
    const ClusterTree clusters(platform_);
    const Crossings crossings = find_crossings(graph_, block_of, devices, clusters);
    for (const Crossing& c : crossings.in) in_.push_back({c, {}});
    for (const Crossing& c : crossings.out) out_.push_back({c, {}});
    std::size_t first = 0;  // of the link's places in the report
    for (const SharedLink& link : platform_.shared_links) {
      if (!has_shared_links(problem_)) break;
      const SharedLinkPlaces places(platform_, link, clusters);
      // The same crossings in the same order, at another price.
      const Crossings over = find_crossings(graph_, block_of, devices, places);
      for (std::size_t i = 0; i < in_.size(); ++i) {
        if (over.in[i].cost > 0)
          in_[i].over.push_back({first + places.place_of(device_of(over.in[i])), over.in[i].cost, 0});
      }
      for (std::size_t i = 0; i < out_.size(); ++i) {
        if (over.out[i].cost > 0)
          out_[i].over.push_back({first + places.place_of(device_of(over.out[i])), 0, over.out[i].cost});
      }
      first += places.size();
    }
    const auto is_free = [](const Transfer& t) { return t.crossing.cost == 0 && t.over.empty(); };
    std::erase_if(in_, is_free);
    std::erase_if(out_, is_free);
  }

  static void add_use(std::size_t link, double in, double out, Piece& piece) {
    auto use = std::ranges::find(piece.links, link, &LinkUse::link);
    if (use == piece.links.end()) use = piece.links.insert(use, {link, 0, 0});
    use->in += in;
    use->out += out;
  }

  // Nodes are vertices, and the devices that have some are colours.
  void cut_pass(bool backward) {
    ColouredDag dag;
    std::vector<DeviceId> devices;  // by colour
    IdVector<DeviceId, ColourId> colour_of(platform_.device_count());
    IdVector<NodeId, VertexId> vertex_of(graph_.nodes.size());
    for (NodeId v : graph_.nodes.all()) {
      if (graph_.nodes[v].backward != backward) continue;
      ColourId& colour = colour_of[split_.device_of[v]];
      if (!colour.valid()) {
        colour = ColourId(devices.size());
        devices.push_back(split_.device_of[v]);
      }
      vertex_of[v] = dag.colour_of.push_back(colour);
    }
    dag.colour_count = devices.size();
    for (const Edge& edge : graph_.edges) {
      const VertexId from = vertex_of[edge.from];
      const VertexId to = vertex_of[edge.to];
      if (from.valid() && to.valid()) dag.edges.emplace_back(from, to);
    }
    std::vector<ColourId> pipeline;
    for (DeviceId d : report_.order) {
      if (colour_of[d].valid()) pipeline.push_back(colour_of[d]);
    }
    if (backward) std::reverse(pipeline.begin(), pipeline.end());

    const Runs runs = fewest_runs(dag, pipeline);
    result_.fewest = result_.fewest && runs.fewest;
    const std::size_t first = result_.pieces.size();
    for (ColourId c : runs.colour_of) add_piece(devices[c.index()], backward);
    for (NodeId v : graph_.nodes.all()) {
      if (!vertex_of[v].valid()) continue;
      result_.piece_of[v] = PieceId(first + runs.run_of[vertex_of[v]]);
      result_.pieces[result_.piece_of[v]].nodes.push_back(v);
    }
  }

  PieceId add_piece(DeviceId device, bool backward) {
    Piece piece;
    piece.device = device;
    piece.backward = backward;
    return result_.pieces.push_back(std::move(piece));
  }

  // The nodes that an input is for.
  std::vector<NodeId> readers(const Crossing& input) const {
    if (input.reader.valid()) return {input.reader};
    std::vector<NodeId> found;
    for (NodeId w : readers_[input.producer]) {
      if (split_.device_of[w] == device_of(input)) found.push_back(w);
    }
    return found;
  }

  // The piece that an input comes with, if there is one with nodes.
  PieceId entered_by(const Crossing& input) const {
    PieceId first;
    for (NodeId w : readers(input)) {
      const PieceId piece = result_.piece_of[w];
      const bool same_pass = graph_.nodes[w].backward == graph_.nodes[input.producer].backward;
      if (same_pass && (!first.valid() || piece < first)) first = piece;
    }
    if (first.valid()) return first;
    const PieceId last = last_forward_[device_of(input)];
    return last > result_.piece_of[input.producer] ? last : PieceId();
  }

  void add_pieces_that_only_read() {
    last_forward_.assign(platform_.device_count(), PieceId());
    for (PieceId p : result_.pieces.all()) last_forward_[result_.pieces[p].device] = p;
    IdVector<DeviceId, bool> missing(platform_.device_count(), false);
    for (const Transfer& transfer : in_) {
      const Crossing& input = transfer.crossing;
      if (!graph_.nodes[input.producer].backward && !entered_by(input).valid()) missing[device_of(input)] = true;
    }
    extra_reader_.assign(platform_.device_count(), PieceId());
    for (DeviceId d : missing.all()) {
      if (missing[d]) extra_reader_[d] = add_piece(d, false);
    }
  }

  void bring_in(const Transfer& transfer) {
    const Crossing& input = transfer.crossing;
    PieceId piece = entered_by(input);
    if (!piece.valid()) piece = extra_reader_[device_of(input)];
    result_.pieces[piece].load.in += input.cost;
    for (const LinkUse& use : transfer.over) add_use(use.link, use.in, 0, result_.pieces[piece]);
    must_wait(piece, result_.piece_of[input.producer]);
    for (NodeId w : readers(input)) must_wait(result_.piece_of[w], piece);
  }

  double time(NodeId v) const {
    const ClassId its_class = platform_.class_of(split_.device_of[v]);
    return graph_.nodes[v].time[its_class.index()] * slow_down_[its_class];
  }

  // What is computed again comes before anything of the backward pass, and in inference with the node.
  bool recomputed_later(NodeId v) const { return training_ && !graph_.nodes[v].backward && time_again(v) > 0; }
  double time_again(NodeId v) const {
    return report_.devices[split_.device_of[v]].recomputes ? time(v) * graph_.nodes[v].recompute_share : 0;
  }

  void add_pieces_that_only_recompute() {
    first_backward_.assign(platform_.device_count(), PieceId());
    for (PieceId p : result_.pieces.all()) {
      PieceId& first = first_backward_[result_.pieces[p].device];
      if (result_.pieces[p].backward && !first.valid()) first = p;
    }
    for (NodeId v : graph_.nodes.all()) {
      PieceId& first = first_backward_[split_.device_of[v]];
      if (recomputed_later(v) && !first.valid()) first = add_piece(split_.device_of[v], true);
    }
  }

  void compute(NodeId v) {
    const PieceId piece = result_.piece_of[v];
    result_.pieces[piece].load.compute += time(v);
    const PieceId again = recomputed_later(v) ? first_backward_[split_.device_of[v]] : piece;
    result_.pieces[again].load.compute += time_again(v);
    must_wait(again, piece);
  }

  const Problem& problem_;
  const Graph& graph_;
  const Platform& platform_;
  const Split& split_;
  const CheckReport& report_;
  const bool training_;
  const IdVector<ClassId, double> slow_down_;
  Csr<NodeId, NodeId> readers_;
  std::vector<Transfer> in_, out_;
  Pieces result_;
  IdVector<DeviceId, PieceId> last_forward_;  // with nodes
  IdVector<DeviceId, PieceId> extra_reader_;  // a forward piece without nodes
  IdVector<DeviceId, PieceId> first_backward_;
};

}  // namespace

Pieces cut_into_pieces(const Problem& problem, const Split& split, const CheckReport& report) {
  return PieceCutter(problem, split, report).cut();
}

}  // namespace partita
