// SPDX-License-Identifier: Apache-2.0
// What a stage file says of values that cross a cut: type and shape, as the model's file has them where it does, and else
// as they follow from its operators. Dimensions stay open where the model leaves them open, whatever sizes a plan was
// made for: the stages take what the model takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "partita/write/onnx/cut_graph.h"
#include "partita/write/onnx/rope.h"

namespace partita::detail::onnx {

// A number, a name, or neither.
using OpenExtent = std::variant<std::monostate, std::int64_t, std::string>;

struct ValueType {
  std::string type;       // "fp32"; empty: neither a tensor nor a sequence of them, or not known
  std::int64_t code = 0;  // the same as files have it
  bool sequence = false;  // of tensors
  std::optional<std::vector<OpenExtent>> shape;
  std::optional<double> bytes;  // with the sizes that the plan was made for
};

class ValueTypes {
 public:
  // `open` is the same model as the graph's, inferred without any sizes from outside. Both must outlive this.
  ValueTypes(const CutGraph& graph, const FlatModel& open);

  ValueType type(ValueId value) const;
  // The file's own words; none: it says nothing.
  const ValueView* declared(ValueId value) const { return declared_[value]; }
  // A ValueInfoProto for a value that crosses a cut. Throws InputError where its type is not known.
  Rope info(ValueId value) const;

 private:
  void declare(const std::vector<ValueView>& values, const NameTable& names);

  const CutGraph& graph_;
  const FlatModel& open_;
  IdVector<ValueId, const ValueView*> declared_;
};

}  // namespace partita::detail::onnx
