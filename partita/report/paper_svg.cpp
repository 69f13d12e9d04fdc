// SPDX-License-Identifier: Apache-2.0
#include "partita/report/paper_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "partita/report/svg.h"

namespace partita::detail {
namespace {

constexpr double kBar = 16, kBetween = 26, kHeight = 170, kPanelGap = 62, kLeft = 46, kTop = 56, kRight = 16;
constexpr const char* kBlues[] = {"#08519c", "#3182bd", "#6baed6", "#9ecae1"};
constexpr const char* kOthers[] = {"#e6842a", "#8c6bb1", "#41ab5d", "#c94f4f", "#969696", "#b8860b"};

struct Panel {
  std::string title;
  std::vector<const PaperRow*> rows;
};

std::vector<Panel> panels(const PaperTable& table) {
  std::vector<Panel> result;
  for (const PaperRow& row : table.rows) {
    const std::size_t slash = row.file.find_last_of('/');
    const std::string path = slash == std::string::npos ? "" : row.file.substr(0, slash);
    const std::string folder =
        path.substr(path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/') + 1);
    const std::string title = fmt::format("{}{}{}", folder, folder.empty() ? "" : ", ", row.kind);
    if (result.empty() || result.back().title != title) result.push_back({title, {}});
    result.back().rows.push_back(&row);
  }
  return result;
}

// Throughput relative to the first column; 0 where there is none.
double relative(const PaperRow& row, std::size_t column) {
  const auto& reference = row.runs.front();
  const auto& run = row.runs[column];
  if (!reference || !run || !run->legal || !(run->value > 0) || !std::isfinite(reference->value)) return 0;
  return reference->value / run->value;
}

std::vector<std::string> colours(const PaperTable& table) {
  std::vector<std::string> result;
  std::size_t blues = 0, others = 0;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const bool solver =
        std::ranges::any_of(table.rows, [&](const PaperRow& row) { return row.runs[c] && !row.runs[c]->baseline; });
    result.emplace_back(solver ? kBlues[blues++ % std::size(kBlues)] : kOthers[others++ % std::size(kOthers)]);
  }
  return result;
}

class Chart {
 public:
  explicit Chart(const PaperTable& table) : table_(table), panels_(panels(table)), colours_(colours(table)) {
    for (const PaperRow& row : table.rows) {
      for (std::size_t c = 0; c < table.columns.size(); ++c) highest_ = std::max(highest_, relative(row, c));
    }
    highest_ = std::ceil(highest_ * 5) / 5;
    group_ = kBar * static_cast<double>(table.columns.size()) + kBetween;
  }

  std::string text() {
    std::size_t most = 1;
    for (const Panel& panel : panels_) most = std::max(most, panel.rows.size());
    width_ = std::max(kLeft + group_ * static_cast<double>(most) + kRight, 760.0);
    const double height = kTop + static_cast<double>(panels_.size()) * (kHeight + kPanelGap) + 10;
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
        "{1:.0f}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        "<text x=\"{2}\" y=\"20\" font-size=\"15\">Throughput relative to {3} (higher is better)</text>\n",
        width_, height, kLeft, svg_escaped(table_.columns.front().title));
    legend();
    for (std::size_t p = 0; p < panels_.size(); ++p)
      panel(panels_[p], kTop + 26 + static_cast<double>(p) * (kHeight + kPanelGap));
    return text_ + "</svg>\n";
  }

 private:
  void legend() {
    double x = kLeft;
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      text_ += fmt::format("<rect x=\"{:.0f}\" y=\"32\" width=\"11\" height=\"11\" fill=\"{}\"/>", x, colours_[c]);
      text_ += fmt::format("<text x=\"{:.0f}\" y=\"42\">{}</text>\n", x + 15, svg_escaped(table_.columns[c].title));
      x += 30 + 6.4 * static_cast<double>(table_.columns[c].title.size());
    }
  }

  void panel(const Panel& panel, double top) {
    const double bottom = top + kHeight;
    text_ += fmt::format("<text x=\"{}\" y=\"{:.0f}\" font-weight=\"bold\">{}</text>\n", kLeft, top - 6,
                         svg_escaped(panel.title));
    for (double level = 0; level <= highest_ + 1e-9; level += 0.2) {
      const double y = bottom - kHeight * level / highest_;
      text_ += fmt::format(
          "<line x1=\"{}\" x2=\"{:.0f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/><text x=\"{}\" y=\"{:.1f}\" "
          "text-anchor=\"end\" fill=\"#555\">{:.1f}x</text>\n",
          kLeft, width_ - kRight, y, y, std::abs(level - 1) < 1e-9 ? "#888" : "#e4e4e4", kLeft - 5, y + 4, level);
    }
    for (std::size_t r = 0; r < panel.rows.size(); ++r) {
      const PaperRow& row = *panel.rows[r];
      const double left = kLeft + kBetween / 2 + static_cast<double>(r) * group_;
      for (std::size_t c = 0; c < table_.columns.size(); ++c) {
        const double value = relative(row, c);
        if (value <= 0) continue;
        const double height = kHeight * value / highest_;
        text_ += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"{}\"><title>{} {}: {} {:.2f}x "
            "({:.2f})</title></rect>\n",
            left + kBar * static_cast<double>(c), bottom - height, kBar - 2, height, colours_[c],
            svg_escaped(row.workload), svg_escaped(row.kind), svg_escaped(table_.columns[c].title), value,
            row.runs[c]->value);
      }
      text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.0f}\" text-anchor=\"middle\">{}</text>\n",
                           left + (group_ - kBetween) / 2, bottom + 16, svg_escaped(row.workload));
    }
  }

  const PaperTable& table_;
  std::vector<Panel> panels_;
  std::vector<std::string> colours_;
  double highest_ = 1;
  double group_ = 0;
  double width_ = 0;
  std::string text_;
};

}  // namespace

std::string paper_svg(const PaperTable& throughput) { return Chart(throughput).text(); }

}  // namespace partita::detail
