// SPDX-License-Identifier: Apache-2.0
#include "app/partita/pictures.h"

#include "app/shared/options.h"
#include "partita/report/graph_dot.h"
#include "partita/report/graph_svg.h"
#include "partita/schedule/pieces.h"

namespace partita::detail::app {

void add_picture_options(Command& command, std::string& svg, std::string& dot) {
  path(command.add_option("--svg", svg, "Draw the split here, as an SVG picture; - for standard output"));
  path(command.add_option("--dot", dot, "Write the split graph here, for Graphviz; - for standard output"));
}

Pictures::Pictures(const std::string& svg, const std::string& dot) {
  if (!svg.empty()) svg_.emplace(svg, "--svg");
  if (!dot.empty()) dot_.emplace(dot, "--dot");
}

bool Pictures::on_standard_output() const { return (svg_ && svg_->is_stdout()) || (dot_ && dot_->is_stdout()); }

void Pictures::write(const Problem& problem, const Plan& plan) const {
  if (!(svg_ || dot_) || !plan.result.split) return;
  const Pieces pieces = cut_into_pieces(problem, *plan.result.split, plan.report);
  if (svg_) svg_->write(graph_svg(problem, pieces, plan.report, plan.result));
  if (dot_) dot_->write(graph_dot(problem, pieces, plan.report));
}

}  // namespace partita::detail::app
