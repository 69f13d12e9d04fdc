// SPDX-License-Identifier: Apache-2.0
// Nodes, tensors and values of the file as a stage has them: as they are where nothing changes, which is nearly always,
// and else field by field. What changes are names in calls that were replaced, attributes there that stand for those
// of the call, and where external weights are. Fields that are not known here are kept.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "partita/write/onnx/cut_graph.h"
#include "partita/write/onnx/external_data.h"
#include "partita/write/onnx/rope.h"

namespace partita::detail::onnx {

class NodeWriter {
 public:
  // All of them must outlive this; `graph` is asked for fresh names.
  NodeWriter(const WireFile& file, CutGraph& graph, ExternalData& data) : file_(file), graph_(graph), data_(data) {}

  Rope item(const Item& item);
  Rope tensor(const TensorView& tensor);
  Rope sparse(const SparseView& sparse);
  // The file's own words for a value, which may be called otherwise now.
  Rope value(const ValueView& view, const std::string& name);
  // A function keeps its names.
  Rope function(const FunctionView& function);

 private:
  // Names in a body, and around it up to the graph or function that the node stands in.
  struct Names {
    const Call* scope = nullptr;  // none: names stay as they are
    std::unordered_map<std::string_view, std::string> own;
    const Names* outer = nullptr;
  };

  bool changes(const NodeView& node, const Call* scope);
  bool changes(const AttributeView& attribute);
  bool is_moved(const TensorView& tensor);
  std::string name(std::string_view old, const Names& names) const;
  Rope node(const NodeView& view, const Names& names);
  Rope attribute(const AttributeView& listed, const AttributeView& meant, const Names& names);
  Rope body(const GraphView& view, const Names& around);
  Rope tensor(const TensorView& tensor, const Names& names);
  Rope sparse(const SparseView& sparse, const Names& names);
  Rope annotation(ByteRange range, const Names& names);

  const WireFile& file_;
  CutGraph& graph_;
  ExternalData& data_;
};

}  // namespace partita::detail::onnx
