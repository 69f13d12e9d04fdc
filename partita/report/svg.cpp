// SPDX-License-Identifier: Apache-2.0
#include "partita/report/svg.h"

#include <cmath>
#include <iterator>

#include "partita/util/visible_text.h"

namespace partita::detail {

std::string svg_escaped(std::string_view text) {
  std::string out;
  for (const char c : visible(text)) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

const char* device_colour(DeviceId device) {
  // Chosen so that also readers who see red and green alike tell any two apart, neighbours easily, on white and on
  // black; none is grey. web/tests/colours.test.mjs measures it.
  static constexpr const char* kColours[] = {"#4e79a7", "#ed7633", "#23a087", "#ced23c", "#7852b6",
                                             "#1cbbed", "#b3456b", "#bbbf7c", "#e28ebf", "#8c5331"};
  return kColours[device.index() % std::size(kColours)];
}

double tick_step(double largest, double steps) {
  const double rough = largest / steps;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (rough <= step * power) return step * power;
  }
  return 10 * power;
}

}  // namespace partita::detail
