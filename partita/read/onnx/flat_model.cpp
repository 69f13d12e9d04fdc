// SPDX-License-Identifier: Apache-2.0
#include "partita/read/onnx/flat_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "partita/util/visible_text.h"

namespace partita::detail::onnx {

namespace {

const AttributeView* attribute_called(const std::vector<AttributeView>& attributes, std::string_view name) {
  const auto at = std::ranges::find(attributes, name, &AttributeView::name);
  return at == attributes.end() ? nullptr : &*at;
}

}  // namespace

const AttributeView* meant_attribute(const AttributeView& listed, const Call* call) {
  const AttributeView* attribute = &listed;
  while (attribute != nullptr && !attribute->ref_attribute.empty()) {
    if (call == nullptr) return nullptr;
    const std::string_view meant = attribute->ref_attribute;
    attribute = attribute_called(call->node->attributes, meant);
    if (attribute == nullptr) return attribute_called(call->function->defaults, meant);
    call = call->outer;
  }
  return attribute;
}

const AttributeView* find_attribute(const FlatNode& node, std::string_view name) {
  const AttributeView* attribute = attribute_called(node.view->attributes, name);
  return attribute == nullptr ? nullptr : meant_attribute(*attribute, node.call);
}

std::string node_text(const FlatModel& model, const FlatNode& node) {
  std::string name = node.name;
  for (ValueId value : node.outputs) {
    if (name.empty() && value.valid()) name = model.values[value].name;
  }
  return fmt::format("node '{}' ({})", visible(name, kLongestShownName), visible(node.kind(), kLongestShownName));
}

}  // namespace partita::detail::onnx
