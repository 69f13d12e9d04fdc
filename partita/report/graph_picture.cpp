// SPDX-License-Identifier: Apache-2.0
#include "partita/report/graph_picture.h"

#include <algorithm>

namespace partita::detail {
namespace {

constexpr std::size_t kNamed = 150, kDrawn = 600, kDotted = 3000;  // nodes
constexpr std::size_t kLongTitles = 24;                            // pieces
constexpr double kNameFont = 11, kLongestName = 140;               // in a node

constexpr double kLetter = 0.57;  // how wide a letter is, on average and in most fonts
// Dots shrink until the picture is so wide, but no further; titles keep their size, which takes more than one round.
constexpr double kWidth = 1300, kSmallest = 5;
constexpr int kRounds = 4;

// In heights of the font, for the first byte of a character in UTF-8; the others add nothing. From E3 on they are those
// of East Asian scripts and symbols, which are square.
double letter_width(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  if ((code & 0xC0) == 0x80) return 0;
  return code >= 0xE3 ? 1 : kLetter;
}

Detail detail_for(const Graph& graph) {
  if (graph.nodes.size() <= kNamed) return Detail::Names;
  if (graph.nodes.size() <= kDrawn) return Detail::Nodes;
  return graph.nodes.size() <= kDotted ? Detail::Dots : Detail::Pieces;
}

struct Titles {
  double font, header, least_width, gap;  // pixels
};

Titles titles_for(Detail detail, std::size_t pieces, bool training) {
  const bool small = pieces > kLongTitles;
  const double wide = training ? 200 : 150;
  if (detail == Detail::Pieces) return small ? Titles{11, 10, 104, 30} : Titles{12, 44, wide, 48};
  const double header = detail == Detail::Dots ? 44 : 38;  // dots are close to the border of their box
  return small ? Titles{10, header - 28, 34, 22} : Titles{12, header, wide, 44};
}

double node_height(Detail detail) { return detail == Detail::Names ? 24 : detail == Detail::Nodes ? 18 : 14; }

// Wide enough for most names.
double name_width(const Graph& graph) {
  double widest = 0;
  for (const Node& node : graph.nodes) widest = std::max(widest, text_width(node.name, kNameFont));
  return std::clamp(widest + 12, 48.0, kLongestName);
}

Pieces without_nodes(const Pieces& pieces) {
  Pieces result = pieces;
  result.piece_of.clear();
  for (Piece& piece : result.pieces) piece.nodes.clear();
  return result;
}

void scale(GraphLayout& layout, double across, double down) {
  for (Point& centre : layout.centres) centre = {centre.x * across, centre.y * down};
  for (Box& box : layout.boxes) box = {box.left * across, box.top * down, box.width * across, box.height * down};
  layout.width *= across;
  layout.height *= down;
}

}  // namespace

GraphPicture arrange_picture(const Graph& graph, const Pieces& pieces, const std::vector<DeviceId>& order) {
  GraphPicture picture;
  picture.detail = detail_for(graph);
  picture.short_titles = pieces.pieces.size() > kLongTitles;
  const Titles titles = titles_for(picture.detail, pieces.pieces.size(), graph.has_backward());
  double down = node_height(picture.detail);
  double across = picture.detail == Detail::Names ? name_width(graph) : down;
  for (int round = 0; round < kRounds; ++round) {
    const LayoutStyle style{across / down, titles.header / down, titles.least_width / across, titles.gap / down};
    picture.layout = picture.detail == Detail::Pieces ? lay_out(Graph{}, without_nodes(pieces), style, order)
                                                      : lay_out(graph, pieces, style, order);
    const double width = picture.layout.width * across;
    if (picture.detail != Detail::Dots || width <= kWidth || down <= kSmallest || round + 1 == kRounds) break;
    across = down = std::max(kSmallest, down * kWidth / width);
  }
  scale(picture.layout, across, down);
  picture.font = titles.font;
  picture.node_width = picture.detail == Detail::Dots ? 0.8 * down : across;
  picture.node_height = picture.detail == Detail::Dots ? 0.8 * down : down;
  return picture;
}

double text_width(std::string_view text, double font) {
  double width = 0;
  for (const char c : text) width += letter_width(c) * font;
  return width;
}

std::string fitted(const std::string& text, double font, double width) {
  if (text_width(text, font) <= width) return text;
  constexpr std::size_t kFewest = 3;
  double room = width - text_width("…", font);
  std::size_t letters = 0;
  std::size_t end = 0;
  for (std::size_t i = 0; i < text.size() && room >= 0; ++i) {
    if (letter_width(text[i]) == 0) continue;
    end = i;
    ++letters;
    room -= letter_width(text[i]) * font;
  }
  return letters > kFewest ? text.substr(0, end) + "…" : "";
}

}  // namespace partita::detail
