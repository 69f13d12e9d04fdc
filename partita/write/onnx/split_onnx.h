// SPDX-License-Identifier: Apache-2.0
// Cuts an ONNX model along a plan: a file for each stage, and pipeline.json, which says how they are chained.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "partita/check/listed_split.h"
#include "partita/model/problem.h"
#include "partita/read/network_options.h"
#include "partita/util/budget.h"
#include "partita/write/onnx/pipeline.h"

namespace partita::detail {

struct OnnxSplitOptions {
  bool chain = false;               // each stage reads from the one before it alone; what others need is passed on
  bool copy_weights = false;        // external weights are copied, for each stage its own
  bool annotate = false;            // one file instead: the whole model, whose nodes name their stage
  const Budget* budget = nullptr;   // cancelled: copying ends with an InputError
  ReadNetworkOptions network = {};  // what the problem's workload was read with
};

// `problem` is that of the model at `model`, costed on some platform; `plan` is legal for it. `folder` is there and
// empty; the caller removes it if this throws. The files are complete and on the disk when this returns.
//
// Time and memory are those of the model's operators, and of copying: external weights are not read unless they are
// copied. Throws InputError: for a model that is not the problem's, a cut through a value whose type is not known,
// weights that cannot be had, a folder that cannot be written.
onnx::Pipeline split_onnx(const std::filesystem::path& model, const Problem& problem, const ListedSplit& plan,
                          const std::filesystem::path& folder, const OnnxSplitOptions& options = {});

}  // namespace partita::detail
