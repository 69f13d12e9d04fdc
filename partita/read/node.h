// SPDX-License-Identifier: Apache-2.0
// Reads one node of a workload: what it takes on each class of devices, and what it keeps in memory.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "partita/model/graph.h"
#include "partita/read/fields.h"
#include "partita/read/platform.h"

namespace partita::detail {

extern const FieldNames kNodeFields;

// All but its times, which depend on the platform. Tells `place` the node's id. Throws InputError.
Node read_node(const ObjectView& fields, Place& place);

// What is needed of a node to read its times later.
nlohmann::json time_fields(const nlohmann::json& node);

class TimesReader {
 public:
  // With `other_classes`, a node may name classes that the platform does not have: a model may know more classes than
  // it is run on. `spec` must outlive the reader.
  TimesReader(const PlatformSpec& spec, bool other_classes);

  // By class. Throws InputError, also where the node runs on no class.
  std::vector<double> read(const ObjectView& fields) const;

 private:
  void check_names(const nlohmann::json& by_class, const Place& place) const;

  const PlatformSpec* spec_;
  bool other_classes_;
  std::string class_names_;  // for messages
};

}  // namespace partita::detail
