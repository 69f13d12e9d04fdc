// SPDX-License-Identifier: Apache-2.0
#include "partita/report/svg_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace partita::detail {
namespace {

struct Curve {  // a cubic one
  Point start, first, second, end;
};

double middle_x(const Box& box) { return box.left + box.width / 2; }
double middle_y(const Box& box) { return box.top + box.height / 2; }

std::string path_of(const Curve& c) {
  const auto tenth = [](double x) { return std::round(10 * x) / 10 + 0.0; };
  return fmt::format("M{} {}C{} {} {} {} {} {}", tenth(c.start.x), tenth(c.start.y), tenth(c.first.x), tenth(c.first.y),
                     tenth(c.second.x), tenth(c.second.y), tenth(c.end.x), tenth(c.end.y));
}

// Leaves and arrives upright, going down or up.
Curve upright(const Box& from, const Box& to, bool down, double bow) {
  const Point start{middle_x(from), down ? from.bottom() : from.top};
  const Point end{middle_x(to), down ? to.top : to.bottom()};
  const double reach = (end.y - start.y) / 2;
  return {start, {start.x + bow, start.y + reach}, {end.x + bow, end.y - reach}, end};
}

// Leaves and arrives level, going right or left.
Curve level(const Box& from, const Box& to, bool right) {
  const Point start{right ? from.right() : from.left, middle_y(from)};
  const Point end{right ? to.left : to.right(), middle_y(to)};
  const double reach = (end.x - start.x) / 2;
  return {start, {start.x + reach, start.y}, {end.x - reach, end.y}, end};
}

Curve between(const Box& from, const Box& to, const Box& from_piece, const Box& to_piece) {
  if (to_piece.left > from_piece.right()) return level(from, to, true);
  if (to_piece.right() < from_piece.left) return level(from, to, false);
  return upright(from, to, to.top > from.top, 0);
}

}  // namespace

std::string inner_curve(const Box& from, const Box& to) {
  if (to.top < from.bottom()) return path_of(level(from, to, to.left > from.left));  // to another column
  // What is more than a line away may have something in between, which must not hide the edge.
  const bool passes = to.top - from.bottom() > 1.5 * from.height;
  const bool straight = std::abs(middle_x(to) - middle_x(from)) < 0.6 * from.width;
  return path_of(upright(from, to, true, passes && straight ? 0.75 * from.width + 0.3 * from.height : 0));
}

std::string outer_curve(const Box& from, const Box& to, const Box& from_piece, const Box& to_piece) {
  return path_of(between(from, to, from_piece, to_piece));
}

std::string around_curve(const Box& from, const Box& to, bool over) {
  const Point start{middle_x(from), over ? from.top : from.bottom()};
  const Point end{middle_x(to), over ? to.top : to.bottom()};
  const double bow = (over ? -1 : 1) * std::clamp(0.05 * std::abs(end.x - start.x), 14.0, 30.0);
  const double reach = 0.15 * (end.x - start.x);
  return path_of({start, {start.x + reach, start.y + bow}, {end.x - reach, end.y + bow}, end});
}

Point outer_middle(const Box& from, const Box& to, const Box& from_piece, const Box& to_piece) {
  const Curve c = between(from, to, from_piece, to_piece);
  return {(c.start.x + 3 * c.first.x + 3 * c.second.x + c.end.x) / 8,
          (c.start.y + 3 * c.first.y + 3 * c.second.y + c.end.y) / 8};
}

}  // namespace partita::detail
