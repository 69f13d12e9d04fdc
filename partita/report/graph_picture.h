// SPDX-License-Identifier: Apache-2.0
// What to draw of a split graph, and at which size: a layout in pixels.
#pragma once

#include <string>
#include <string_view>

#include "partita/report/graph_layout.h"

namespace partita::detail {

enum class Detail {
  Names,  // nodes as boxes with their names
  Nodes,  // nodes as boxes
  Dots,
  Pieces,  // no nodes
};

struct GraphPicture {
  Detail detail = Detail::Names;
  bool short_titles = false;  // one line on top of each piece instead of two and a bar
  double font = 12;           // of titles
  double node_width = 0;      // of what is drawn
  double node_height = 0;
  GraphLayout layout;

  Box node_box(NodeId node) const {
    const Point& centre = layout.centres[node];
    return {centre.x - node_width / 2, centre.y - node_height / 2, node_width, node_height};
  }
};

// `order` as for lay_out.
GraphPicture arrange_picture(const Graph& graph, const Pieces& pieces, const std::vector<DeviceId>& order);

// About how wide a text is drawn, in a sans-serif font.
double text_width(std::string_view text, double font);
// The text, or its beginning and "…" where it is wider than this; empty where not even three letters fit.
std::string fitted(const std::string& text, double font, double width);

}  // namespace partita::detail
