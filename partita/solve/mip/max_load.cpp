// SPDX-License-Identifier: Apache-2.0
// The paper's integer program for throughput, on colour classes: free and contiguous splits.
//
// x[v,d] = 1: group v is on device d. Each group is on one device; loads and memory as in load_rows.h.
//
// **Contiguous.** A device's nodes are contiguous iff no path leaves them and comes back. For each node v and device d
// a column z[v,d] in [0, 1] with
//     z[v,d] >= x[v,d],     z[v,d] <= z[u,d],     z[v,d] <= 1 + x[v,d] - x[u,d]     for each edge (u, v).
// z can be 1 exactly on the nodes from which d's set can be reached: the last row says that a node just outside the
// set, fed from it, is none of them. The z need not be whole numbers. They belong to nodes, not to groups, for a path
// may enter a colour class at one node and leave it at another; x[v,d] is then that of v's group. As the shape is asked
// of the forward part, only forward nodes and the edges among them have these rows; with backward_shape the backward
// nodes have them too, by themselves.
//
// **Symmetry.** Devices of a class are interchangeable. Rank the groups by time, longest first, and number the devices
// of a class by the first rank they hold, empty ones last. So device i holds no group of rank below i, and
//     x[v,i] <= sum of x[w,i-1] over the groups w of smaller rank.
// These rows hold for every rank, whether or not other ranks have them. They are written for the first ranks only: for
// all of them they have n^2 entries per device and slow the linear programs down more than they save.
//
// Reference: [Tarnawski-NeurIPS'20], sections on throughput and on contiguity. We differ in that colour classes are one
// group, nets with equal members are one net, equal devices are ordered, and hosts too must be contiguous. Tests:
// tests/mip/formulation_test.cpp, tests/mip/solve_ip_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include "partita/reduce/colours.h"
#include "partita/solve/mip/formulation.h"
#include "partita/solve/mip/ip_instance.h"
#include "partita/solve/mip/load_rows.h"

namespace partita::detail {
namespace {

// How many ranks have symmetry rows, for each device of the class. The paper's BERT-6, contiguous: proved in 10 s with
// 3, not in 15 s with 0 or with all.
constexpr std::size_t kOrderedRanksPerDevice = 3;

class MaxLoadFormulation : public Formulation {
 public:
  // The shape is contiguous or free. O(devices * (nodes + edges)).
  MaxLoadFormulation(const Problem& problem, const FormulationOptions& options);

  Split decode(std::span<const double> x) const override;
  std::vector<double> encode(const Split& split) const override;

 private:
  // The nodes of one pass, the edges among them, and z[v,d] for each device.
  struct ContiguousPart {
    bool backward = false;
    std::vector<std::pair<NodeId, NodeId>> edges;
    IdVector<DeviceId, IdVector<NodeId, ColumnId>> z;
  };
  const DeviceTable& devices() const { return instance_.devices; }
  std::string device_name(DeviceId d) const;

  void rank_groups();
  void add_assignment();
  void add_symmetry();
  void add_contiguous_part(bool backward);
  IdVector<GroupId, DeviceId> numbered_by_rank(const IdVector<GroupId, DeviceId>& device_of) const;

  const Problem& problem_;
  IdVector<NodeId, GroupId> group_of_;
  IpInstance instance_;
  std::vector<GroupId> by_rank_;
  IdVector<DeviceId, IdVector<GroupId, ColumnId>> x_;  // invalid where the group cannot be there
  std::unique_ptr<LoadRows> loads_;
  std::vector<ContiguousPart> parts_;
};

MaxLoadFormulation::MaxLoadFormulation(const Problem& problem, const FormulationOptions& options)
    : Formulation(options.time_unit),
      problem_(problem),
      group_of_(find_colour_classes(problem.workload->graph).class_of),
      instance_(make_ip_instance(problem, group_of_, options)) {
  loads_ = std::make_unique<LoadRows>(instance_, model_);
  rank_groups();
  add_assignment();
  add_symmetry();
  for (DeviceId d : x_.all()) {
    IdVector<GroupId, Terms> terms(instance_.groups.size());
    for (GroupId v : terms.all()) {
      if (x_[d][v].valid()) terms[v] = {{x_[d][v], 1}};
    }
    loads_->add_seat(device_name(d), devices().class_number(d), terms);
  }
  if (problem.shape != Shape::Contiguous) return;
  add_contiguous_part(false);
  if (problem.backward_shape) add_contiguous_part(true);
}

std::string MaxLoadFormulation::device_name(DeviceId d) const {
  return devices().is_host(d) ? fmt::format("h{}", d.index() - devices().accelerators())
                              : fmt::format("a{}", d.index());
}

void MaxLoadFormulation::rank_groups() {
  for (GroupId v : instance_.groups.all()) by_rank_.push_back(v);
  const auto time = [&](GroupId v) {
    double most = 0;  // on accelerators
    for (std::size_t c = 0; c < devices().accelerator_classes(); ++c) {
      const IpGroup::Times& times = instance_.groups[v].time[c];
      most = std::max(most, std::accumulate(times.begin(), times.end(), 0.0));
    }
    return most;
  };
  std::stable_sort(by_rank_.begin(), by_rank_.end(), [&](GroupId v, GroupId w) { return time(v) > time(w); });
}

void MaxLoadFormulation::add_assignment() {
  x_.assign(devices().size(), IdVector<GroupId, ColumnId>(instance_.groups.size()));
  IdVector<GroupId, std::size_t> rank(instance_.groups.size());
  for (std::size_t r = 0; r < by_rank_.size(); ++r) rank[by_rank_[r]] = r;
  for (GroupId v : instance_.groups.all()) {
    Terms row;
    for (DeviceId d : x_.all()) {
      if (!instance_.fits(v, devices().class_number(d)) || rank[v] < devices().place_in_class(d)) continue;
      x_[d][v] = model_.add_column({fmt::format("x_{}_{}", v.index(), device_name(d)), 0, 1, 0, true});
      row.push_back({x_[d][v], 1});
    }
    model_.add_row(fmt::format("once_{}", v.index()), 1, std::move(row), 1);
  }
}

void MaxLoadFormulation::add_symmetry() {
  for (DeviceId d : x_.all()) {
    const DeviceTable::Class& equals = devices().class_of(d);
    if (d.index() == equals.first) continue;
    const DeviceId before(d.index() - 1);
    Terms earlier;  // minus the sum of x[w, before] over the groups w of smaller rank
    for (std::size_t r = 0; r < std::min(by_rank_.size(), kOrderedRanksPerDevice * equals.count); ++r) {
      const GroupId v = by_rank_[r];
      if (x_[d][v].valid()) {
        Terms row = earlier;
        row.push_back({x_[d][v], 1});
        model_.add_at_most(fmt::format("order_{}_{}", v.index(), device_name(d)), std::move(row), 0);
      }
      if (x_[before][v].valid()) earlier.push_back({x_[before][v], -1});
    }
  }
}

void MaxLoadFormulation::add_contiguous_part(bool backward) {
  const Graph& graph = problem_.workload->graph;
  ContiguousPart part;
  part.backward = backward;
  for (const Edge& edge : graph.edges) {
    if (graph.nodes[edge.from].backward == backward && graph.nodes[edge.to].backward == backward) {
      part.edges.emplace_back(edge.from, edge.to);
    }
  }
  std::sort(part.edges.begin(), part.edges.end());
  part.edges.erase(std::unique(part.edges.begin(), part.edges.end()), part.edges.end());

  const char* z_name = backward ? "zb" : "z";
  for (DeviceId d : x_.all()) {
    const std::string name = device_name(d);
    IdVector<NodeId, ColumnId> z(graph.nodes.size());
    const auto x = [&](NodeId v, double factor, Terms& terms) {
      const ColumnId column = x_[d][group_of_[v]];
      if (column.valid()) terms.push_back({column, factor});
    };
    for (NodeId v : graph.nodes.all()) {
      if (graph.nodes[v].backward != backward) continue;
      z[v] = model_.add_column({fmt::format("{}_{}_{}", z_name, v.index(), name), 0, 1});
      Terms row{{z[v], 1}};
      x(v, -1, row);
      if (row.size() > 1) model_.add_at_least(fmt::format("{}_has_{}_{}", z_name, v.index(), name), std::move(row), 0);
    }
    for (const auto& [u, v] : part.edges) {
      const std::string edge_name = fmt::format("{}_{}_{}", u.index(), v.index(), name);
      model_.add_at_most(fmt::format("{}_falls_{}", z_name, edge_name), {{z[v], 1}, {z[u], -1}}, 0);
      Terms row{{z[v], 1}};
      x(v, -1, row);
      x(u, 1, row);
      if (group_of_[u] != group_of_[v]) {
        model_.add_at_most(fmt::format("{}_ends_{}", z_name, edge_name), std::move(row), 1);
      }
    }
    part.z.push_back(std::move(z));
  }
  parts_.push_back(std::move(part));
}

Split MaxLoadFormulation::decode(std::span<const double> x) const {
  IdVector<GroupId, DeviceId> device_of(instance_.groups.size());
  for (GroupId v : instance_.groups.all()) {
    double most = -1;
    for (DeviceId d : x_.all()) {
      if (!x_[d][v].valid() || x[x_[d][v].index()] <= most) continue;
      most = x[x_[d][v].index()];
      device_of[v] = d;
    }
  }
  return devices().lift(group_of_, device_of);
}

IdVector<GroupId, DeviceId> MaxLoadFormulation::numbered_by_rank(const IdVector<GroupId, DeviceId>& device_of) const {
  IdVector<DeviceId, DeviceId> number(devices().size());
  std::vector<std::size_t> next;  // by class
  for (const DeviceTable::Class& c : devices().classes()) next.push_back(c.first);
  IdVector<GroupId, DeviceId> result(device_of.size());
  for (GroupId v : by_rank_) {
    DeviceId& mine = number[device_of[v]];
    if (!mine.valid()) mine = DeviceId(next[devices().class_number(device_of[v])]++);
    result[v] = mine;
  }
  return result;
}

std::vector<double> MaxLoadFormulation::encode(const Split& split) const {
  const auto device_of = numbered_by_rank(devices().devices_of(problem_.workload->platform, group_of_, split));
  std::vector<double> x(model_.columns().size(), 0);
  for (GroupId v : device_of.all()) x[x_[device_of[v]][v].index()] = 1;
  loads_->complete([&](GroupId v, std::size_t d) { return device_of[v].index() == d; }, x);

  for (const ContiguousPart& part : parts_) {
    const std::size_t nodes = group_of_.size();
    std::vector<std::vector<NodeId>> predecessors(nodes);
    for (const auto& [u, v] : part.edges) predecessors[v.index()].push_back(u);
    for (DeviceId d : part.z.all()) {
      // From the device's nodes up against the edges: whatever is met can reach them.
      std::vector<NodeId> open;
      const auto mark = [&](NodeId v) {
        double& value = x[part.z[d][v].index()];
        if (value == 0) open.push_back(v);
        value = 1;
      };
      for (NodeId v : group_of_.all()) {
        if (part.z[d][v].valid() && device_of[group_of_[v]] == d) mark(v);
      }
      while (!open.empty()) {
        const NodeId v = open.back();
        open.pop_back();
        for (NodeId u : predecessors[v.index()]) mark(u);
      }
    }
  }
  return x;
}

}  // namespace

std::unique_ptr<Formulation> formulate_max_load(const Problem& problem, const FormulationOptions& options) {
  return std::make_unique<MaxLoadFormulation>(problem, options);
}

}  // namespace partita::detail
