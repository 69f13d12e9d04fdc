// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN: X [time, batch, input], W [directions, gates * hidden, input]; with layout 1 the batch comes first.
#include "partita/read/onnx/inference.h"

namespace partita::detail::onnx {

namespace {

void recurrent(Inference& node) {
  const bool batch_first = node.integer("layout", 0) != 0;
  const std::int64_t time = node.extent(0, batch_first ? 1 : 0), batch = node.extent(0, batch_first ? 0 : 1);
  const std::int64_t directions = node.text("direction", "forward") == "bidirectional" ? 2 : 1;
  std::int64_t hidden = node.integer("hidden_size", kUnknownExtent);
  if (hidden < 0) hidden = node.extent(2, 2);
  node.set(0, node.type(0),
           batch_first ? Numbers{batch, time, directions, hidden} : Numbers{time, directions, batch, hidden});
  for (std::size_t i = 1; i < node.outputs(); ++i) {
    node.set(i, node.type(0), batch_first ? Numbers{batch, directions, hidden} : Numbers{directions, batch, hidden});
  }
}

constexpr ShapeRow kRecurrentRows[] = {
    {"LSTM", recurrent},
    {"GRU", recurrent},
    {"RNN", recurrent},
    {"com.microsoft:DynamicQuantizeLSTM", recurrent},
};

}  // namespace

std::span<const ShapeRow> recurrent_shapes() { return kRecurrentRows; }

}  // namespace partita::detail::onnx
