// SPDX-License-Identifier: Apache-2.0
// Constant folding of what exporters make of shape arithmetic: a few numbers, taken from shapes, calculated with, and put
// together to a shape again. An unknown element makes unknown what is computed of it, and nothing else, so that
// [batch, 12, 64] with an unknown batch still is a shape of three axes.
#include <string_view>
#include <unordered_map>

#include "partita/read/onnx/fold_support.h"

namespace partita::detail::onnx {

namespace {

std::unordered_map<std::string_view, ShapeRule> all_folds() {
  std::unordered_map<std::string_view, ShapeRule> made;
  for (const auto rows : {arithmetic_folds(), layout_folds()}) {
    for (const ShapeRow& row : rows) made.emplace(row.kind, row.rule);
  }
  return made;
}

}  // namespace

void fold(Inference& node) {
  static const std::unordered_map<std::string_view, ShapeRule> folds = all_folds();
  if (!node.wants(0)) return;
  if (const auto at = folds.find(node.node().kind()); at != folds.end()) at->second(node);
}

}  // namespace partita::detail::onnx
