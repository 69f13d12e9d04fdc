// SPDX-License-Identifier: Apache-2.0
// Constants of the model as weights of the network: their bytes, and what of them is trained.
#pragma once

#include <map>
#include <set>
#include <unordered_map>

#include "partita/model/network.h"
#include "partita/read/onnx/flat_model.h"

namespace partita::detail::onnx {

// Constants that are only calculated with: their readers read nothing that is computed from the network's inputs. Tables
// of positions are of this kind. Copies in other layouts or types are no calculation.
std::set<ValueId> only_calculated_with(const FlatModel& model);

// Constants that hold several weights in each of their bytes, and how many weights they are.
std::map<ValueId, double> packed_weights(const FlatModel& model);

// The weight of a constant value, made on its first use.
class WeightTable {
 public:
  WeightTable(const FlatModel& model, Network& network)
      : model_(model), network_(network), tables_(only_calculated_with(model)), packed_(packed_weights(model)) {}

  // Precondition: the value is a constant.
  WeightId weight(ValueId value);

 private:
  double parameters(ValueId id, const Value& value) const;

  const FlatModel& model_;
  Network& network_;
  std::set<ValueId> tables_;
  std::map<ValueId, double> packed_;
  std::unordered_map<ValueId, WeightId> made_;
};

}  // namespace partita::detail::onnx
