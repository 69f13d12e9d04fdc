// SPDX-License-Identifier: Apache-2.0
// The master problem of the configuration LP, in CLP: every group (in fractions) on devices, by columns, which are sets
// of a device of some class, where every class of accelerators may use up to z times as many columns as it has devices.
// The least z is what counts: above 1 the limit is refuted. What a class holds takes no more memory than its devices
// have. Duals are prices of the groups, of a device of each class, and tolls on memory.
//
// Two kinds of it. Cover: every group at least once, for loads that never grow when a set loses a group, or are as if
// they did; prices are not negative, and groups share the time of hosts. Exactly: every group once, for sets that have
// to keep a shape, so that a part of one may be no set at all; prices have any sign, and hosts have columns, of which
// there are no more than hosts. What no column covers, or several do, is made good by artificial columns, which cost
// more than all devices.
//
// Groups may share a row: then all of them together are on devices as often as they are many. That allows more than a
// row for each, so what it refutes is impossible as before; and where an automorphism of the model exchanges such groups
// it allows no more, since the average of a solution's images is a solution of single rows. Their prices are then equal,
// which is what makes the search for prices short on graphs with many equal branches.
#pragma once

#include <memory>
#include <vector>

#include "partita/solve/configuration/group_prices.h"
#include "partita/util/budget.h"

namespace partita::detail {

class ColumnBatch;

class MasterLp {
 public:
  enum class Kind { Cover, Exactly };
  // `classes`, accelerators first, must outlive it. `row_of` numbers the rows of groups from 0.
  MasterLp(IdVector<GroupId, std::size_t> row_of, const std::vector<ScaledClass>& classes, Kind kind);
  ~MasterLp();

  void add(const std::vector<GroupId>& column, std::size_t device_class);
  // Returns z and what is artificial at its cost; prices are then the duals. Throws OutOfTime.
  double solve(Budget& budget);
  // Of the last solution: how much of it is artificial, and how much of each column, in the order in which they came.
  double artificial_part() const { return artificial_part_; }
  std::vector<double> column_parts() const;
  // Where something artificial stays: makes it cost more. False if it costs too much already.
  bool make_artificial_dearer();
  const GroupPrices& prices() const { return prices_; }
  double price_of_device(std::size_t device_class) const { return device_price_[device_class]; }

 private:
  class Clp;  // keeps CLP's headers out of this one
  void add_host_times(ColumnBatch& columns);
  int artificial_count() const;

  std::unique_ptr<Clp> clp_;
  const IdVector<GroupId, std::size_t> row_of_;
  const std::size_t group_rows_;
  const std::vector<ScaledClass>& classes_;
  GroupPrices prices_;
  std::vector<double> device_price_;
  const Kind kind_;
  double artificial_cost_, artificial_part_ = 1;
  int first_artificial_ = 0, first_column_ = 0;  // columns of CLP
};

}  // namespace partita::detail
