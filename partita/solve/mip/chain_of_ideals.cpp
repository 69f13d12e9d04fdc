// SPDX-License-Identifier: Apache-2.0
// Staged splits as an integer program: a chain of ideals.
//
// A staged split is a sequence of seats in pipeline order. y[v,j] = 1: group v is on one of the seats 0 .. j. So
//     y[v,j-1] <= y[v,j],     y[v,last] = 1,     y[v,j] <= y[u,j]     for each precedence (u, v),
// and x[v,j] = y[v,j] - y[v,j-1] says that v is on seat j; loads and memory are those of load_rows.h on these x.
// Precedence is that of the StageGraph: forward edges and mirrored backward ones, cycles contracted, so training needs
// nothing more.
//
// **Seats.** With k accelerators and l hosts any sequence of kinds may be the best. All of them are subsequences of
//     (l hosts, accelerator) k times, l hosts,
// of which at most l host seats may be used. For k (l + 1) + l seats that is a long chain, but l is 0 or 1 nearly
// always. A binary used[j] for each host seat bounds the x on it, and the used add up to at most l; the seats of a gap
// are used from the left. Without more hosts than one gap has seats for, that is for k = 0, these rows are left out.
//
// With more classes of devices any sequence of classes may be the best. Then there are as many *rounds* as devices,
// each with one seat of every class, of which at most one is used; used rounds come first, and the used seats of a
// class are at most its devices. So every sequence of classes has exactly one place.
//
// A seat that cannot hold group v makes y[v,j] and y[v,j-1] one column.
//
// Why not the x and z of max_load.cpp with an order on the devices: the chain is stronger. On the paper's GNMT CBC
// proves the optimum with the chain in 16 s, and is 4 % away after 20 s with the x and z, which ask for less.
//
// Reference: the ideals are those of [Tarnawski-NeurIPS'20]'s dynamic program. Tests: tests/mip/formulation_test.cpp,
// tests/mip/solve_ip_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "partita/reduce/stage_order.h"
#include "partita/solve/mip/formulation.h"
#include "partita/solve/mip/ip_instance.h"
#include "partita/solve/mip/load_rows.h"

namespace partita::detail {
namespace {

class ChainOfIdealsFormulation : public Formulation {
 public:
  // The shape is staged. `problem` must outlive this.
  ChainOfIdealsFormulation(const Problem& problem, const FormulationOptions& options);

  Split decode(std::span<const double> x) const override;
  std::vector<double> encode(const Split& split) const override;

 private:
  struct Seat {
    std::size_t device_class = 0;  // by its number in the device table
    std::size_t round = 0;         // of the seats of a round, one is used
    std::string name;
    ColumnId used;  // where a class has more seats than devices
  };

  const DeviceTable& devices() const { return instance_.devices; }
  bool fits(GroupId v, const Seat& seat) const { return instance_.fits(v, seat.device_class); }
  void lay_out_gaps();
  void lay_out_rounds();
  void add_chains();
  void add_precedence();
  void count_used_seats();
  void fill_from_the_left();
  Terms seat_terms(GroupId v, std::size_t seat) const;

  const Problem& problem_;
  StageOrder order_;
  IpInstance instance_;
  std::vector<Seat> seats_;
  ColumnId one_;                                // fixed at 1
  IdVector<GroupId, std::vector<ColumnId>> y_;  // by seat; invalid stands for 0
  std::unique_ptr<LoadRows> loads_;
};

ChainOfIdealsFormulation::ChainOfIdealsFormulation(const Problem& problem, const FormulationOptions& options)
    : Formulation(options.time_unit),
      problem_(problem),
      order_(find_stage_order(problem)),
      instance_(make_ip_instance(problem, order_.group_of, options)) {
  loads_ = std::make_unique<LoadRows>(instance_, model_);
  one_ = model_.add_column({"one", 1, 1});
  if (devices().accelerator_classes() <= 1 && devices().classes().size() - devices().accelerator_classes() <= 1) {
    lay_out_gaps();
  } else {
    lay_out_rounds();
  }
  add_chains();
  add_precedence();
  for (std::size_t j = 0; j < seats_.size(); ++j) {
    IdVector<GroupId, Terms> terms(y_.size());
    for (GroupId v : y_.all()) terms[v] = seat_terms(v, j);
    loads_->add_seat(seats_[j].name, seats_[j].device_class, terms);
  }
  count_used_seats();
}

// (hosts, accelerator) again and again: for one class of each kind.
void ChainOfIdealsFormulation::lay_out_gaps() {
  const std::size_t accelerators = devices().accelerators(), hosts = devices().size() - accelerators;
  const auto add = [&](std::size_t device_class, std::string name) {
    seats_.push_back({device_class, seats_.size(), std::move(name), {}});
  };
  for (std::size_t gap = 0; gap <= accelerators; ++gap) {
    for (std::size_t i = 0; i < hosts; ++i) add(devices().accelerator_classes(), fmt::format("h{}_{}", gap, i));
    if (gap < accelerators) add(0, fmt::format("a{}", gap));
  }
}

void ChainOfIdealsFormulation::lay_out_rounds() {
  const std::size_t rounds = std::min(devices().size(), instance_.groups.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t c = 0; c < devices().classes().size(); ++c)
      seats_.push_back({c, round, fmt::format("c{}_{}", c, round), {}});
  }
}

void ChainOfIdealsFormulation::add_chains() {
  y_.resize(instance_.groups.size());
  for (GroupId v : y_.all()) {
    std::vector<ColumnId>& y = y_[v];
    y.resize(seats_.size());
    std::size_t last = 0;
    bool anywhere = false;
    for (std::size_t j = 0; j < seats_.size(); ++j) {
      if (!fits(v, seats_[j])) continue;
      last = j;
      anywhere = true;
    }
    // A group that fits no seat makes the program infeasible, as it should be.
    if (!anywhere) model_.add_at_most(fmt::format("nowhere_{}", v.index()), {{one_, 1}}, 0);
    for (std::size_t j = 0; j < seats_.size(); ++j) {
      const ColumnId before = j == 0 ? ColumnId() : y[j - 1];
      if (j >= last) {
        y[j] = one_;
      } else if (!fits(v, seats_[j])) {
        y[j] = before;
      } else {
        y[j] = model_.add_column({fmt::format("y_{}_{}", v.index(), seats_[j].name), 0, 1, 0, true});
        if (before.valid()) {
          model_.add_at_most(fmt::format("grows_{}_{}", v.index(), seats_[j].name), {{before, 1}, {y[j], -1}}, 0);
        }
      }
    }
  }
}

void ChainOfIdealsFormulation::add_precedence() {
  for (GroupId u : order_.graph.all()) {
    for (GroupId v : order_.graph.successors(u)) {
      for (std::size_t j = 0; j < seats_.size(); ++j) {
        const ColumnId later = y_[v][j], earlier = y_[u][j];
        if (!later.valid() || earlier == one_) continue;
        Terms row{{later, 1}};
        if (earlier.valid()) row.push_back({earlier, -1});
        model_.add_at_most(fmt::format("after_{}_{}_{}", u.index(), v.index(), seats_[j].name), std::move(row), 0);
      }
    }
  }
}

void ChainOfIdealsFormulation::count_used_seats() {
  for (std::size_t c = 0; c < devices().classes().size(); ++c) {
    const auto of_class = [c](const Seat& seat) { return seat.device_class == c; };
    const std::size_t count = devices().classes()[c].count;
    const auto seats = static_cast<std::size_t>(std::count_if(seats_.begin(), seats_.end(), of_class));
    const bool in_rounds = !seats_.empty() && seats_.back().round + 1 < seats_.size();
    if (seats <= count && !in_rounds) continue;
    Terms all;
    for (std::size_t j = 0; j < seats_.size(); ++j) {
      Seat& seat = seats_[j];
      if (seat.device_class != c) continue;
      seat.used = model_.add_column({"used_" + seat.name, 0, 1, 0, true});
      all.push_back({seat.used, 1});
      for (GroupId v : y_.all()) {
        Terms row = seat_terms(v, j);
        if (row.empty()) continue;
        row.push_back({seat.used, -1});
        model_.add_at_most(fmt::format("use_{}_{}", v.index(), seat.name), std::move(row), 0);
      }
    }
    model_.add_at_most(fmt::format("devices_{}", c), std::move(all), static_cast<double>(count));
  }
  fill_from_the_left();
}

// The seats of a gap, and rounds.
void ChainOfIdealsFormulation::fill_from_the_left() {
  Terms before;
  for (std::size_t j = 0; j < seats_.size();) {
    const std::size_t first = j;
    Terms round;
    for (; j < seats_.size() && seats_[j].round == seats_[first].round; ++j) {
      if (seats_[j].used.valid()) round.push_back({seats_[j].used, 1});
    }
    if (round.size() > 1) model_.add_at_most("one_in_" + seats_[first].name, Terms(round), 1);
    if (!before.empty() && !round.empty()) {
      Terms row = round;
      append(row, before, -1);
      model_.add_at_most("left_" + seats_[first].name, std::move(row), 0);
    }
    before = std::move(round);
  }
}

Terms ChainOfIdealsFormulation::seat_terms(GroupId v, std::size_t seat) const {
  Terms terms;
  const ColumnId now = y_[v][seat], before = seat == 0 ? ColumnId() : y_[v][seat - 1];
  if (now == before) return terms;
  terms.push_back({now, 1});
  if (before.valid()) terms.push_back({before, -1});
  return terms;
}

Split ChainOfIdealsFormulation::decode(std::span<const double> x) const {
  IdVector<GroupId, std::size_t> seat_of(y_.size(), 0);
  for (GroupId v : y_.all()) {
    std::size_t j = 0;
    while (!y_[v][j].valid() || x[y_[v][j].index()] < 0.5) ++j;
    seat_of[v] = j;
  }
  // The used seats of a class are its devices, in their order.
  std::vector<char> used(seats_.size(), 0);
  for (const std::size_t seat : seat_of) used[seat] = 1;
  std::vector<std::size_t> next;
  for (const DeviceTable::Class& c : devices().classes()) next.push_back(c.first_in_platform.index());
  std::vector<DeviceId> device_on(seats_.size());
  Split split;
  for (std::size_t j = 0; j < seats_.size(); ++j) {
    if (!used[j]) continue;
    device_on[j] = DeviceId(next[seats_[j].device_class]++);
    split.order.push_back(device_on[j]);
  }
  for (NodeId v : order_.group_of.all()) split.device_of.push_back(device_on[seat_of[order_.group_of[v]]]);
  return split;
}

std::vector<double> ChainOfIdealsFormulation::encode(const Split& split) const {
  std::vector<double> x(model_.columns().size(), 0);
  x[one_.index()] = 1;
  // Devices take the seats of their class in order, as far to the left as the order of the devices lets them.
  const Platform& platform = problem_.workload->platform;
  std::vector<std::size_t> seat_of_device(platform.device_count(), 0);
  std::size_t next = 0;
  for (DeviceId d : split.order) {
    const ClassId id = platform.class_of(d);
    while (devices().classes()[seats_[next].device_class].id != id) ++next;
    if (seats_[next].used.valid()) x[seats_[next].used.index()] = 1;
    seat_of_device[d.index()] = next;
    const std::size_t round = seats_[next].round;
    while (next < seats_.size() && seats_[next].round == round) ++next;
  }
  IdVector<GroupId, std::size_t> seat_of(y_.size(), 0);
  for (NodeId v : order_.group_of.all()) seat_of[order_.group_of[v]] = seat_of_device[split.device_of[v].index()];
  for (GroupId v : y_.all()) {
    for (std::size_t j = seat_of[v]; j < seats_.size(); ++j) x[y_[v][j].index()] = 1;
  }
  loads_->complete([&](GroupId v, std::size_t j) { return seat_of[v] == j; }, x);
  return x;
}

}  // namespace

std::unique_ptr<Formulation> formulate_chain_of_ideals(const Problem& problem, const FormulationOptions& options) {
  return std::make_unique<ChainOfIdealsFormulation>(problem, options);
}

}  // namespace partita::detail
