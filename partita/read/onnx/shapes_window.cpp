// SPDX-License-Identifier: Apache-2.0
// Convolution, pooling, and what else looks at an image [N, C, D1, D2, ...] through a window.
#include <algorithm>

#include "partita/read/onnx/inference.h"

namespace partita::detail::onnx {

namespace {

// An attribute with a number for each axis of the window. Files can hold any number: those that make no sense count as
// unknown.
std::int64_t at(const std::optional<Numbers>& numbers, std::size_t i, std::int64_t otherwise) {
  return numbers && i < numbers->size() ? (*numbers)[i] : otherwise;
}

constexpr std::int64_t kMostPadding = std::int64_t{1} << 40;

bool is_sane(std::int64_t number) { return number >= -kMostPadding && number <= kMostPadding; }

struct Window {
  std::optional<Numbers> strides, dilations, pads;
  std::string_view auto_pad;
  bool ceil = false;

  explicit Window(const Inference& node)
      : strides(node.integers("strides")),
        dilations(node.integers("dilations")),
        pads(node.integers("pads")),
        auto_pad(node.text("auto_pad", "NOTSET")),
        ceil(node.integer("ceil_mode", 0) != 0) {}

  // How many places the window has along axis i of n.
  std::int64_t places(std::int64_t input, std::int64_t kernel, std::size_t i, std::size_t n) const {
    const std::int64_t stride = at(strides, i, 1), dilation = at(dilations, i, 1);
    const std::int64_t before = at(pads, i, 0), after = at(pads, i + n, 0);
    if (!is_known(input) || !is_known(kernel) || stride < 1 || dilation < 1) return kUnknownExtent;
    if (!is_sane(input) || !is_sane(kernel) || !is_sane(stride) || !is_sane(before) || !is_sane(after))
      return kUnknownExtent;
    if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") return (input + stride - 1) / stride;
    const std::int64_t reach = times(dilation, std::max<std::int64_t>(kernel - 1, 0));
    if (!is_known(reach) || !is_sane(reach)) return kUnknownExtent;
    const std::int64_t room = input - reach - 1 + (auto_pad == "VALID" ? 0 : before + after);
    if (room < 0) return 0;
    if (!ceil) return room / stride + 1;
    std::int64_t count = (room + stride - 1) / stride + 1;
    // A window that would begin in the padding behind the input is left out.
    if ((count - 1) * stride >= input + before) --count;
    return count;
  }
};

// The extents of the kernel: the attribute, or those of the weights.
std::optional<Numbers> kernel_of(const Inference& node, std::size_t weights) {
  if (std::optional<Numbers> given = node.integers("kernel_shape"); given && !given->empty()) return given;
  const Shape& shape = node.shape(weights);
  if (!shape || shape->size() < 3) return std::nullopt;
  return Numbers(shape->begin() + 2, shape->end());
}

Shape window_shape(const Inference& node, std::int64_t channels, const std::optional<Numbers>& kernel) {
  const Shape& input = node.shape(0);
  if (!input || input->size() < 3) return std::nullopt;
  const std::size_t axes = input->size() - 2;
  const Window window(node);
  Numbers shape{(*input)[0], channels};
  for (std::size_t i = 0; i < axes; ++i) {
    shape.push_back(window.places((*input)[i + 2], at(kernel, i, kUnknownExtent), i, axes));
  }
  return shape;
}

void convolution(Inference& node) {
  node.set(0, node.type(0), window_shape(node, node.extent(1, 0), kernel_of(node, 1)));
}

void integer_convolution(Inference& node) {
  node.set(0, DataType::Int32, window_shape(node, node.extent(1, 0), kernel_of(node, 1)));
}

void quantized_convolution(Inference& node) {
  node.set(0, node.type(7), window_shape(node, node.extent(3, 0), kernel_of(node, 3)));
}

void transposed_convolution(Inference& node) {
  const Shape& input = node.shape(0);
  if (!input || input->size() < 3) return node.set(0, node.type(0), std::nullopt);
  const std::size_t axes = input->size() - 2;
  const Window window(node);
  const std::optional<Numbers> kernel = kernel_of(node, 1), wanted = node.integers("output_shape");
  const std::optional<Numbers> added = node.integers("output_padding");
  Numbers shape{(*input)[0], times(node.extent(1, 1), std::max<std::int64_t>(node.integer("group", 1), 0))};
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t extent = (*input)[i + 2], stride = at(window.strides, i, 1),
                       size = at(kernel, i, kUnknownExtent);
    if (wanted && i < wanted->size()) {
      const std::size_t skipped = wanted->size() > axes ? wanted->size() - axes : 0;  // some give N and C too
      shape.push_back(std::max(at(wanted, i + skipped, kUnknownExtent), kUnknownExtent));
      continue;
    }
    const std::int64_t dilation = at(window.dilations, i, 1), more = at(added, i, 0);
    const std::int64_t before = at(window.pads, i, 0), after = at(window.pads, i + axes, 0);
    const std::int64_t reach = times(dilation, std::max<std::int64_t>(size - 1, 0));
    std::int64_t result = kUnknownExtent;
    if (is_known(size) && is_known(reach) && extent > 0 && stride > 0 && is_sane(more) && is_sane(before) &&
        is_sane(after)) {
      const bool same = window.auto_pad == "SAME_UPPER" || window.auto_pad == "SAME_LOWER";
      result = same ? times(extent, stride) : plus(plus(times(extent - 1, stride), reach), 1);
      if (!same && is_known(result) && is_sane(result)) {
        result = std::max(result + more - (window.auto_pad == "VALID" ? 0 : before + after), kUnknownExtent);
      }
    }
    shape.push_back(result);
  }
  node.set(0, node.type(0), std::move(shape));
}

void pooling(Inference& node) {
  const Shape shape = window_shape(node, node.extent(0, 1), kernel_of(node, node.inputs()));
  node.set(0, node.type(0), shape);
  node.set(1, DataType::Int64, shape);
}

void global_pooling(Inference& node) {
  Shape shape = node.shape(0);
  if (shape) {
    for (std::size_t i = 2; i < shape->size(); ++i) (*shape)[i] = 1;
  }
  node.set(0, node.type(0), std::move(shape));
}

void unpooling(Inference& node) {
  if (const std::optional<Numbers> wanted = node.integers(std::size_t{2})) {
    Numbers shape = *wanted;
    for (std::int64_t& extent : shape) extent = std::max(extent, kUnknownExtent);
    return node.set(0, node.type(0), std::move(shape));
  }
  Shape shape = node.shape(0);
  const Window window(node);
  const std::optional<Numbers> kernel = kernel_of(node, node.inputs());
  for (std::size_t i = 2; shape && i < shape->size(); ++i) {
    std::int64_t& extent = (*shape)[i];
    const std::int64_t size = at(kernel, i - 2, kUnknownExtent), stride = at(window.strides, i - 2, 1);
    const std::int64_t pads = at(window.pads, i - 2, 0);
    const std::int64_t other = at(window.pads, i - 2 + shape->size() - 2, 0);
    const std::int64_t whole = extent > 0 ? plus(times(extent - 1, stride), size) : kUnknownExtent;
    extent = is_known(whole) && is_sane(whole) && is_sane(pads) && is_sane(other)
                 ? std::max(whole - pads - other, kUnknownExtent)
                 : kUnknownExtent;
  }
  node.set(0, node.type(0), node.has(2) ? std::nullopt : std::move(shape));
}

void roi_pooling(Inference& node) {
  const std::optional<Numbers> size = node.integers("pooled_shape");
  node.set(0, node.type(0),
           Numbers{node.extent(1, 0), node.extent(0, 1), at(size, 0, kUnknownExtent), at(size, 1, kUnknownExtent)});
}

void roi_align(Inference& node) {
  node.set(0, node.type(0),
           Numbers{node.extent(1, 0), node.extent(0, 1), std::max(node.integer("output_height", 1), kUnknownExtent),
                   std::max(node.integer("output_width", 1), kUnknownExtent)});
}

void grid_sample(Inference& node) {
  const Shape &input = node.shape(0), &grid = node.shape(1);
  if (!input || !grid || input->size() != grid->size() || input->size() < 3)
    return node.set(0, node.type(0), std::nullopt);
  Numbers shape{(*input)[0], (*input)[1]};
  shape.insert(shape.end(), grid->begin() + 1, grid->end() - 1);
  node.set(0, node.type(0), std::move(shape));
}

void columns_to_image(Inference& node) {
  const std::optional<Numbers> image = node.integers(std::size_t{1}), block = node.integers(std::size_t{2});
  if (!image || !block) return node.set(0, node.type(0), std::nullopt);
  std::int64_t size = 1;
  for (std::int64_t extent : *block) size = times(size, std::max(extent, kUnknownExtent));
  Numbers shape{node.extent(0, 0), over(node.extent(0, 1), size)};
  for (std::int64_t extent : *image) shape.push_back(std::max(extent, kUnknownExtent));
  node.set(0, node.type(0), std::move(shape));
}

// The last places of the input are the state that the next call begins with.
void causal_convolution(Inference& node) {
  node.set(0, node.type(0), node.shape(0));
  const std::int64_t kernel = node.extent(1, 2);
  node.set(1, node.type(0), Numbers{node.extent(0, 0), node.extent(0, 1), kernel > 0 ? kernel - 1 : kUnknownExtent});
}

constexpr ShapeRow kWindowRows[] = {
    {"Conv", convolution},
    {"com.microsoft:FusedConv", convolution},
    {"ConvInteger", integer_convolution},
    {"QLinearConv", quantized_convolution},
    {"ConvTranspose", transposed_convolution},
    {"DeformConv", convolution},
    {"CausalConvWithState", causal_convolution},
    {"AveragePool", pooling},
    {"MaxPool", pooling},
    {"LpPool", pooling},
    {"GlobalAveragePool", global_pooling},
    {"GlobalMaxPool", global_pooling},
    {"GlobalLpPool", global_pooling},
    {"com.microsoft:QLinearGlobalAveragePool", global_pooling},
    {"com.microsoft:QLinearAveragePool", pooling},
    {"MaxUnpool", unpooling},
    {"MaxRoiPool", roi_pooling},
    {"RoiAlign", roi_align},
    {"GridSample", grid_sample},
    {"Col2Im", columns_to_image},
};

}  // namespace

std::span<const ShapeRow> window_shapes() { return kWindowRows; }

}  // namespace partita::detail::onnx
