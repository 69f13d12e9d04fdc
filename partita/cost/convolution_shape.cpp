// SPDX-License-Identifier: Apache-2.0
#include "partita/cost/convolution_shape.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace partita::detail {

namespace {

constexpr std::array kUsualKernels{1.0, 9.0, 49.0, 25.0, 3.0, 7.0, 5.0, 121.0};
constexpr std::array kSquaredStrides{1.0, 4.0, 16.0};

bool divides(double part, double whole) {
  const double ratio = whole / part;
  return std::abs(ratio - std::round(ratio)) <= 1e-6 * std::max(1.0, ratio);
}

bool are_channels(double count) { return count >= 1 - 1e-9 && divides(1, count); }

bool are_usual(double channels) { return std::round(channels) <= 3 || std::fmod(std::round(channels), 8) == 0; }

// The stride, squared, of which the input's planes are that much larger than the output's; none for ratios that no border explains.
std::optional<double> squared_stride(double ratio) {
  constexpr double kMostGained = 0.97, kMostLost = 1.3;  // by padding, and without it
  for (double squared : kSquaredStrides)
    if (ratio >= kMostGained * squared && ratio <= kMostLost * squared) return squared;
  return std::nullopt;
}

struct Sizes {
  double in, weights, out, channels_in, channels_out;
};

// C where neither is known: K = r C, and r C (R S C + bias) elements of weights.
double channels_in_for(const Sizes& sizes, double kernel, double bias, double squared) {
  const double r = sizes.out * squared / sizes.in;
  return (std::sqrt(bias * r * r + 4 * r * kernel * sizes.weights) - bias * r) / (2 * r * kernel);
}

std::optional<ConvolutionShape> fitting(const Sizes& sizes, double kernel, double bias, double squared, bool any) {
  double in = sizes.channels_in, out = sizes.channels_out;
  if (in <= 0 && out > 0) in = (sizes.weights / out - bias) / kernel;
  if (in <= 0 && sizes.in > 0) in = channels_in_for(sizes, kernel, bias, squared);
  if (in <= 0) return std::nullopt;
  if (out <= 0) out = sizes.weights / (in * kernel + bias);
  const bool whole = are_channels(in) && are_channels(out) && divides(out, sizes.out);
  if (!whole || std::abs(out * (in * kernel + bias) - sizes.weights) > 0.5) return std::nullopt;
  if (!any && !(are_usual(in) && are_usual(out))) return std::nullopt;
  if (sizes.in > 0) {
    if (!divides(in, sizes.in)) return std::nullopt;
    if (squared_stride(sizes.in / in / (sizes.out / out)) != squared) return std::nullopt;
  }
  return ConvolutionShape{std::round(in), std::round(out), kernel, false, squared > 1};
}

// Weights of one kernel for each channel: those of a depthwise convolution.
std::optional<ConvolutionShape> depthwise(const Sizes& sizes) {
  if (sizes.channels_out <= 0 || sizes.in <= 0) return std::nullopt;
  const std::optional<double> squared = squared_stride(sizes.in / sizes.out);
  const double kernel = std::round(sizes.weights / sizes.channels_out);
  if (!squared || !divides(sizes.channels_out, sizes.weights) ||
      std::ranges::find(kUsualKernels, kernel) == kUsualKernels.end())
    return std::nullopt;
  return ConvolutionShape{1, sizes.channels_out, kernel, true, *squared > 1};
}

}  // namespace

std::optional<ConvolutionShape> convolution_shape(double in, double weights, double out, double channels_in,
                                                  double channels_out) {
  if (weights <= 0 || out <= 0) return std::nullopt;
  const Sizes sizes{in, weights, out, channels_in, channels_out};
  for (bool any : {false, true})
    for (double bias : {0.0, 1.0})
      for (double kernel : kUsualKernels)
        for (double squared : kSquaredStrides)
          if (const auto shape = fitting(sizes, kernel, bias, squared, any)) return shape;
  return depthwise(sizes);
}

}  // namespace partita::detail
