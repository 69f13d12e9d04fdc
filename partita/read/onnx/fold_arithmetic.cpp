// SPDX-License-Identifier: Apache-2.0
// Folding of what calculates. Integers that leave their fold_range are unknown.
#include <cmath>
#include <string_view>
#include <type_traits>

#include "partita/read/onnx/fold_support.h"

namespace partita::detail::onnx {

namespace {

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

void fold_cast(Inference& node) {
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

void fold_where(Inference& node) {
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

void fold_range(Inference& node) {
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

constexpr ShapeRow kFoldedArithmeticRows[] = {
    {"Add", arithmetic},     {"Sub", arithmetic},
    {"Mul", arithmetic},     {"Div", arithmetic},
    {"Mod", arithmetic},     {"Max", arithmetic},
    {"Min", arithmetic},     {"And", arithmetic},
    {"Or", arithmetic},      {"Xor", arithmetic},
    {"Pow", arithmetic},     {"Equal", comparison},
    {"Less", comparison},    {"LessOrEqual", comparison},
    {"Greater", comparison}, {"GreaterOrEqual", comparison},
    {"Identity", unary},     {"Not", unary},
    {"Neg", unary},          {"Abs", unary},
    {"Relu", unary},         {"Floor", unary},
    {"Ceil", unary},         {"Round", unary},
    {"Sqrt", unary},         {"Reciprocal", unary},
    {"Cast", fold_cast},     {"Where", fold_where},
    {"Range", fold_range},   {"ReduceProd", reduced},
    {"ReduceSum", reduced},  {"ReduceMax", reduced},
    {"ReduceMin", reduced},
};

}  // namespace

std::span<const ShapeRow> arithmetic_folds() { return kFoldedArithmeticRows; }

}  // namespace partita::detail::onnx
