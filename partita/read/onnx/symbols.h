// SPDX-License-Identifier: Apache-2.0
// Dimensions that a file names but does not fix, and the sizes that a caller gives them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "partita/read/network_options.h"
#include "partita/read/onnx/extent.h"
#include "partita/read/onnx/model.h"

namespace partita::detail::onnx {

class Symbols {
 public:
  // Throws InputError for sizes below 1. `options` must outlive this.
  explicit Symbols(const ReadNetworkOptions& options);

  // The shape of an input, whose dimensions without a name are called "input:axis".
  Shape input_shape(const TypeView& type, std::string_view input);
  // The shape of another value.
  Shape shape(const TypeView& type);

  // Names of the dimensions of inputs that nobody set, in the order of the file.
  const std::vector<std::string>& unset() const { return unset_; }
  // Throws InputError for a name that was not met.
  void check_all_met(const std::string& source) const;

 private:
  std::int64_t extent(const std::string& name);

  const ReadNetworkOptions& options_;
  std::vector<std::string> unset_;
  std::set<std::string> met_;  // those of inputs, and those that were set
};

}  // namespace partita::detail::onnx
