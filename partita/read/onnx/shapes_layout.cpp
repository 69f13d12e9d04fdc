// SPDX-License-Identifier: Apache-2.0
// The same elements in another shape or order, or repeated.
#include <algorithm>
#include <cmath>

#include "partita/read/onnx/inference.h"

namespace partita::detail::onnx {

namespace {

// Extents as an operator is given them, where some may be unknown. None: not even how many there are.
std::optional<std::vector<std::optional<std::int64_t>>> wanted_extents(const Inference& node, std::size_t input) {
  if (const Constant* constant = node.constant(input); constant && is_integer(constant->type))
    return constant->integers;
  const std::int64_t count = node.extent(input, 0);
  if (!is_known(count) || count > static_cast<std::int64_t>(kMostAxes)) return std::nullopt;
  return std::vector<std::optional<std::int64_t>>(static_cast<std::size_t>(count));
}

void reshape(Inference& node) {
  std::optional<std::vector<std::optional<std::int64_t>>> wanted;
  if (node.has(1)) {
    wanted = wanted_extents(node, 1);
  } else if (const std::optional<Numbers> listed = node.integers("shape")) {
    wanted.emplace(listed->begin(), listed->end());
  }
  if (!wanted) return node.set(0, node.type(0), std::nullopt);
  const Shape& input = node.shape(0);
  const bool zero_is_zero = node.integer("allowzero", 0) != 0;
  Numbers shape;
  std::optional<std::size_t> rest;
  std::vector<bool> copied(input ? input->size() : 0, false);
  for (std::size_t i = 0; i < wanted->size(); ++i) {
    const std::int64_t extent = (*wanted)[i].value_or(kUnknownExtent);
    if (extent == 0 && !zero_is_zero) {
      shape.push_back(input && i < input->size() ? (*input)[i] : kUnknownExtent);
      if (i < copied.size()) copied[i] = true;
      continue;
    }
    if ((*wanted)[i] == -1) {
      if (rest) return node.set(0, node.type(0), std::nullopt);
      rest = i;
    }
    shape.push_back(std::max(extent, kUnknownExtent));
  }
  const bool one_unknown = std::ranges::count(shape, kUnknownExtent) == 1;
  if (!rest && one_unknown) {
    rest = static_cast<std::size_t>(std::ranges::find(shape, kUnknownExtent) - shape.begin());
  }
  if (rest && input && (one_unknown || (*wanted)[*rest] == -1)) {
    // What is copied from the input's shape cancels out, so that it may be unknown.
    std::int64_t total = 1, others = 1;
    for (std::size_t i = 0; i < input->size(); ++i) {
      if (!copied[i]) total = times(total, (*input)[i]);
    }
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const bool cancels = i < copied.size() && copied[i];
      if (i != *rest && !cancels) others = times(others, shape[i]);
    }
    shape[*rest] = is_known(total) && others > 0 && total % others == 0 ? total / others : kUnknownExtent;
  }
  node.set(0, node.type(0), std::move(shape));
}

void transpose(Inference& node) {
  const Shape& input = node.shape(0);
  if (!input) return node.set(0, node.type(0), std::nullopt);
  const std::optional<Numbers> order = node.integers("perm");
  if (!order || (order->empty() && !input->empty()))
    return node.set(0, node.type(0), Numbers(input->rbegin(), input->rend()));
  Numbers shape;
  for (std::int64_t axis : *order) shape.push_back(node.extent(0, axis));
  node.set(0, node.type(0), order->size() == input->size() ? Shape(shape) : std::nullopt);
}

void flatten_to_matrix(Inference& node) {
  const Shape& input = node.shape(0);
  if (!input) return node.set(0, node.type(0), Numbers{kUnknownExtent, kUnknownExtent});
  const auto rank = static_cast<std::int64_t>(input->size());
  std::int64_t axis = node.integer("axis", 1);
  if (axis < -rank || axis > rank) return node.set(0, node.type(0), std::nullopt);
  if (axis < 0) axis += rank;
  const auto split = static_cast<std::size_t>(axis);
  node.set(0, node.type(0), Numbers{product(*input, 0, split), product(*input, split, input->size())});
}

void squeeze(Inference& node) {
  const Shape& input = node.shape(0);
  const std::optional<Numbers> axes = node.integers("axes", 1);
  if (!input || (node.has(1) && !axes)) return node.set(0, node.type(0), std::nullopt);
  std::vector<bool> gone(input->size(), false);
  if (axes && !axes->empty()) {
    for (std::int64_t axis : *axes) {
      const std::optional<std::size_t> at = axis_of(axis, input->size());
      if (!at) return node.set(0, node.type(0), std::nullopt);
      gone[*at] = true;
    }
  } else {
    for (std::size_t i = 0; i < input->size(); ++i) {
      if (!is_known((*input)[i])) return node.set(0, node.type(0), std::nullopt);
      gone[i] = (*input)[i] == 1;
    }
  }
  Numbers shape;
  for (std::size_t i = 0; i < input->size(); ++i) {
    if (!gone[i]) shape.push_back((*input)[i]);
  }
  node.set(0, node.type(0), std::move(shape));
}

void unsqueeze(Inference& node) {
  const Shape& input = node.shape(0);
  const std::optional<Numbers> axes = node.integers("axes", 1);
  if (!input || !axes || axes->size() > kMostAxes) return node.set(0, node.type(0), std::nullopt);
  const std::size_t rank = input->size() + axes->size();
  std::vector<bool> is_new(rank, false);
  for (std::int64_t axis : *axes) {
    const std::optional<std::size_t> at = axis_of(axis, rank);
    if (!at || is_new[*at]) return node.set(0, node.type(0), std::nullopt);
    is_new[*at] = true;
  }
  Numbers shape;
  std::size_t next = 0;
  for (std::size_t i = 0; i < rank; ++i) shape.push_back(is_new[i] ? 1 : (*input)[next++]);
  node.set(0, node.type(0), std::move(shape));
}

void expand(Inference& node) {
  const auto wanted = wanted_extents(node, 1);
  if (!wanted) return node.set(0, node.type(0), std::nullopt);
  Numbers shape;
  for (const std::optional<std::int64_t>& extent : *wanted)
    shape.push_back(std::max(extent.value_or(kUnknownExtent), kUnknownExtent));
  node.set(0, node.type(0), broadcast(node.shape(0), shape));
}

void tile(Inference& node) {
  Shape shape = node.shape(0);
  if (node.opset() > 0 && node.opset() < 6) return node.set(0, node.type(0), std::nullopt);
  const auto repeats = wanted_extents(node, 1);
  if (!shape || !repeats || repeats->size() != shape->size()) return node.set(0, node.type(0), std::nullopt);
  for (std::size_t i = 0; i < shape->size(); ++i) {
    (*shape)[i] = times((*shape)[i], std::max((*repeats)[i].value_or(kUnknownExtent), kUnknownExtent));
  }
  node.set(0, node.type(0), std::move(shape));
}

void pad(Inference& node) {
  Shape shape = node.shape(0);
  std::optional<Numbers> pads = node.integers("pads", 1);
  if (!pads && !node.has(1)) pads = node.integers("paddings");  // opset 1
  std::optional<Numbers> axes = node.integers(std::size_t{3});
  if (!shape || (node.has(3) && !axes)) return node.set(0, node.type(0), std::nullopt);
  if (!axes) {
    axes.emplace();
    for (std::size_t i = 0; i < shape->size(); ++i) axes->push_back(static_cast<std::int64_t>(i));
  }
  if (!pads || pads->size() != 2 * axes->size())
    return node.set(0, node.type(0), Numbers(shape->size(), kUnknownExtent));
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const std::optional<std::size_t> at = axis_of((*axes)[i], shape->size());
    const std::int64_t before = (*pads)[i], after = (*pads)[i + axes->size()];
    if (!at) return node.set(0, node.type(0), std::nullopt);
    std::int64_t& extent = (*shape)[*at];
    const bool sane =
        is_known(extent) && extent < kMost && std::max(before, after) < kMost && std::min(before, after) > -kMost;
    extent = sane ? std::max(extent + before + after, kUnknownExtent) : kUnknownExtent;
  }
  node.set(0, node.type(0), std::move(shape));
}

void depth_to_space(Inference& node) {
  const std::int64_t block = node.integer("blocksize", 0);
  const std::int64_t square = block > 0 ? times(block, block) : kUnknownExtent;
  node.set(0, node.type(0),
           Numbers{node.extent(0, 0), over(node.extent(0, 1), square), times(node.extent(0, 2), block),
                   times(node.extent(0, 3), block)});
}

void space_to_depth(Inference& node) {
  const std::int64_t block = node.integer("blocksize", 0);
  const std::int64_t square = block > 0 ? times(block, block) : kUnknownExtent;
  node.set(0, node.type(0),
           Numbers{node.extent(0, 0), times(node.extent(0, 1), square), over(node.extent(0, 2), block),
                   over(node.extent(0, 3), block)});
}

std::int64_t scaled(std::int64_t extent, std::optional<double> scale) {
  if (!is_known(extent) || !scale || !(*scale > 0) || *scale > 1e6 || extent > (std::int64_t{1} << 40))
    return kUnknownExtent;
  return static_cast<std::int64_t>(std::floor(static_cast<double>(extent) * *scale + 1e-9));
}

// Sizes, or factors for the extents, of all axes or of those in `axes`.
void resize(Inference& node) {
  Shape shape = node.shape(0);
  if (!shape) return node.set(0, node.type(0), std::nullopt);
  std::vector<std::size_t> axes;
  if (const std::optional<Numbers> listed = node.integers("axes")) {
    for (std::int64_t axis : *listed) {
      const std::optional<std::size_t> at = axis_of(axis, shape->size());
      if (!at) return node.set(0, node.type(0), std::nullopt);
      axes.push_back(*at);
    }
  } else {
    for (std::size_t i = 0; i < shape->size(); ++i) axes.push_back(i);
  }
  const bool only_scales = node.opset() > 0 && node.opset() < 11;  // and for Upsample
  const Constant* scales = node.constant(only_scales || node.node().is("Upsample") ? 1 : 2);
  std::vector<std::optional<double>> factors;
  if (scales != nullptr && is_real(scales->type)) factors = scales->reals;
  if (const AttributeView* listed = node.attribute("scales"))
    factors.assign(listed->floats.begin(), listed->floats.end());
  const Constant* sizes = node.constant(3);
  const bool keeps_ratio = node.text("keep_aspect_ratio_policy", "stretch") != "stretch";
  if (sizes != nullptr && is_integer(sizes->type) && sizes->integers.size() == axes.size()) {
    double ratio = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::int64_t extent = (*shape)[axes[i]], wanted = sizes->integers[i].value_or(kUnknownExtent);
      if (!keeps_ratio || extent <= 0 || wanted <= 0) continue;
      const double here = static_cast<double>(wanted) / static_cast<double>(extent);
      const bool larger = node.text("keep_aspect_ratio_policy", "") == "not_smaller";
      ratio = ratio == 0 ? here : larger ? std::max(ratio, here) : std::min(ratio, here);
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
      std::int64_t& extent = (*shape)[axes[i]];
      const std::int64_t wanted = std::max(sizes->integers[i].value_or(kUnknownExtent), kUnknownExtent);
      extent = keeps_ratio
                   ? (is_known(extent) && ratio < 1e6
                          ? static_cast<std::int64_t>(std::llround(std::min(static_cast<double>(extent), 1e12) * ratio))
                          : kUnknownExtent)
                   : wanted;
    }
  } else if (!factors.empty() && factors.size() == axes.size()) {
    for (std::size_t i = 0; i < axes.size(); ++i) (*shape)[axes[i]] = scaled((*shape)[axes[i]], factors[i]);
  } else {
    for (std::size_t axis : axes) (*shape)[axis] = kUnknownExtent;
  }
  node.set(0, node.type(0), std::move(shape));
}

void affine_grid(Inference& node) {
  const std::optional<Numbers> size = node.integers(std::size_t{1});
  if (!size || size->size() < 3) return node.set(0, node.type(0), std::nullopt);
  Numbers shape{size->front()};
  shape.insert(shape.end(), size->begin() + 2, size->end());
  shape.push_back(static_cast<std::int64_t>(size->size()) - 2);
  for (std::int64_t& extent : shape) extent = std::max(extent, kUnknownExtent);
  node.set(0, node.type(0), std::move(shape));
}

void center_crop_or_pad(Inference& node) {
  Shape shape = node.shape(0);
  const std::optional<Numbers> sizes = node.integers(std::size_t{1}), axes = node.integers("axes");
  if (!shape) return node.set(0, node.type(0), std::nullopt);
  for (std::size_t i = 0; i < (axes ? axes->size() : shape->size()); ++i) {
    const std::optional<std::size_t> at = axis_of(axes ? (*axes)[i] : static_cast<std::int64_t>(i), shape->size());
    if (!at) return node.set(0, node.type(0), std::nullopt);
    (*shape)[*at] = sizes && i < sizes->size() ? std::max((*sizes)[i], kUnknownExtent) : kUnknownExtent;
  }
  node.set(0, node.type(0), std::move(shape));
}

constexpr ShapeRow kLayoutRows[] = {
    {"Reshape", reshape},
    {"Transpose", transpose},
    {"Flatten", flatten_to_matrix},
    {"Squeeze", squeeze},
    {"Unsqueeze", unsqueeze},
    {"Expand", expand},
    {"Tile", tile},
    {"Pad", pad},
    {"DepthToSpace", depth_to_space},
    {"SpaceToDepth", space_to_depth},
    {"Resize", resize},
    {"Upsample", resize},
    {"AffineGrid", affine_grid},
    {"CenterCropPad", center_crop_or_pad},
};

}  // namespace

std::span<const ShapeRow> layout_shapes() { return kLayoutRows; }

}  // namespace partita::detail::onnx
