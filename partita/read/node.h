// SPDX-License-Identifier: Apache-2.0
// Reads one node of a workload: what it takes on each class of devices, and what it keeps in memory.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "partita/model/graph.h"
#include "partita/read/fields.h"
#include "partita/read/platform.h"

namespace partita {

class NodeReader {
 public:
  // With `other_classes`, a node may name classes that the platform does not have: a model may know more classes than
  // it is run on. `spec` must outlive the reader.
  NodeReader(const PlatformSpec& spec, bool other_classes);

  // Tells `place` the node's id. Throws InputError.
  Node read(const nlohmann::json& value, Place& place) const;

 private:
  std::vector<double> read_times(const ObjectView& fields) const;
  void check_names(const nlohmann::json& by_class, const Place& place) const;

  const PlatformSpec* spec_;
  bool other_classes_;
  std::string class_names_;  // for messages
};

}  // namespace partita
