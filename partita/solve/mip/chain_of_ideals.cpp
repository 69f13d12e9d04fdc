// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/chain_of_ideals.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

ChainOfIdealsFormulation::ChainOfIdealsFormulation(const Problem& problem, const FormulationOptions& options)
    : Formulation(options.time_unit),
      problem_(problem),
      staged_(make_staged_instance(problem)),
      instance_(make_ip_instance(problem, staged_.group_of, staged_.platform, options.time_unit)) {
  loads_ = std::make_unique<LoadRows>(instance_, model_, options.limit / options.time_unit);
  one_ = model_.add_column({"one", 1, 1});
  lay_out_seats();
  add_chains();
  add_precedence();
  for (std::size_t j = 0; j < seats_.size(); ++j) {
    IdVector<GroupId, Terms> terms(y_.size());
    for (GroupId v : y_.all()) terms[v] = seat_terms(v, j);
    loads_->add_seat(seats_[j].name, seats_[j].host, terms);
  }
  add_host_count();
}

void ChainOfIdealsFormulation::lay_out_seats() {
  const std::size_t accelerators = static_cast<std::size_t>(staged_.platform.accelerators);
  const std::size_t hosts = static_cast<std::size_t>(staged_.platform.hosts);
  for (std::size_t gap = 0; gap <= accelerators; ++gap) {
    for (std::size_t i = 0; i < hosts; ++i) seats_.push_back({true, gap, fmt::format("h{}_{}", gap, i), {}});
    if (gap < accelerators) seats_.push_back({false, gap, fmt::format("a{}", gap), {}});
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
      if (!instance_.fits(v, seats_[j].host)) continue;
      last = j;
      anywhere = true;
    }
    // A group that fits no seat makes the program infeasible, as it should be.
    if (!anywhere) model_.add_at_most(fmt::format("nowhere_{}", v.index()), {{one_, 1}}, 0);
    for (std::size_t j = 0; j < seats_.size(); ++j) {
      const ColumnId before = j == 0 ? ColumnId() : y[j - 1];
      if (j >= last) {
        y[j] = one_;
      } else if (!instance_.fits(v, seats_[j].host)) {
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
  const StageGraph& graph = staged_.graph;
  for (GroupId u : graph.all()) {
    for (GroupId v : graph.successors(u)) {
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

void ChainOfIdealsFormulation::add_host_count() {
  if (staged_.platform.hosts == 0 || staged_.platform.accelerators == 0) return;
  Terms all;
  for (std::size_t j = 0; j < seats_.size(); ++j) {
    Seat& seat = seats_[j];
    if (!seat.host) continue;
    seat.used = model_.add_column({"used_" + seat.name, 0, 1, 0, true});
    all.push_back({seat.used, 1});
    for (GroupId v : y_.all()) {
      Terms row = seat_terms(v, j);
      if (row.empty()) continue;
      row.push_back({seat.used, -1});
      model_.add_at_most(fmt::format("use_{}_{}", v.index(), seat.name), std::move(row), 0);
    }
    if (j > 0 && seats_[j - 1].host) {
      model_.add_at_most("left_" + seat.name, {{seat.used, 1}, {seats_[j - 1].used, -1}}, 0);
    }
  }
  model_.add_at_most("hosts", std::move(all), staged_.platform.hosts);
}

Terms ChainOfIdealsFormulation::seat_terms(GroupId v, std::size_t seat) const {
  Terms terms;
  const ColumnId now = y_[v][seat], before = seat == 0 ? ColumnId() : y_[v][seat - 1];
  if (now == before) return terms;
  terms.push_back({now, 1});
  if (before.valid()) terms.push_back({before, -1});
  return terms;
}

std::vector<Stage> ChainOfIdealsFormulation::stages_of(const IdVector<GroupId, std::size_t>& seat_of) const {
  std::vector<Stage> stages(seats_.size());
  for (std::size_t j = 0; j < seats_.size(); ++j) stages[j].on_host = seats_[j].host;
  for (GroupId v : seat_of.all()) stages[seat_of[v]].groups.push_back(v);
  std::erase_if(stages, [](const Stage& stage) { return stage.groups.empty(); });
  return stages;
}

Split ChainOfIdealsFormulation::decode(std::span<const double> x) const {
  IdVector<GroupId, std::size_t> seat_of(y_.size(), 0);
  for (GroupId v : y_.all()) {
    std::size_t j = 0;
    while (!y_[v][j].valid() || x[y_[v][j].index()] < 0.5) ++j;
    seat_of[v] = j;
  }
  return lift_stages(problem_, staged_, stages_of(seat_of));
}

std::vector<double> ChainOfIdealsFormulation::encode(const Split& split) const {
  std::vector<double> x(model_.columns().size(), 0);
  x[one_.index()] = 1;
  // Devices take the seats of their kind in order, as far to the left as the order of the devices lets them.
  const Platform& platform = problem_.workload.platform;
  std::vector<std::size_t> seat_of_device(platform.device_count(), 0);
  std::size_t next = 0;
  for (DeviceId d : split.order) {
    const bool host = platform.classes[platform.class_of(d)].kind == DeviceKind::Host;
    while (seats_[next].host != host) ++next;
    if (seats_[next].used.valid()) x[seats_[next].used.index()] = 1;
    seat_of_device[d.index()] = next++;
  }
  IdVector<GroupId, std::size_t> seat_of(y_.size(), 0);
  for (NodeId v : staged_.group_of.all()) seat_of[staged_.group_of[v]] = seat_of_device[split.device_of[v].index()];
  for (GroupId v : y_.all()) {
    for (std::size_t j = seat_of[v]; j < seats_.size(); ++j) x[y_[v][j].index()] = 1;
  }
  loads_->complete([&](GroupId v, std::size_t j) { return seat_of[v] == j; }, x);
  return x;
}

}  // namespace partita
