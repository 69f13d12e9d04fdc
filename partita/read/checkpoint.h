// SPDX-License-Identifier: Apache-2.0
// The tensors that files of weights hold, by name: what safetensors and GGUF headers say of a network's weights.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "partita/model/network.h"

namespace partita::detail {

struct StoredTensor {
  std::string name;
  DataType type = DataType::Unknown;  // Unknown: a quantised one, of which bytes tell all
  std::vector<std::int64_t> extents;
  double bytes = 0;

  double elements() const;
};

class Checkpoint {
 public:
  // `source`: what messages call it.
  explicit Checkpoint(std::string source) : source_(std::move(source)) {}

  const std::string& source() const { return source_; }
  // False where there is one with this name already.
  bool add(StoredTensor tensor);
  const StoredTensor* find(const std::string& name) const;
  std::size_t size() const { return tensors_.size(); }

  // Gives the weight the type and the bytes of what is stored for it. It is found by its name, without what comes
  // before the first dot (a checkpoint of the body alone has "h.0.ln_1.weight" for "transformer.h.0.ln_1.weight"). The
  // scales and zeros of a quantised weight are bytes of it too. "up_exps.weight[7]" is a part of a stored tensor: one
  // of as many as that has along its first axis. What is not there stays as it is and is counted. Throws InputError
  // where a tensor has not as many elements as the weight.
  void describe(Weight& weight);

  const std::string& first_missing() const { return first_missing_; }  // a weight's name, or empty
  // Lines on weights that were not there, and on tensors that no weight was found for.
  std::vector<std::string> notes() const;

 private:
  bool describe_as(const std::string& name, Weight& weight);

  std::string source_;
  std::vector<StoredTensor> tensors_;
  std::vector<bool> used_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_module_;  // of quantised weights
  std::size_t missing_ = 0;
  std::string first_missing_;
};

}  // namespace partita::detail
