// SPDX-License-Identifier: Apache-2.0
// Elements taken and put by index; tensors made of a shape alone.
#include <algorithm>
#include <cmath>

#include "partita/read/onnx/inference.h"

namespace partita::detail::onnx {

namespace {

void gather(Inference& node) {
  const Shape &data = node.shape(0), &indices = node.shape(1);
  if (!data || !indices) return node.set(0, node.type(0), std::nullopt);
  const std::optional<std::size_t> axis = axis_of(node.integer("axis", 0), data->size());
  if (!axis) return node.set(0, node.type(0), std::nullopt);
  Numbers shape(data->begin(), data->begin() + static_cast<std::ptrdiff_t>(*axis));
  shape.insert(shape.end(), indices->begin(), indices->end());
  shape.insert(shape.end(), data->begin() + static_cast<std::ptrdiff_t>(*axis) + 1, data->end());
  node.set(0, node.type(0), std::move(shape));
}

void gather_elements(Inference& node) { node.set(0, node.type(0), node.shape(1)); }

void gather_by_tuples(Inference& node) {
  const Shape &data = node.shape(0), &indices = node.shape(1);
  const std::int64_t batch = node.integer("batch_dims", 0), last = node.extent(1, -1);
  const bool fits = data && indices && !indices->empty() && is_known(last) && batch >= 0 &&
                    batch <= static_cast<std::int64_t>(kMostAxes) && last <= static_cast<std::int64_t>(kMostAxes) &&
                    static_cast<std::size_t>(last + batch) <= data->size();
  if (!fits) return node.set(0, node.type(0), std::nullopt);
  Numbers shape(indices->begin(), indices->end() - 1);
  shape.insert(shape.end(), data->begin() + static_cast<std::ptrdiff_t>(last + batch), data->end());
  node.set(0, node.type(0), std::move(shape));
}

void one_hot(Inference& node) {
  Shape shape = node.shape(0);
  std::int64_t depth = kUnknownExtent;
  if (const Constant* constant = node.constant(1); constant && constant->size() == 1 && constant->all_known()) {
    const double number =
        is_real(constant->type) ? *constant->reals.front() : static_cast<double>(*constant->integers.front());
    if (number >= 0 && number < 1e12) depth = static_cast<std::int64_t>(number);
  }
  if (shape) {
    const std::optional<std::size_t> axis = axis_of(node.integer("axis", -1), shape->size() + 1);
    if (!axis) return node.set(0, node.type(2), std::nullopt);
    shape->insert(shape->begin() + static_cast<std::ptrdiff_t>(*axis), depth);
  }
  node.set(0, node.type(2), std::move(shape));
}

// How many elements come out depends on the data.
void non_zero(Inference& node) {
  const Shape& input = node.shape(0);
  const std::int64_t rank = !input ? kUnknownExtent : static_cast<std::int64_t>(input->size());
  node.set(0, DataType::Int64, Numbers{rank, kUnknownExtent});
}

void compress(Inference& node) {
  const Shape& input = node.shape(0);
  if (node.attribute("axis") == nullptr) return node.set(0, node.type(0), Numbers{kUnknownExtent});
  Shape shape = input;
  if (shape) {
    const std::optional<std::size_t> axis = axis_of(node.integer("axis", 0), shape->size());
    if (!axis) return node.set(0, node.type(0), std::nullopt);
    (*shape)[*axis] = kUnknownExtent;
  }
  node.set(0, node.type(0), std::move(shape));
}

void unique(Inference& node) {
  Shape shape = Numbers{kUnknownExtent};
  if (node.attribute("axis") != nullptr) {
    shape = node.shape(0);
    const std::optional<std::size_t> axis = shape ? axis_of(node.integer("axis", 0), shape->size()) : std::nullopt;
    if (axis) {
      (*shape)[*axis] = kUnknownExtent;
    } else {
      shape.reset();
    }
  }
  node.set(0, node.type(0), std::move(shape));
  for (std::size_t i = 1; i < node.outputs(); ++i) node.set(i, DataType::Int64, Numbers{kUnknownExtent});
}

void best_boxes(Inference& node) { node.set(0, DataType::Int64, Numbers{kUnknownExtent, 3}); }

void shape_of(Inference& node) {
  const Shape& input = node.shape(0);
  if (!input) return node.set(0, DataType::Int64, Numbers{kUnknownExtent});
  const auto rank = static_cast<std::int64_t>(input->size());
  const auto clamped = [rank](std::int64_t axis) {
    return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  const std::int64_t start = clamped(node.integer("start", 0)), end = clamped(node.integer("end", rank));
  Constant constant;
  constant.type = DataType::Int64;
  for (std::int64_t axis = start; axis < end; ++axis) {
    const std::int64_t extent = (*input)[static_cast<std::size_t>(axis)];
    constant.integers.push_back(is_known(extent) ? std::optional(extent) : std::nullopt);
  }
  constant.shape = {static_cast<std::int64_t>(constant.integers.size())};
  node.set_constant(0, std::move(constant));
}

void size_of(Inference& node) {
  const std::int64_t count = elements(node.shape(0));
  if (!is_known(count)) return node.set(0, DataType::Int64, Numbers());
  node.set_constant(0, *integer_constant({count}, true));
}

void filled(Inference& node) {
  const AttributeView* value = node.attribute("value");
  const DataType type = value != nullptr && !value->tensors.empty() ? value->tensors.front().type : DataType::Float32;
  const Constant* wanted = node.constant(0);
  if (wanted == nullptr || !is_integer(wanted->type)) {
    const std::int64_t rank = node.extent(0, 0);
    const bool has_rank = is_known(rank) && rank <= static_cast<std::int64_t>(kMostAxes);
    Shape unknown = has_rank ? Shape(Numbers(static_cast<std::size_t>(rank), kUnknownExtent)) : std::nullopt;
    return node.set(0, type, std::move(unknown));
  }
  Numbers shape;
  for (const auto& extent : wanted->integers)
    shape.push_back(std::max(extent.value_or(kUnknownExtent), kUnknownExtent));
  node.set(0, type, std::move(shape));
}

std::optional<double> scalar(const Constant* constant) {
  if (constant == nullptr || constant->size() != 1 || !constant->all_known()) return std::nullopt;
  return is_real(constant->type) ? *constant->reals.front() : static_cast<double>(*constant->integers.front());
}

void range(Inference& node) {
  const std::optional<double> start = scalar(node.constant(0)), limit = scalar(node.constant(1)),
                              step = scalar(node.constant(2));
  std::int64_t count = kUnknownExtent;
  if (start && limit && step && *step != 0) {
    const double steps = std::ceil((*limit - *start) / *step);
    if (steps < 1e15) count = static_cast<std::int64_t>(std::max(steps, 0.0));
  }
  node.set(0, node.type(0), Numbers{count});
}

void eye(Inference& node) {
  const std::int64_t code = node.integer("dtype", 0);
  node.set(0, code == 0 ? node.type(0) : element_type(code), node.shape(0));
}

void random(Inference& node) {
  Shape shape = node.integers("shape");
  for (std::size_t i = 0; shape && i < shape->size(); ++i) (*shape)[i] = std::max((*shape)[i], kUnknownExtent);
  node.set(0, element_type(node.integer("dtype", 1)), std::move(shape));
}

void multinomial(Inference& node) {
  node.set(0, element_type(node.integer("dtype", 6)),
           Numbers{node.extent(0, 0), std::max(node.integer("sample_size", 1), kUnknownExtent)});
}

void window_function(Inference& node) {
  const std::optional<double> size = scalar(node.constant(0));
  node.set(0, element_type(node.integer("output_datatype", 1)),
           Numbers{size && *size >= 0 && *size < 1e15 ? static_cast<std::int64_t>(*size) : kUnknownExtent});
}

// The last axis holds a number, or a real and an imaginary part; the transformed one may be cut in half.
void fourier(Inference& node) {
  Shape shape = node.shape(0);
  if (!shape || shape->empty()) return node.set(0, node.type(0), std::nullopt);
  const bool by_input = node.opset() >= 20;
  std::optional<Numbers> given = by_input ? node.integers(std::size_t{2}) : std::nullopt;
  const std::int64_t otherwise = by_input ? -2 : node.integer("axis", 1);
  const std::int64_t axis = by_input && given && given->size() == 1 ? given->front() : otherwise;
  const std::optional<std::size_t> at = axis_of(axis, shape->size());
  const bool keeps_extents = !node.has(1) && node.integer("onesided", 0) == 0;  // along whichever axis
  if ((!at || (by_input && node.has(2) && !given)) && !keeps_extents) return node.set(0, node.type(0), std::nullopt);
  if (keeps_extents) {
    shape->back() = 2;
    return node.set(0, node.type(0), std::move(shape));
  }
  if (node.has(1)) {
    const std::optional<double> length = scalar(node.constant(1));
    (*shape)[*at] = length && *length >= 0 && *length < 1e15 ? static_cast<std::int64_t>(*length) : kUnknownExtent;
  }
  const bool one_sided = node.integer("onesided", 0) != 0, back = node.integer("inverse", 0) != 0;
  if (one_sided && !back && is_known((*shape)[*at])) (*shape)[*at] = (*shape)[*at] / 2 + 1;
  if (one_sided && back) (*shape)[*at] = node.has(1) ? (*shape)[*at] : kUnknownExtent;
  shape->back() = one_sided && back ? 1 : 2;
  node.set(0, node.type(0), std::move(shape));
}

void short_time_fourier(Inference& node) {
  const std::optional<double> step = scalar(node.constant(1));
  std::int64_t length = node.extent(2, 0);
  if (const std::optional<double> given = scalar(node.constant(3)))
    length = static_cast<std::int64_t>(std::clamp(*given, 0.0, 1e15));
  const std::int64_t signal = node.extent(0, 1);
  std::int64_t frames = kUnknownExtent;
  if (is_known(signal) && is_known(length) && step && *step >= 1 && *step < 1e15 && signal >= length) {
    frames = (signal - length) / static_cast<std::int64_t>(*step) + 1;
  }
  const bool one_sided = node.integer("onesided", 1) != 0;
  const std::int64_t bins = !is_known(length) ? kUnknownExtent : one_sided ? length / 2 + 1 : length;
  node.set(0, node.type(0), Numbers{node.extent(0, 0), frames, bins, 2});
}

void mel_weights(Inference& node) {
  const std::optional<double> bins = scalar(node.constant(0)), length = scalar(node.constant(1));
  const bool sane = bins && length && *bins >= 0 && *bins < 1e12 && *length >= 0 && *length < 1e12;
  node.set(0, element_type(node.integer("output_datatype", 1)),
           sane ? Shape(Numbers{static_cast<std::int64_t>(*length / 2) + 1, static_cast<std::int64_t>(*bins)})
                : Shape(Numbers{kUnknownExtent, kUnknownExtent}));
}

constexpr ShapeRow kLookupRows[] = {
    {"Gather", gather},
    {"GatherElements", gather_elements},
    {"GatherND", gather_by_tuples},
    {"Scatter", same_shape},
    {"ScatterElements", same_shape},
    {"ScatterND", same_shape},
    {"TensorScatter", same_shape},
    {"OneHot", one_hot},
    {"NonZero", non_zero},
    {"Compress", compress},
    {"Unique", unique},
    {"NonMaxSuppression", best_boxes},
    {"Shape", shape_of},
    {"Size", size_of},
    {"ConstantOfShape", filled},
    {"Range", range},
    {"EyeLike", eye},
    {"RandomNormal", random},
    {"RandomUniform", random},
    {"Multinomial", multinomial},
    {"HannWindow", window_function},
    {"HammingWindow", window_function},
    {"BlackmanWindow", window_function},
    {"DFT", fourier},
    {"STFT", short_time_fourier},
    {"MelWeightMatrix", mel_weights},
};

}  // namespace

std::span<const ShapeRow> lookup_shapes() { return kLookupRows; }

}  // namespace partita::detail::onnx
