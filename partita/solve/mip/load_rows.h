// SPDX-License-Identifier: Apache-2.0
// The rows and columns about loads and memory, which every formulation shares.
//
// A *seat* is a place for groups: a device, or a place in the pipeline. The formulation says which columns add up to
// "group v is on seat s", written x[v,s] here; it is 0 or 1 in every solution. For each net e, with producer u, and
// each seat s that pays for transfers there are
//     in[e,s]  >= x[v,s] - x[u,s]   for each consumer v,
//     out[e,s] >= x[u,s] - x[v,s]   for each consumer v.
// They are continuous: at the optimum they are as small as these rows let them be, so 0 or 1. As in + out is at least
// the largest minus the smallest x of all members, nothing is lost by treating nets with the same members as one.
//
// The load of a seat is a sum over passes of compute + in + out (transfer mode sum) or of a column that is at least
// each of the parts that overlap. `max-load` asks T >= load of each seat and minimises T. `gpipe` has a column for each
// pass, F and B, and minimises F + B.
//
// Nets that cost more than the limit must not be cut, so their columns are fixed at 0 and cost nothing; with them goes
// what would spread the coefficients further than solvers can hold.
//
// Memory rows are written as 1000 * memory / limit <= 1000: with memory / limit a node of a few bytes falls below what
// some solvers take for zero.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "partita/solve/mip/ip_instance.h"
#include "partita/solve/mip/linear_model.h"

namespace partita::detail {

struct MemoryTerms {
  double memory = 0;
  Terms held;  // add up to 1 where it is held
};
// The memory row of a device, without coefficients below `negligible`. None if everything fits.
void add_memory_row(LinearModel& model, std::string name, double limit, const std::vector<MemoryTerms>& things,
                    double negligible = 0);

class LoadRows {
 public:
  using Holds = std::function<bool(GroupId v, std::size_t seat)>;

  // Adds the objective, which is to be at most the instance's limit. Instance and model must outlive this.
  LoadRows(const IpInstance& instance, LinearModel& model);

  // Adds one seat. `terms[v]` are those of x[v,s], none where v cannot be there. Seats are numbered in this order;
  // `name` must be unique.
  // `device_class` by its number in the device table.
  void add_seat(const std::string& name, std::size_t device_class, const IdVector<GroupId, Terms>& terms);

  // Fills in the columns added here, for the solution in which `holds` says what is where.
  void complete(const Holds& holds, std::vector<double>& x) const;

 private:
  // What a pass costs on a seat: the largest of its parts.
  struct PassColumns {
    std::vector<ColumnId> in, out;  // by net of the instance; invalid where there is none
    ColumnId load;                  // valid where there is more than one part
  };
  struct Seat {
    std::size_t device_class = 0;
    std::vector<PassColumns> passes;
  };

  PassColumns add_pass(const std::string& name, std::size_t pass, std::size_t device_class,
                       const IdVector<GroupId, Terms>& terms, Terms& load);
  const DeviceTable::Class& device_class(std::size_t number) const { return instance_.devices.classes()[number]; }
  double pass_load(double compute, double in, double out) const;

  const IpInstance& instance_;
  LinearModel& model_;
  std::vector<ColumnId> tops_;  // T, or F and B
  std::vector<Seat> seats_;
};

}  // namespace partita::detail
