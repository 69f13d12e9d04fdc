// SPDX-License-Identifier: Apache-2.0
// Which operators of a network an engine means by a name.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partita/model/network.h"
#include "partita/read/profile.h"

namespace partita::detail {

class ProfileNames {
 public:
  explicit ProfileNames(const Network& network);

  // The operator of this name, or the one whose name is left when endings of fusions are cut off, or that makes the tensor
  // of this name.
  std::optional<OperatorId> find(std::string_view name) const;

  // The operators whose names are joined in this one, with " + " or "," between them; none where one is not found.
  std::vector<OperatorId> find_all(std::string_view joined) const;

  const Network& network() const { return network_; }

 private:
  std::optional<OperatorId> find_exactly(std::string_view name) const;
  std::vector<OperatorId> find_parts(std::string_view joined, bool at_commas) const;

  const Network& network_;
  std::map<std::string_view, OperatorId> by_name_;
  std::map<std::string_view, OperatorId> by_output_;
};

// Times by operator, and what became of the names that are none.
class ProfileTimes {
 public:
  ProfileTimes(const ProfileNames& names, std::string source) : names_(names), source_(std::move(source)) {}

  // A time of operators that are not yet in another; those that are stay where they are.
  void add(const std::vector<OperatorId>& operators, double seconds);
  void add_unknown(std::string_view name);

  // Operators without a time are taken for parts of the operator that they read from last.
  void absorb_unnamed();

  // Throws InputError where no time has an operator.
  Profile finish(std::vector<std::string> notes);

 private:
  const ProfileNames& names_;
  std::string source_;
  std::map<OperatorId, std::size_t> time_of_;  // by operator: which of times_
  std::vector<std::pair<std::vector<OperatorId>, double>> times_;
  std::vector<std::string> unknown_;
  std::size_t absorbed_ = 0;
};

}  // namespace partita::detail
