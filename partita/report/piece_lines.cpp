// SPDX-License-Identifier: Apache-2.0
// A piece drawn in layers [Sugiyama-Tagawa-Toda-SMC'81], cut down to what a piece of a network needs.
//
// Layers: longest path from the sources, then each node with at least as many successors as predecessors moves down to
// its first successor: weights, constants and what is made of them stand beside what reads them instead of all at the
// top, and edges get shorter.
// Order within the layers: barycentre sweeps down and up, a constant number. There are no dummy nodes on long edges:
// their ends attract each other as if they were neighbours, which is enough for chains with skip connections, and keeps
// the cost linear. Places along a line: each node wants to be at the mean of its neighbours' places; keeping order and
// distance, the least squares of that are an isotonic regression, by pooling adjacent violators [Ayer-AMS'55].
//
// Tested in tests/report/graph_layout_test.cpp.
#include "partita/report/piece_lines.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "partita/util/topological_order.h"

namespace partita::detail {
namespace {

constexpr int kSweeps = 6;

using Places = IdVector<NodeId, double>;

double mean_place(std::span<const NodeId> neighbours, const Places& places, double otherwise) {
  if (neighbours.empty()) return otherwise;
  double sum = 0;
  for (const NodeId w : neighbours) sum += places[w];
  return sum / static_cast<double>(neighbours.size());
}

void number_line(const std::vector<NodeId>& line, Places& places) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    places[line[i]] = static_cast<double>(i) - static_cast<double>(line.size() - 1) / 2;
  }
}

void order_layers(Lines& layers, const InnerEdges& edges, Places& places) {
  Places wanted(places.size(), 0);
  const auto sort_layer = [&](std::vector<NodeId>& layer, const Csr<NodeId, NodeId>& neighbours) {
    for (const NodeId v : layer) wanted[v] = mean_place(neighbours[v], places, places[v]);
    std::ranges::stable_sort(layer, [&](NodeId a, NodeId b) { return wanted[a] < wanted[b]; });
    number_line(layer, places);
  };
  for (auto& layer : layers) number_line(layer, places);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    if (sweep % 2 == 0) {
      for (std::size_t l = 0; l < layers.size(); ++l) sort_layer(layers[l], edges.into);
    } else {
      for (std::size_t l = layers.size(); l-- > 0;) sort_layer(layers[l], edges.out_of);
    }
  }
}

// A layer longer than this is written on several lines: a piece without edges becomes a grid, not a row.
std::size_t longest_line(std::size_t nodes) {
  return std::max<std::size_t>(8, static_cast<std::size_t>(std::ceil(1.5 * std::sqrt(static_cast<double>(nodes)))));
}

Lines broken_into_lines(const Lines& layers, std::size_t longest) {
  Lines lines;
  for (const auto& layer : layers) {
    const std::size_t count = (layer.size() + longest - 1) / longest;
    for (std::size_t i = 0; i < count; ++i) {
      const auto at = [&](std::size_t part) {
        return layer.begin() + static_cast<std::ptrdiff_t>(part * layer.size() / count);
      };
      lines.emplace_back(at(i), at(i + 1));
    }
  }
  return lines;
}

// Moves the places of a line as little as possible, in squares, so that each is at least `across` behind the one
// before and all are between the two ends.
void space_out(std::vector<double>& places, double left, double right, double across) {
  struct Pool {
    double sum;
    std::size_t count;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < places.size(); ++i) {
    pools.push_back({places[i] - across * static_cast<double>(i), 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().count += last.count;
    }
  }
  const double most = right - across * static_cast<double>(places.size() - 1);
  std::size_t i = 0;
  for (const Pool& pool : pools) {
    const double start = std::clamp(pool.mean(), left, std::max(left, most));
    for (std::size_t n = 0; n < pool.count; ++n, ++i) places[i] = start + across * static_cast<double>(i);
  }
}

// Neighbours in other columns are at no place that says anything about this one: they are passed over.
void draw_closer(const std::vector<NodeId>& line, const Csr<NodeId, NodeId>& neighbours, std::pair<double, double> ends,
                 double across, IdVector<NodeId, Point>& centres) {
  std::vector<double> wanted;
  for (const NodeId v : line) {
    double sum = 0;
    double count = 0;
    for (const NodeId w : neighbours[v]) {
      if (centres[w].x < ends.first || centres[w].x > ends.second) continue;
      sum += centres[w].x;
      ++count;
    }
    wanted.push_back(count > 0 ? sum / count : centres[v].x);
  }
  space_out(wanted, ends.first, ends.second, across);
  for (std::size_t i = 0; i < line.size(); ++i) centres[line[i]].x = wanted[i];
}

}  // namespace

InnerEdges inner_edges(const Graph& graph, const Pieces& pieces) {
  std::vector<std::pair<NodeId, NodeId>> forward;
  for (const Edge& edge : graph.edges) {
    if (pieces.piece_of[edge.from] == pieces.piece_of[edge.to]) forward.emplace_back(edge.from, edge.to);
  }
  std::ranges::sort(forward);
  const auto repeated = std::ranges::unique(forward);
  forward.erase(repeated.begin(), repeated.end());
  std::vector<std::pair<NodeId, NodeId>> backward;
  for (const auto& [from, to] : forward) backward.emplace_back(to, from);
  return {Csr<NodeId, NodeId>(graph.nodes.size(), backward), Csr<NodeId, NodeId>(graph.nodes.size(), forward)};
}

IdVector<NodeId, std::size_t> layers_in_pieces(const Pieces& pieces, const InnerEdges& edges) {
  const std::vector<NodeId> order = topological_order(edges.out_of);
  IdVector<NodeId, std::size_t> layers(pieces.piece_of.size(), 0);
  for (const NodeId v : order) {
    for (const NodeId w : edges.out_of[v]) layers[w] = std::max(layers[w], layers[v] + 1);
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    const NodeId v = order[i];
    if (edges.out_of[v].empty() || edges.out_of[v].size() < edges.into[v].size()) continue;
    std::size_t first = layers[edges.out_of[v].front()];
    for (const NodeId w : edges.out_of[v]) first = std::min(first, layers[w]);
    layers[v] = first - 1;
  }
  return layers;
}

IdVector<PieceId, Lines> lines_of_pieces(const Pieces& pieces, const InnerEdges& edges) {
  const IdVector<NodeId, std::size_t> layer_of = layers_in_pieces(pieces, edges);
  Places places(pieces.piece_of.size(), 0);
  IdVector<PieceId, Lines> lines(pieces.pieces.size());
  for (const PieceId p : pieces.pieces.all()) {
    const std::vector<NodeId>& nodes = pieces.pieces[p].nodes;
    Lines layers;
    for (const NodeId v : nodes) {
      if (layers.size() <= layer_of[v]) layers.resize(layer_of[v] + 1);
      layers[layer_of[v]].push_back(v);
    }
    order_layers(layers, edges, places);
    lines[p] = broken_into_lines(layers, longest_line(nodes.size()));
  }
  return lines;
}

Columns in_columns(const Lines& lines, std::size_t height) {
  const std::size_t count = (lines.size() + height - 1) / height;
  Columns columns;
  columns.first.push_back(0);
  for (std::size_t c = 0; c < count; ++c) {
    const std::size_t begin = columns.first.back();
    const std::size_t end = (c + 1) * lines.size() / count;
    std::size_t width = 0;
    for (std::size_t l = begin; l < end; ++l) width = std::max(width, lines[l].size());
    columns.first.push_back(end);
    columns.widths.push_back(width);
    columns.height = std::max(columns.height, end - begin);
  }
  return columns;
}

double width_of(const Columns& columns, const Spacing& spacing) {
  if (columns.widths.empty()) return 0;
  double width = 1 - spacing.from_column;
  for (const std::size_t nodes : columns.widths) {
    width += spacing.from_column + spacing.across * static_cast<double>(nodes - 1);
  }
  return width;
}

double height_of(const Columns& columns, const Spacing& spacing) {
  return columns.height == 0 ? 0 : 1 + spacing.down * static_cast<double>(columns.height - 1);
}

void place_nodes(const Lines& lines, const Columns& columns, const InnerEdges& edges, const Spacing& spacing,
                 IdVector<NodeId, Point>& centres) {
  std::vector<std::pair<double, double>> ends;  // of each column: where the first and the last centre may be
  double left = 0.5;
  for (std::size_t c = 0; c < columns.widths.size(); ++c) {
    const double right = left + spacing.across * static_cast<double>(columns.widths[c] - 1);
    for (std::size_t l = columns.first[c]; l < columns.first[c + 1]; ++l) {
      const double start = (left + right - spacing.across * static_cast<double>(lines[l].size() - 1)) / 2;
      const double y = 0.5 + spacing.down * static_cast<double>(l - columns.first[c]);
      for (std::size_t i = 0; i < lines[l].size(); ++i) {
        centres[lines[l][i]] = {start + spacing.across * static_cast<double>(i), y};
      }
    }
    ends.emplace_back(left, right);
    left = right + spacing.from_column;
  }
  for (std::size_t c = 0; c < ends.size(); ++c) {
    for (int sweep = 0; sweep < kSweeps / 2; ++sweep) {
      for (std::size_t l = columns.first[c]; l < columns.first[c + 1]; ++l) {
        draw_closer(lines[l], edges.into, ends[c], spacing.across, centres);
      }
      for (std::size_t l = columns.first[c + 1]; l-- > columns.first[c];) {
        draw_closer(lines[l], edges.out_of, ends[c], spacing.across, centres);
      }
    }
  }
}

}  // namespace partita::detail
