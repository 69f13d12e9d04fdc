// SPDX-License-Identifier: Apache-2.0
// Constant folding of what exporters make of shape arithmetic: a few numbers, taken from shapes, calculated with, and put
// together to a shape again. An unknown element makes unknown what is computed of it, and nothing else, so that
// [batch, 12, 64] with an unknown batch still is a shape of three axes.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <unordered_map>

#include "partita/read/onnx/inference.h"
#include "partita/read/onnx/slice.h"

namespace partita::detail::onnx {

namespace {

using Numbers = std::vector<std::int64_t>;
using Integer = std::optional<std::int64_t>;
using Real = std::optional<double>;

template <class T>
const std::vector<std::optional<T>>& elements_in(const Constant& constant) {
  if constexpr (std::is_same_v<T, double>) {
    return constant.reals;
  } else {
    return constant.integers;
  }
}

template <class T>
std::vector<std::optional<T>>& elements_in(Constant& constant) {
  if constexpr (std::is_same_v<T, double>) {
    return constant.reals;
  } else {
    return constant.integers;
  }
}

// Calls `visit` for each index of a shape, the last axis fastest.
template <class Visit>
void for_each_index(const Numbers& shape, Visit visit) {
  if (std::ranges::find(shape, 0) != shape.end()) return;
  Numbers index(shape.size(), 0);
  while (true) {
    visit(index);
    std::size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

// Where in a tensor of `shape` the element is that an index of a larger shape means: axes of extent 1 are stretched.
std::size_t stretched_position(const Numbers& shape, const Numbers& index) {
  std::int64_t position = 0;
  const std::size_t offset = index.size() - shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i)
    position = position * shape[i] + (shape[i] == 1 ? 0 : index[offset + i]);
  return static_cast<std::size_t>(position);
}

// Elements of another constant, at these places.
Constant taken(const Constant& from, const std::vector<std::size_t>& places, Numbers shape) {
  Constant result;
  result.type = from.type;
  result.shape = std::move(shape);
  for (std::size_t place : places) {
    if (is_real(from.type)) {
      result.reals.push_back(from.reals[place]);
    } else {
      result.integers.push_back(from.integers[place]);
    }
  }
  return result;
}

const Shape& output_shape(const Inference& node) { return node.model().values[node.node().outputs[0]].shape; }

bool is_small(const Shape& shape) {
  return is_known(shape) && is_known(elements(shape)) && elements(shape) <= kMostFolded;
}

Integer calculate(std::string_view kind, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (kind == "Add") return __builtin_add_overflow(a, b, &result) ? Integer() : result;
  if (kind == "Sub") return __builtin_sub_overflow(a, b, &result) ? Integer() : result;
  if (kind == "Mul") return __builtin_mul_overflow(a, b, &result) ? Integer() : result;
  if (kind == "Max") return std::max(a, b);
  if (kind == "Min") return std::min(a, b);
  if (kind == "And") return a != 0 && b != 0;
  if (kind == "Or") return a != 0 || b != 0;
  if (kind == "Xor") return (a != 0) != (b != 0);
  if (kind == "Div" || kind == "Mod") {
    if (b == 0 || b == -1) return kind == "Div" && b == -1 && a != INT64_MIN ? Integer(-a) : Integer();
    if (kind == "Div") return a / b;
    const std::int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  return std::nullopt;
}

Real calculate(std::string_view kind, double a, double b) {
  if (kind == "Add") return a + b;
  if (kind == "Sub") return a - b;
  if (kind == "Mul") return a * b;
  if (kind == "Div") return a / b;
  if (kind == "Max") return std::max(a, b);
  if (kind == "Min") return std::min(a, b);
  if (kind == "Pow") return std::pow(a, b);
  return std::nullopt;
}

template <class T>
Integer compare(std::string_view kind, T a, T b) {
  if (kind == "Equal") return a == b;
  if (kind == "Less") return a < b;
  if (kind == "LessOrEqual") return a <= b;
  if (kind == "Greater") return a > b;
  return a >= b;
}

template <class T, class Result, class Calculate>
void pairwise(Inference& node, DataType type, Calculate calculate_pair) {
  const Constant &a = *node.constant(0), &b = *node.constant(1);
  const Numbers& shape = *output_shape(node);
  Constant result;
  result.type = type;
  result.shape = shape;
  for_each_index(shape, [&](const Numbers& index) {
    const std::optional<T>& left = elements_in<T>(a)[stretched_position(a.shape, index)];
    const std::optional<T>& right = elements_in<T>(b)[stretched_position(b.shape, index)];
    elements_in<Result>(result).push_back(left && right ? calculate_pair(*left, *right) : std::nullopt);
  });
  node.set_constant(0, std::move(result));
}

// Two constants of one type, and a small shape.
bool is_pair(const Inference& node) {
  const Constant *a = node.constant(0), *b = node.constant(1);
  if (node.inputs() != 2 || a == nullptr || b == nullptr || is_real(a->type) != is_real(b->type)) return false;
  const Shape& shape = output_shape(node);
  return is_small(shape) && broadcast(a->shape, b->shape) == shape;
}

void arithmetic(Inference& node) {
  if (!is_pair(node)) return;
  const std::string_view kind = node.node().kind();
  const DataType type = node.constant(0)->type;
  if (is_real(type)) {
    pairwise<double, double>(node, type, [kind](double a, double b) { return calculate(kind, a, b); });
  } else {
    pairwise<std::int64_t, std::int64_t>(node, type,
                                         [kind](std::int64_t a, std::int64_t b) { return calculate(kind, a, b); });
  }
}

void comparison(Inference& node) {
  if (!is_pair(node)) return;
  const std::string_view kind = node.node().kind();
  if (is_real(node.constant(0)->type)) {
    pairwise<double, std::int64_t>(node, DataType::Bool, [kind](double a, double b) { return compare(kind, a, b); });
  } else {
    pairwise<std::int64_t, std::int64_t>(node, DataType::Bool,
                                         [kind](std::int64_t a, std::int64_t b) { return compare(kind, a, b); });
  }
}

void unary(Inference& node) {
  if (node.constant(0) == nullptr) return;
  Constant result = *node.constant(0);
  const std::string_view kind = node.node().kind();
  for (Integer& number : result.integers) {
    if (!number || kind == "Identity") continue;
    if (kind == "Not") {
      number = *number == 0;
    } else if (kind == "Relu") {
      number = std::max<std::int64_t>(*number, 0);
    } else if ((kind != "Neg" && kind != "Abs") || *number == INT64_MIN) {
      number.reset();
    } else if (kind == "Neg" || *number < 0) {
      number = -*number;
    }
  }
  for (Real& number : result.reals) {
    if (!number || kind == "Identity") continue;
    if (kind == "Neg") number = -*number;
    if (kind == "Abs") number = std::abs(*number);
    if (kind == "Relu") number = std::max(*number, 0.0);
    if (kind == "Floor") number = std::floor(*number);
    if (kind == "Ceil") number = std::ceil(*number);
    if (kind == "Round") number = std::nearbyint(*number);
    if (kind == "Sqrt") number = std::sqrt(*number);
    if (kind == "Reciprocal") number = 1 / *number;
  }
  node.set_constant(0, std::move(result));
}

Integer whole(const Real& number) {
  if (!number || !(std::abs(*number) < 9e18)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

// From 64 bits to fewer, a number that does not fit is not worth knowing.
bool fits(std::int64_t number, DataType type) {
  const int bits = bits_of(type).value_or(64);
  if (type == DataType::Bool || bits >= 64) return true;
  return number > -(std::int64_t{1} << (bits - 1)) && number < (std::int64_t{1} << (bits - 1));
}

void cast(Inference& node) {
  const Constant* from = node.constant(0);
  const DataType to = node.model().values[node.node().outputs[0]].type;
  if (from == nullptr || (!is_real(to) && !is_integer(to))) return;
  Constant result;
  result.type = to;
  result.shape = from->shape;
  for (const Integer& number : from->integers) {
    if (is_real(to)) {
      result.reals.push_back(number ? Real(static_cast<double>(*number)) : Real());
    } else if (to == DataType::Bool) {
      result.integers.push_back(number ? Integer(*number != 0) : Integer());
    } else {
      result.integers.push_back(number && fits(*number, to) ? number : Integer());
    }
  }
  for (const Real& number : from->reals) {
    if (is_real(to)) {
      result.reals.push_back(number);
    } else if (to == DataType::Bool) {
      result.integers.push_back(number ? Integer(*number != 0) : Integer());
    } else {
      const Integer integer = whole(number);
      result.integers.push_back(integer && fits(*integer, to) ? integer : Integer());
    }
  }
  node.set_constant(0, std::move(result));
}

void where(Inference& node) {
  const Constant *condition = node.constant(0), *a = node.constant(1), *b = node.constant(2);
  const Shape& shape = output_shape(node);
  if (condition == nullptr || a == nullptr || b == nullptr || a->type != b->type || !is_small(shape)) return;
  if (is_real(condition->type) || broadcast(broadcast(condition->shape, a->shape), b->shape) != shape) return;
  Constant result;
  result.type = a->type;
  result.shape = *shape;
  for_each_index(result.shape, [&](const Numbers& index) {
    const Integer& holds = condition->integers[stretched_position(condition->shape, index)];
    const Constant& chosen = holds.value_or(1) != 0 ? *a : *b;
    const std::size_t place = stretched_position(chosen.shape, index);
    if (is_real(result.type)) result.reals.push_back(holds ? chosen.reals[place] : Real());
    if (!is_real(result.type)) result.integers.push_back(holds ? chosen.integers[place] : Integer());
  });
  node.set_constant(0, std::move(result));
}

// The same elements in the shape that was inferred.
void reshaped(Inference& node) {
  const Constant* from = node.constant(0);
  const Shape& shape = output_shape(node);
  if (from == nullptr || !is_small(shape) || static_cast<std::size_t>(elements(shape)) != from->size()) return;
  Constant result = *from;
  result.shape = *shape;
  node.set_constant(0, std::move(result));
}

void expanded(Inference& node) {
  const Constant* from = node.constant(0);
  const Shape& shape = output_shape(node);
  if (from == nullptr || !is_small(shape) || broadcast(from->shape, shape) != shape) return;
  std::vector<std::size_t> places;
  for_each_index(*shape, [&](const Numbers& index) { places.push_back(stretched_position(from->shape, index)); });
  node.set_constant(0, taken(*from, places, *shape));
}

void concatenated(Inference& node) {
  const Shape& shape = output_shape(node);
  if (!is_small(shape) || shape->size() != 1) return;  // shapes are rows
  Constant result;
  result.type = node.type(0);
  result.shape = *shape;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    const std::int64_t count = elements(node.shape(i));
    const Constant* part = node.constant(i);
    if (part != nullptr && part->type != result.type) return;
    for (std::int64_t k = 0; k < count; ++k) {
      const auto place = static_cast<std::size_t>(k);
      if (is_real(result.type)) result.reals.push_back(part != nullptr ? part->reals[place] : Real());
      if (!is_real(result.type)) result.integers.push_back(part != nullptr ? part->integers[place] : Integer());
    }
  }
  if (!is_real(result.type) && !is_integer(result.type)) return;
  if (result.size() == static_cast<std::size_t>(elements(shape))) node.set_constant(0, std::move(result));
}

void gathered(Inference& node) {
  const Constant* from = node.constant(0);
  const std::optional<Numbers> indices = node.integers(std::size_t{1});
  const Shape& shape = output_shape(node);
  if (from == nullptr || from->shape.size() != 1 || !indices || !is_small(shape) || node.integer("axis", 0) > 0) return;
  std::vector<std::size_t> places;
  for (std::int64_t index : *indices) {
    const std::optional<std::size_t> place = axis_of(index, from->size());
    if (!place) return;
    places.push_back(*place);
  }
  node.set_constant(0, taken(*from, places, *shape));
}

void sliced(Inference& node) {
  const Constant* from = node.constant(0);
  const std::optional<std::vector<AxisSlice>> slices = slices_of(node);
  if (from == nullptr || from->shape.size() != 1 || !slices || slices->size() != 1) return;
  const AxisSlice& cut = slices->front();
  std::vector<std::size_t> places;
  for (std::int64_t i = 0; i < cut.count; ++i) places.push_back(static_cast<std::size_t>(cut.start + i * cut.step));
  node.set_constant(0, taken(*from, places, {cut.count}));
}

void transposed(Inference& node) {
  const Constant* from = node.constant(0);
  const Shape& shape = output_shape(node);
  if (from == nullptr || !is_small(shape) || shape->size() != from->shape.size()) return;
  std::optional<Numbers> order = node.integers("perm");
  if (!order || order->empty()) {
    order.emplace();
    for (std::size_t i = shape->size(); i > 0; --i) order->push_back(static_cast<std::int64_t>(i - 1));
  }
  Numbers strides(shape->size(), 1);
  for (std::size_t i = shape->size(); i-- > 1;) strides[i - 1] = strides[i] * from->shape[i];
  std::vector<bool> used(shape->size(), false);
  for (std::int64_t axis : *order) {
    const std::optional<std::size_t> at = axis_of(axis, shape->size());
    if (!at || used[*at]) return;
    used[*at] = true;
  }
  if (order->size() != shape->size()) return;
  std::vector<std::size_t> places;
  for_each_index(*shape, [&](const Numbers& index) {
    std::int64_t place = 0;
    for (std::size_t i = 0; i < index.size(); ++i) place += index[i] * strides[*axis_of((*order)[i], shape->size())];
    places.push_back(static_cast<std::size_t>(place));
  });
  node.set_constant(0, taken(*from, places, *shape));
}

void split(Inference& node) {
  if (node.constant(0) == nullptr || node.constant(0)->shape.size() != 1) return;
  const Constant from = *node.constant(0);
  std::size_t first = 0;
  for (std::size_t i = 0; i < node.outputs(); ++i) {
    if (!node.wants(i)) return;  // where it ends is not known
    const Shape& shape = node.model().values[node.node().outputs[i]].shape;
    if (!is_small(shape) || shape->size() != 1) return;
    const auto count = static_cast<std::size_t>(shape->front());
    if (first + count > from.size()) return;
    std::vector<std::size_t> places(count);
    for (std::size_t k = 0; k < count; ++k) places[k] = first + k;
    node.set_constant(i, taken(from, places, *shape));
    first += count;
  }
}

void filled(Inference& node) {
  const Shape& shape = output_shape(node);
  if (!is_small(shape)) return;
  const AttributeView* value = node.attribute("value");
  Constant one;
  if (value == nullptr || value->tensors.empty()) {
    one.type = DataType::Float32;
    one.reals = {0.0};
  } else {
    const ConstantPointer given = elements_of(*node.model().file, value->tensors.front());
    if (!given || given->size() != 1) return;
    one = *given;
  }
  node.set_constant(0, taken(one, std::vector<std::size_t>(static_cast<std::size_t>(elements(shape)), 0), *shape));
}

void range(Inference& node) {
  const Constant *start = node.constant(0), *step = node.constant(2);
  const Shape& shape = output_shape(node);
  if (start == nullptr || step == nullptr || !is_small(shape) || start->size() != 1 || step->size() != 1) return;
  if (start->type != step->type || !start->all_known() || !step->all_known()) return;
  Constant result;
  result.type = start->type;
  result.shape = *shape;
  for (std::int64_t i = 0; i < shape->front(); ++i) {
    if (is_real(result.type)) {
      result.reals.push_back(*start->reals[0] + static_cast<double>(i) * *step->reals[0]);
    } else {
      const Integer way = calculate("Mul", i, *step->integers[0]);
      result.integers.push_back(way ? calculate("Add", *start->integers[0], *way) : Integer());
    }
  }
  node.set_constant(0, std::move(result));
}

// Over all elements of a row.
void reduced(Inference& node) {
  const Constant* from = node.constant(0);
  const Shape& shape = output_shape(node);
  if (from == nullptr || from->shape.size() > 1 || from->size() == 0 || !is_small(shape) || elements(shape) != 1)
    return;
  const std::string_view kind = node.node().kind();
  const std::string_view step = kind == "ReduceProd"  ? "Mul"
                                : kind == "ReduceSum" ? "Add"
                                : kind == "ReduceMax" ? "Max"
                                                      : "Min";
  Constant result = taken(*from, {0}, *shape);
  for (std::size_t i = 1; i < from->size(); ++i) {
    if (is_real(from->type)) {
      Real& sum = result.reals[0];
      sum = sum && from->reals[i] ? calculate(step, *sum, *from->reals[i]) : Real();
    } else {
      Integer& sum = result.integers[0];
      sum = sum && from->integers[i] ? calculate(step, *sum, *from->integers[i]) : Integer();
    }
  }
  node.set_constant(0, std::move(result));
}

using Folder = void (*)(Inference&);

const std::unordered_map<std::string_view, Folder>& folders() {
  static const std::unordered_map<std::string_view, Folder> table{
      {"Add", arithmetic},
      {"Sub", arithmetic},
      {"Mul", arithmetic},
      {"Div", arithmetic},
      {"Mod", arithmetic},
      {"Max", arithmetic},
      {"Min", arithmetic},
      {"And", arithmetic},
      {"Or", arithmetic},
      {"Xor", arithmetic},
      {"Pow", arithmetic},
      {"Equal", comparison},
      {"Less", comparison},
      {"LessOrEqual", comparison},
      {"Greater", comparison},
      {"GreaterOrEqual", comparison},
      {"Identity", unary},
      {"Not", unary},
      {"Neg", unary},
      {"Abs", unary},
      {"Floor", unary},
      {"Ceil", unary},
      {"Round", unary},
      {"Sqrt", unary},
      {"Reciprocal", unary},
      {"Relu", unary},
      {"Cast", cast},
      {"Where", where},
      {"Reshape", reshaped},
      {"Squeeze", reshaped},
      {"Unsqueeze", reshaped},
      {"Flatten", reshaped},
      {"Expand", expanded},
      {"Concat", concatenated},
      {"Gather", gathered},
      {"Slice", sliced},
      {"Transpose", transposed},
      {"Split", split},
      {"ConstantOfShape", filled},
      {"Range", range},
      {"ReduceProd", reduced},
      {"ReduceSum", reduced},
      {"ReduceMax", reduced},
      {"ReduceMin", reduced},
  };
  return table;
}

}  // namespace

void fold(Inference& node) {
  if (!node.wants(0)) return;
  if (const auto at = folders().find(node.node().kind()); at != folders().end()) at->second(node);
}

}  // namespace partita::detail::onnx
