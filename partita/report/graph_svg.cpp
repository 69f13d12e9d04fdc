// SPDX-License-Identifier: Apache-2.0
// From back to front: a caption and the loads of the devices, the boxes of the pieces, edges, nodes, titles. Where
// there are many, what looks alike is one path: the dots of a piece,
// all edges of one colour and width. That keeps files small.
#include "partita/report/graph_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "partita/check/claims.h"
#include "partita/check/describe.h"
#include "partita/check/names.h"
#include "partita/check/times.h"
#include "partita/report/graph_edges.h"
#include "partita/report/graph_picture.h"
#include "partita/report/node_remark.h"
#include "partita/report/svg.h"

namespace partita::detail {
namespace {

constexpr double kMargin = 14, kLeastWidth = 620, kWidestCaption = 1000, kCaptionFont = 14;
constexpr double kLoadCell = 168, kLoadRow = 36;  // of the loads of devices

constexpr const char* kStyle = R"(<style>
text{fill:#222}
.paper{fill:#fff}.soft{fill:#667}.hot{fill:#c0392b}.rail{fill:#e6e8ec}
.inner{stroke:#8b93a0;fill:none}.own{stroke:#8b93a0;fill:none;stroke-dasharray:2 3}
.halo{stroke:#fff;stroke-width:3px;paint-order:stroke;stroke-linejoin:round}
@media(prefers-color-scheme:dark){
text{fill:#e8e8ea}
.paper{fill:#16181d}.soft{fill:#9aa3b2}.hot{fill:#ff8a7a}.rail{fill:#30343c}
.inner,.own{stroke:#7b8494}.halo{stroke:#16181d}
}
</style>
)";

std::string number(double value) { return fmt::format("{:.4g}", value); }

std::string brief(double value) { return fmt::format("{:.3g}", value); }
std::string number_that_fits(double value) { return number(value).size() <= 6 ? number(value) : brief(value); }

class Drawing {
 public:
  Drawing(const Problem& problem, const Pieces& pieces, const CheckReport& report, const Result& result)
      : problem_(problem),
        graph_(problem.workload->graph),
        pieces_(pieces),
        report_(report),
        result_(result),
        picture_(arrange_picture(graph_, pieces, report.order)),
        width_(std::max(kLeastWidth, picture_.layout.width + 2 * kMargin)) {
    const double caption = 1.05 * text_width(describe_workload(problem), kCaptionFont) + 2 * kMargin;
    width_ = std::max(width_, std::min(caption, kWidestCaption));
    const double left = (width_ - picture_.layout.width) / 2;
    for (Box& box : picture_.layout.boxes) box.left += left;
    for (Point& centre : picture_.layout.centres) centre.x += left;
  }

  std::string text() {
    double top = kMargin + 16;
    caption(top);
    loads(top);
    for (Box& box : picture_.layout.boxes) box.top += top;
    for (Point& centre : picture_.layout.centres) centre.y += top;
    const GraphEdges edges = draw_edges(graph_, pieces_, picture_);
    if (picture_.detail == Detail::Pieces) {
      body_ += edges.curves;
      for (const PieceId p : pieces_.pieces.all()) frame(p);
    } else {
      for (const PieceId p : pieces_.pieces.all()) frame(p);
      body_ += edges.curves;
      for (const PieceId p : pieces_.pieces.all()) nodes(p);
    }
    for (const PieceId p : pieces_.pieces.all()) title(p);
    body_ += edges.labels;
    const double height = top + picture_.layout.height + kMargin;
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
               "{1:.0f}\" font-family=\"Helvetica,Arial,sans-serif\" font-size=\"12\">\n",
               width_, height) +
           fmt::format("<title>{}</title>\n", svg_escaped(problem_.workload->name)) + kStyle + edges.heads +
           "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n" + body_ + "</svg>\n";
  }

 private:
  bool is_bottleneck(DeviceId device) const {
    return problem_.objective != Objective::Latency && report_.is_bottleneck(device);
  }

  void write(double x, double y, const std::string& text, double font, const std::string& attributes = "") {
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.3g}\"{}{}>{}</text>\n", x, y, font,
                         attributes.empty() ? "" : " ", attributes, svg_escaped(text));
  }

  void caption(double& top) {
    write(kMargin, top, fitted(describe_workload(problem_), kCaptionFont, width_ - 2 * kMargin), kCaptionFont,
          "font-weight=\"bold\"");
    top += 19;
    const bool latency = problem_.objective == Objective::Latency;
    const std::string& unit = problem_.workload->time_unit;
    std::string text = fmt::format("{} {}", latency ? "latency" : "time per sample", time_text(result_.value, unit));
    if (const std::string rate = latency ? "" : throughput_text(result_.value, unit); !rate.empty())
      text += ", " + rate;
    text += ", " + claim_text(problem_, result_);
    if (const std::string bound = bound_text(problem_, result_); result_.status != Status::Optimal && !bound.empty())
      text += fmt::format("; {} (gap {:.3g} %)", bound, 100 * result_.gap());
    text += latency ? "" : fmt::format("; {}", to_string(problem_.objective));
    write(kMargin, top, text, 12);
    top += 12;
  }

  struct Parts {
    double compute, in, out;
    double all() const { return compute + in + out; }
  };

  void bar(const Parts& parts, double most, double left, double top, double width, double height,
           const std::string& colour) {
    body_ += fmt::format("<rect class=\"rail\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>", left,
                         top, width, height);
    const std::pair<double, const char*> shares[] = {{parts.compute, "1"}, {parts.in, ".6"}, {parts.out, ".3"}};
    for (const auto& [part, opacity] : shares) {
      if (!(part > 0) || !(most > 0)) continue;
      body_ += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" fill-opacity=\"{}\"/>", left,
          top, width * part / most, height, colour, opacity);
      left += width * part / most;
    }
    body_ += '\n';
  }

  // One cell for each stage: its load, and a bar of what it is made of.
  void loads(double& top) {
    std::vector<DeviceId> devices = report_.order;
    if (devices.empty()) {
      for (const DeviceId d : report_.devices.all()) {
        if (report_.devices[d].node_count > 0) devices.push_back(d);
      }
    }
    const auto parts = [&](DeviceId d) {
      const DeviceReport& device = report_.devices[d];
      const double sharing = static_cast<double>(device.sharing);
      return Parts{device.compute() / sharing, device.in() / sharing, device.out() / sharing};
    };
    double most = 0;
    for (const DeviceId d : devices) most = std::max(most, parts(d).all());
    const std::size_t in_a_row = std::max<std::size_t>(1, static_cast<std::size_t>((width_ - 2 * kMargin) / kLoadCell));
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const DeviceId d = devices[i];
      const double left = kMargin + kLoadCell * static_cast<double>(i % in_a_row);
      const double y = top + kLoadRow * static_cast<double>(i / in_a_row);
      const double width = kLoadCell - 18;
      const std::string load = number(report_.load[d]);
      const std::string mark = is_bottleneck(d) ? "class=\"hot\" font-weight=\"bold\"" : "";
      write(left, y + 16, fitted(stage_name(problem_, report_, d), 11, width - text_width(load, 11) - 8), 11, mark);
      write(left + width, y + 16, load, 11, mark + (mark.empty() ? "" : " ") + "text-anchor=\"end\"");
      bar(parts(d), most, left, y + 21, width, 6, device_colour(d));
    }
    top += kLoadRow * static_cast<double>((devices.size() + in_a_row - 1) / in_a_row);
    write(kMargin, top + 6, "bars: compute, transfers in, transfers out", 9, "class=\"soft\"");
    top += 8;
  }

  void frame(PieceId p) {
    const Box& box = picture_.layout.boxes[p];
    const DeviceId device = pieces_.pieces[p].device;
    if (picture_.detail == Detail::Pieces) {  // edges stay behind
      body_ +=
          fmt::format("<rect class=\"paper\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"6\"/>",
                      box.left, box.top, box.width, box.height);
    }
    body_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{}\" fill=\"{}\" fill-opacity=\".1\" "
        "stroke=\"{}\" stroke-width=\"{}\"/>\n",
        box.left, box.top, box.width, box.height, picture_.short_titles ? 3 : 6, device_colour(device),
        device_colour(device), is_bottleneck(device) ? 2.5 : 1);
  }

  void title(PieceId p) {
    const Piece& piece = pieces_.pieces[p];
    const Box& box = picture_.layout.boxes[p];
    const double font = picture_.font;
    const double left = box.left + 0.5 * font;
    const double width = box.width - font;
    const std::string name = stage_name(problem_, report_, piece.device);
    const std::string value = number_that_fits(pass_load(piece.load, problem_.transfers));
    if (picture_.short_titles) {
      const std::string shown = text_width(name, font) <= width ? name : name.substr(name.find_last_of(' ') + 1);
      write(left, box.top + 1.25 * font, fitted(shown, font, width), font);
      if (picture_.detail == Detail::Pieces) {
        const std::string what = fmt::format("{} · {}", value, counted(piece.nodes.size(), "node"));
        write(left, box.top + 2.4 * font, what, 0.83 * font, "class=\"soft\"");
      } else if (text_width(shown + value, font) + font <= width) {
        write(box.right() - 0.5 * font, box.top + 1.25 * font, value, font, "class=\"soft\" text-anchor=\"end\"");
      }
      return;
    }
    const double pass = piece.backward ? text_width("backward ", 0.83 * font) : 0;
    const std::string shown = fitted(name, 1.05 * font, width - text_width(value, font) - pass);
    write(left, box.top + 1.4 * font, shown, font,
          is_bottleneck(piece.device) ? "class=\"hot\" font-weight=\"bold\"" : "font-weight=\"bold\"");
    write(box.right() - 0.5 * font, box.top + 1.4 * font, value, font, "text-anchor=\"end\"");
    if (piece.backward) {
      write(box.right() - font - text_width(value, font), box.top + 1.4 * font, "backward", 0.83 * font,
            "class=\"soft\" text-anchor=\"end\"");
    }
    const std::string parts = fmt::format("compute {} · in {} · out {}", brief(piece.load.compute),
                                          brief(piece.load.in), brief(piece.load.out));
    const double small = std::min(0.83 * font, 0.83 * font * width / text_width(parts, 0.83 * font));
    write(left, box.top + 2.5 * font, parts, small, "class=\"soft\"");
    if (picture_.detail == Detail::Pieces) {
      write(left, box.top + 3.7 * font, counted(piece.nodes.size(), "node"), 0.83 * font, "class=\"soft\"");
    }
    double most = 0;
    for (const Piece& other : pieces_.pieces) {
      most = std::max(most, other.load.compute + other.load.in + other.load.out);
    }
    bar({piece.load.compute, piece.load.in, piece.load.out}, most, left,
        box.top + (picture_.detail == Detail::Pieces ? 4.2 : 2.9) * font, width, 4, device_colour(piece.device));
  }

  void nodes(PieceId p) {
    const Piece& piece = pieces_.pieces[p];
    if (piece.nodes.empty()) return;
    const char* colour = device_colour(piece.device);
    if (picture_.detail == Detail::Dots) {
      std::string path;
      for (const NodeId v : piece.nodes) {
        const Point& centre = picture_.layout.centres[v];
        path += fmt::format("M{:.1f} {:.1f}h0", centre.x, centre.y);
      }
      body_ += fmt::format("<path d=\"{}\" stroke=\"{}\" stroke-width=\"{:.1f}\" stroke-linecap=\"round\"/>\n", path,
                           colour, picture_.node_height);
      return;
    }
    std::string ground;  // hides the edges behind the nodes, whose own colours are light
    for (const NodeId v : piece.nodes) {
      const Box box = picture_.node_box(v);
      ground += fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h{:.1f}z", box.left + 1, box.top + 1, box.width - 2,
                            box.height - 2, 2 - box.width);
    }
    body_ += fmt::format("<path class=\"paper\" d=\"{}\"/>\n<g fill=\"{}\" fill-opacity=\".3\" stroke=\"{}\">\n",
                         ground, colour, colour);
    for (const NodeId v : piece.nodes) {
      const Box box = picture_.node_box(v);
      body_ += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"4\"><title>{}</title></rect>\n",
          box.left, box.top, box.width, box.height, svg_escaped(node_remark(problem_, v, piece.device)));
    }
    body_ += "</g>\n";
    if (picture_.detail != Detail::Names) return;
    for (const NodeId v : piece.nodes) {
      const Box box = picture_.node_box(v);
      const std::string& name = graph_.nodes[v].name;
      const std::string shown = name.empty() ? std::to_string(graph_.nodes[v].original_id) : name;
      write(box.left + box.width / 2, box.top + box.height / 2 + 4, fitted(shown, 11, box.width - 6), 11,
            "text-anchor=\"middle\"");
    }
  }

  const Problem& problem_;
  const Graph& graph_;
  const Pieces& pieces_;
  const CheckReport& report_;
  const Result& result_;
  GraphPicture picture_;
  double width_;
  std::string body_;
};

}  // namespace

std::string graph_svg(const Problem& problem, const Pieces& pieces, const CheckReport& report, const Result& result) {
  return Drawing(problem, pieces, report, result).text();
}

}  // namespace partita::detail
