// SPDX-License-Identifier: Apache-2.0
#include "partita/report/graph_edges.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "partita/report/svg.h"
#include "partita/report/svg_curves.h"

namespace partita::detail {
namespace {

constexpr int kWidths = 4;           // of edges that can be told apart
constexpr std::size_t kLabels = 12;  // as many costs of edges are written beside them

class EdgeDrawing {
 public:
  EdgeDrawing(const Graph& graph, const Pieces& pieces, const GraphPicture& picture)
      : graph_(graph), pieces_(pieces), picture_(picture) {}

  GraphEdges draw() {
    if (picture_.detail == Detail::Pieces) {
      piece_edges();
    } else {
      inner_edges();
      outer_edges();
    }
    edges_.heads = heads();
    return std::move(edges_);
  }

 private:
  DeviceId device_of(NodeId v) const { return pieces_.pieces[pieces_.piece_of[v]].device; }
  const Box& box_of(NodeId v) const { return picture_.layout.boxes[pieces_.piece_of[v]]; }

  // Edges inside a piece, and (dashed) those between the pieces of one device: nothing moves.
  void inner_edges() {
    Paths inner, own;
    for (const Edge& edge : graph_.edges) {
      const Box from = picture_.node_box(edge.from), to = picture_.node_box(edge.to);
      if (pieces_.piece_of[edge.from] == pieces_.piece_of[edge.to]) {
        add(inner, inner_curve(from, to));
      } else if (device_of(edge.from) == device_of(edge.to)) {
        add(own, outer_curve(from, to, box_of(edge.from), box_of(edge.to)));
      }
    }
    const bool dots = picture_.detail == Detail::Dots;
    draw(own, "class=\"own\"", dots ? 0.6 : 1, dots ? 0.15 : picture_.detail == Detail::Nodes ? 0.4 : 0.6, "inner");
    draw(inner, "class=\"inner\"", dots ? 0.6 : 1, 1, "inner");
  }

  // What moves between devices, in the colour of where it comes from. An output moves to a piece once: to the first of
  // its readers there; to the others leads a thin line.
  void outer_edges() {
    double most = 0;
    std::size_t count = 0;
    for (const Edge& edge : graph_.edges) {
      if (device_of(edge.from) == device_of(edge.to)) continue;
      most = std::max(most, edge.cost);
      ++count;
    }
    const bool dots = picture_.detail == Detail::Dots;
    const bool labelled = picture_.detail == Detail::Names && count <= kLabels;
    std::set<std::pair<NodeId, PieceId>> seen;
    std::map<std::pair<DeviceId, int>, Paths> first, further;
    for (const Edge& edge : graph_.edges) {
      const DeviceId device = device_of(edge.from);
      if (device == device_of(edge.to)) continue;
      const Box from = picture_.node_box(edge.from), to = picture_.node_box(edge.to);
      const bool moves = seen.insert({edge.from, pieces_.piece_of[edge.to]}).second;
      add(moves ? first[{device, step_of(edge.cost, most)}] : further[{device, 0}],
          outer_curve(from, to, box_of(edge.from), box_of(edge.to)));
      if (labelled && moves && edge.cost > 0) {
        label(outer_middle(from, to, box_of(edge.from), box_of(edge.to)), edge.cost);
      }
    }
    draw_outer(further, dots ? 0.5 : 1, 0.35);
    draw_outer(first, dots ? 0.8 : 1.2, 0.8);
  }

  void label(const Point& at, double cost) {
    edges_.labels += fmt::format(
        "<text class=\"halo\" x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"10\" text-anchor=\"middle\">{}</text>\n", at.x,
        at.y - 4, fmt::format("{:.4g}", cost));
  }

  // The same for whole pieces: each output that moves counts once for each piece that reads it.
  void piece_edges() {
    std::map<std::pair<PieceId, PieceId>, double> moved;
    std::set<std::pair<NodeId, PieceId>> seen;
    double most = 0;
    for (const Edge& edge : graph_.edges) {
      const PieceId to = pieces_.piece_of[edge.to];
      if (device_of(edge.from) == device_of(edge.to) || !seen.insert({edge.from, to}).second) continue;
      double& sum = moved[{pieces_.piece_of[edge.from], to}];
      sum += edge.cost;
      most = std::max(most, sum);
    }
    std::map<std::pair<DeviceId, int>, Paths> paths;
    for (const auto& [ends, cost] : moved) {
      const Box& from = picture_.layout.boxes[ends.first];
      const Box& to = picture_.layout.boxes[ends.second];
      const double between = std::max(to.left - from.right(), from.left - to.right());
      const bool around = from.top == to.top && between > std::min(from.width, to.width);
      add(paths[{pieces_.pieces[ends.first].device, step_of(cost, most)}],
          around ? around_curve(from, to, !pieces_.pieces[ends.first].backward) : outer_curve(from, to, from, to));
    }
    draw_outer(paths, picture_.short_titles ? 0.8 : 1.5, picture_.short_titles ? 0.6 : 0.8);
  }

  static int step_of(double cost, double most) {
    return most > 0 ? std::min(kWidths - 1, static_cast<int>(kWidths * cost / most)) : 0;
  }

  // The data of paths that look alike. With arrow heads each curve is a path of its own, as only the end of a path has
  // one; else they are all one.
  using Paths = std::vector<std::string>;
  bool has_heads() const { return picture_.detail == Detail::Names || picture_.detail == Detail::Pieces; }
  void add(Paths& paths, const std::string& curve) const {
    if (paths.empty() || has_heads()) {
      paths.push_back(curve);
    } else {
      paths.front() += curve;
    }
  }

  void draw(const Paths& paths, const std::string& look, double width, double opacity, const std::string& head) {
    for (const std::string& path : paths) {
      edges_.curves += fmt::format("<path {} d=\"{}\" stroke-width=\"{:.2g}\" stroke-opacity=\"{}\"{}/>\n", look, path,
                                   width, opacity, has_heads() ? fmt::format(" marker-end=\"url(#{})\"", head) : "");
    }
  }

  void draw_outer(const std::map<std::pair<DeviceId, int>, Paths>& paths, double thinnest, double opacity) {
    for (const auto& [look, alike] : paths) {
      const auto& [device, step] = look;
      draw(alike, fmt::format("fill=\"none\" stroke=\"{}\"", device_colour(device)), thinnest * (1 + 0.8 * step),
           opacity, fmt::format("from{}", device.index()));
    }
  }

  std::string heads() const {
    std::string heads;
    const auto add_head = [&](const std::string& id, int size, const std::string& look) {
      heads += fmt::format(
          "<marker id=\"{0}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"{1}\" markerHeight=\"{1}\" "
          "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" {2}/></marker>\n",
          id, size, look);
    };
    if (has_heads()) {
      add_head("inner", 7, "fill=\"#8b93a0\"");
      std::set<DeviceId> devices;
      for (const Piece& piece : pieces_.pieces) devices.insert(piece.device);
      for (const DeviceId d : devices) {
        add_head(fmt::format("from{}", d.index()), 10, fmt::format("fill=\"{}\"", device_colour(d)));
      }
    }
    return heads.empty() ? "" : "<defs>\n" + heads + "</defs>\n";
  }

  const Graph& graph_;
  const Pieces& pieces_;
  const GraphPicture& picture_;
  GraphEdges edges_;
};

}  // namespace

GraphEdges draw_edges(const Graph& graph, const Pieces& pieces, const GraphPicture& picture) {
  return EdgeDrawing(graph, pieces, picture).draw();
}

}  // namespace partita::detail
