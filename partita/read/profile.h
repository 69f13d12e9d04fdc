// SPDX-License-Identifier: Apache-2.0
// Measured times of a network's operators, from the files that engines write of their runs.
//
// Recognised by content:
// - profiles of ONNX Runtime: of several runs the first one warms up and does not count, and of the others the median does.
//   Where kernels of a GPU are listed, they count, as the times of nodes are those of launching them. Operators that the
//   profile does not name were folded or fused into others: they join the operator that they read from;
// - `trtexec --exportProfile` of TensorRT, whose layers are several operators each;
// - measurements by Partita's Python package: a name, the median of many runs and its spread for each operator;
// - CSV: a name and a time on each line.
//
// An engine that fuses operators gives them names of its own. Names are tried as they are, without the endings that ONNX
// Runtime is known to add, and as those of tensors. The model that the engine itself saved after optimising
// (optimized_model_filepath) has all of its names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partita/model/network.h"

namespace partita {

struct MeasuredTime {
  std::vector<std::string> operators;  // by name; what was measured is all of them together
  double seconds = 0;

  friend bool operator==(const MeasuredTime&, const MeasuredTime&) = default;
};

struct Profile {
  std::vector<MeasuredTime> times;  // an operator is in one of them at most
  std::vector<std::string> notes;   // what was not understood or had to be assumed, a line each
};

// `path` may be "-" for standard input; plain or gzipped. Throws InputError, also where nothing in the file is an operator of
// the network.
Profile read_profile(const std::string& path, const Network& network);

// The same from text; `source` is the name used in error messages.
Profile parse_profile(std::string_view text, const std::string& source, const Network& network);

}  // namespace partita
