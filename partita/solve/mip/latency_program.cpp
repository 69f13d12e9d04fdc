// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/latency_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "partita/solve/mip/load_rows.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

// Of the horizon: what is left of it after the head may be rounding alone, too small a coefficient for any solver. More
// than is needed weakens a row and keeps it valid.
constexpr double kLeastSlack = 1e-6;

std::vector<Transfer> transfers_with_consumers_once(const Graph& graph) {
  std::vector<Transfer> transfers = find_transfers(graph);
  for (Transfer& transfer : transfers) {
    std::vector<NodeId>& consumers = transfer.consumers;
    std::sort(consumers.begin(), consumers.end());
    consumers.erase(std::unique(consumers.begin(), consumers.end()), consumers.end());
  }
  return transfers;
}

void push_if_valid(Terms& terms, ColumnId column, double factor) {
  if (column.valid()) terms.push_back({column, factor});
}

}  // namespace

void refuse_strict_host_cores(const Problem& problem) {
  if (!problem.strict_host_cores) return;
  throw InputError(ErrorKind::Unsupported, "Question::strict_host_cores",
                   "the integer program does not count host cores; leave out Question::strict_host_cores, or "
                   "PlanOptions::algorithm = ip");
}

LatencyFormulation::LatencyFormulation(const Problem& problem, const FormulationOptions& options)
    : Formulation(options.time_unit),
      problem_(problem),
      instance_(make_latency_instance(problem)),
      transfers_(transfers_with_consumers_once(problem.workload->graph)) {
  refuse_strict_host_cores(problem);
  first_is_backward_ = std::all_of(instance_.nodes.begin(), instance_.nodes.end(),
                                   [](const LatencyNode& node) { return node.backward; });
  drop_slow_classes(options.limit / time_unit_);
  find_horizon(options.limit / time_unit_);
  find_windows();
  latency_ = model_.add_column({"T", 0, horizon_, 1});
  add_devices();
  add_memory();
  add_node_times();
  for (const bool backward : {false, true}) add_seats(backward);
  add_running_order();
  add_progress();
}

bool LatencyFormulation::fits(GroupId g, std::size_t device_class) const {
  return instance_.class_holds[device_class][g] && instance_.group(g).memory <= table().classes()[device_class].memory;
}

// The time on the first device that fits, and what others take more.
LatencyFormulation::PlaceTime LatencyFormulation::place_time(NodeId v) const {
  const GroupId g = instance_.nodes[v].group;
  PlaceTime result;
  bool known = false;
  for (std::size_t d = 0; d < device_.size(); ++d) {
    if (!device_[d][g].valid()) continue;
    if (!known) result.least = time(v, class_of(d));
    known = true;
    const double more = time(v, class_of(d)) - result.least;
    if (more != 0) result.more.push_back({device_[d][g], more});
  }
  return result;
}

double LatencyFormulation::least_time(NodeId v) const {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < table().classes().size(); ++c) {
    if (fits(instance_.nodes[v].group, c)) least = std::min(least, time(v, c));
  }
  return least == std::numeric_limits<double>::infinity() ? 0 : least;
}

// Where a node alone takes longer than the limit, its group cannot be.
void LatencyFormulation::drop_slow_classes(double limit) {
  for (std::size_t c = 0; c < table().classes().size(); ++c) {
    for (NodeId v : instance_.nodes.all()) {
      if (time(v, c) > limit) instance_.class_holds[c][instance_.nodes[v].group] = 0;
    }
  }
}

// A block takes no longer than its nodes take, the slowest way, and the transfers that touch it; the latency is at most
// the sum of all blocks.
void LatencyFormulation::find_horizon(double limit) {
  double sum = 0;
  for (NodeId v : instance_.nodes.all()) {
    double most = 0;
    for (std::size_t c = 0; c < table().classes().size(); ++c) most = std::max(most, time(v, c));
    sum += most;
  }
  for (const Transfer& transfer : transfers_) {
    double most = 0;
    for (std::size_t c = 0; c < table().accelerator_classes(); ++c)
      most = std::max(most, table().classes()[c].link.price(transfer.cost));
    sum += most / time_unit_ * static_cast<double>(1 + transfer.consumers.size());
  }
  horizon_ = std::min(limit, sum);
}

void LatencyFormulation::find_windows() {
  head_.assign(instance_.size(), 0);
  tail_.assign(instance_.size(), 0);
  for (NodeId v : instance_.order) {
    for (NodeId u : instance_.predecessors[v]) head_[v] = std::max(head_[v], head_[u]);
    head_[v] += least_time(v);
  }
  for (auto v = instance_.order.rbegin(); v != instance_.order.rend(); ++v) {
    for (NodeId w : instance_.successors[*v]) tail_[*v] = std::max(tail_[*v], tail_[w] + least_time(w));
  }
}

void LatencyFormulation::choose_devices() {
  for (std::size_t c = 0; c < table().classes().size(); ++c) {
    const DeviceTable::Class& some = table().classes()[c];
    const bool all_alike = some.host && instance_.total_memory <= some.memory;
    for (std::size_t i = 0; i < (all_alike ? 1 : some.count); ++i) device_number_.push_back(DeviceId(some.first + i));
  }
}

void LatencyFormulation::add_devices() {
  choose_devices();
  device_.assign(device_number_.size(), IdVector<GroupId, ColumnId>(instance_.group_count()));
  on_host_.resize(instance_.group_count());
  for (GroupId g : on_host_.all()) {
    Terms once;
    for (std::size_t d = 0; d < device_.size(); ++d) {
      if (!fits(g, class_of(d))) continue;
      device_[d][g] = model_.add_column({fmt::format("x_{}_{}", g.index(), device_name(d)), 0, 1, 0, true});
      once.push_back({device_[d][g], 1});
      if (is_host(d)) on_host_[g].push_back({device_[d][g], 1});
    }
    model_.add_row(fmt::format("once_{}", g.index()), 1, std::move(once), 1);
  }
}

std::string LatencyFormulation::device_name(std::size_t d) const {
  return is_host(d) ? fmt::format("h{}", d - accelerators()) : fmt::format("a{}", d);
}

void LatencyFormulation::add_memory() {
  for (std::size_t d = 0; d < device_.size(); ++d) {
    std::vector<MemoryTerms> held;
    for (GroupId g : device_[d].all()) {
      if (device_[d][g].valid()) held.push_back({instance_.group(g).memory, {{device_[d][g], 1}}});
    }
    add_memory_row(model_, "memory_" + device_name(d), table().classes()[class_of(d)].memory, held);
  }
}

void LatencyFormulation::add_node_times() {
  done_.resize(instance_.size());
  for (NodeId v : done_.all()) {
    done_[v] = model_.add_column({fmt::format("done_{}", v.index()), head_[v], std::max(head_[v], horizon_)});
    if (instance_.successors[v].empty()) {
      model_.add_at_least(fmt::format("latency_{}", v.index()), {{latency_, 1}, {done_[v], -1}}, 0);
    }
  }
  for (NodeId v : done_.all()) {
    const LatencyNode& node = instance_.nodes[v];
    for (NodeId u : instance_.predecessors[v]) {
      Terms row{{done_[v], 1}, {done_[u], -1}};
      for (std::size_t d = accelerators(); d < device_.size(); ++d)
        push_if_valid(row, device_[d][node.group], -time(v, class_of(d)));
      model_.add_at_least(fmt::format("after_{}_{}", u.index(), v.index()), std::move(row), 0);
    }
  }
}

void LatencyFormulation::add_seats(bool backward) {
  std::size_t nodes = 0;
  for (const LatencyNode& node : instance_.nodes) nodes += node.backward == backward;
  if (nodes == 0 || accelerators() == 0) return;
  const bool by_number = seats_are_accelerators(backward);
  const std::size_t rounds =
      by_number ? accelerators() : std::min(accelerators() * static_cast<std::size_t>(instance_.subgraphs), nodes);
  const std::size_t classes = table().accelerator_classes();
  Seats& seats = seats_[backward ? 1 : 0];
  for (std::size_t s = 0; s < rounds * classes; ++s) {
    Seat& seat = seats.emplace_back();
    seat.backward = backward;
    seat.round = s / classes;
    seat.device_class = s % classes;
    seat.name = by_number ? device_name(s) : fmt::format("{}{}", backward ? 'b' : 'f', seat.round);
    if (classes > 1) seat.name += fmt::format("c{}", seat.device_class);
    seat.holds.resize(instance_.size());
    for (NodeId v : instance_.nodes.all()) {
      const LatencyNode& node = instance_.nodes[v];
      if (node.backward != backward || !fits(node.group, seat.device_class)) continue;
      seat.holds[v] = by_number ? device_[s][node.group]
                                : model_.add_column({fmt::format("y_{}_{}", v.index(), seat.name), 0, 1, 0, true});
    }
  }
  if (by_number) {
    fill_from_the_end(seats);
  } else {
    add_owners(seats);
  }
  add_order(seats);
  for (Seat& seat : seats) add_transfers(seat);
  add_seat_times(seats);
}

void LatencyFormulation::fill_from_the_end(Seats& seats) {
  for (std::size_t s = 0; s + 1 < seats.size(); ++s) {
    Seat& seat = seats[s];
    seat.used = model_.add_column({"used_" + seat.name, 0, 1});
    Terms next{{seat.used, 1}};
    std::set<ColumnId> seen;  // groups with several nodes
    for (NodeId v : instance_.nodes.all()) {
      if (!seat.holds[v].valid() || !seen.insert(seat.holds[v]).second) continue;
      model_.add_at_most(fmt::format("use_{}_{}", v.index(), seat.name), {{seat.holds[v], 1}, {seat.used, -1}}, 0);
      next.push_back({seats[s + 1].holds[v], -1});
    }
    model_.add_at_most("fill_" + seat.name, std::move(next), 0);
  }
}

void LatencyFormulation::add_owners(Seats& seats) {
  const bool backward = seats[0].backward;
  std::vector<Terms> owned(accelerators());
  Terms round, round_before;
  for (std::size_t s = 0; s < seats.size(); ++s) {
    add_owners_of(seats[s], round, owned);
    if (s + 1 < seats.size() && seats[s + 1].round == seats[s].round) continue;
    if (seats[s].round > 0) {
      append(round_before, round, -1);
      model_.add_at_most("fill_" + seats[s].name, std::move(round_before), 0);
    }
    round_before = round;
    model_.add_at_most("run_" + seats[s].name, std::exchange(round, {}), 1);
  }
  for (std::size_t i = 0; i < accelerators(); ++i) {
    model_.add_at_most(fmt::format("most_{}_{}", backward ? 'b' : 'f', device_name(i)), std::move(owned[i]),
                       instance_.subgraphs);
  }
  for (NodeId v : instance_.nodes.all()) {
    if (instance_.nodes[v].backward != backward) continue;
    // What it takes on seats of a class is on accelerators of that class.
    for (std::size_t c = 0; c < table().accelerator_classes(); ++c) {
      if (!fits(instance_.nodes[v].group, c)) continue;
      Terms row;
      for (const Seat& seat : seats) {
        if (seat.device_class == c) row.push_back({seat.holds[v], 1});
      }
      const DeviceTable::Class& equals = table().classes()[c];
      for (std::size_t i = equals.first; i < equals.first + equals.count; ++i)
        row.push_back({device_[i][instance_.nodes[v].group], -1});
      model_.add_row(fmt::format("seated_{}_{}", v.index(), c), 0, std::move(row), 0);
    }
  }
}

// Who may run the seat, added to what the round and each accelerator run; and what it holds is there.
void LatencyFormulation::add_owners_of(Seat& seat, Terms& round, std::vector<Terms>& owned) {
  const DeviceTable::Class& equals = table().classes()[seat.device_class];
  seat.owner.resize(accelerators());
  Terms mine;
  for (std::size_t i = equals.first; i < equals.first + equals.count; ++i) {
    if (seat.backward == first_is_backward_ && i - equals.first > seat.round) continue;
    seat.owner[i] = model_.add_column({fmt::format("owner_{}_{}", seat.name, device_name(i)), 0, 1, 0, true});
    mine.push_back({seat.owner[i], 1});
    owned[i].push_back({seat.owner[i], 1});
    for (NodeId v : seat.holds.all()) {
      if (!seat.holds[v].valid()) continue;
      model_.add_at_most(fmt::format("there_{}_{}_{}", v.index(), seat.name, device_name(i)),
                         {{seat.holds[v], 1}, {seat.owner[i], 1}, {device_[i][instance_.nodes[v].group], -1}}, 1);
    }
  }
  for (NodeId v : seat.holds.all()) {
    if (!seat.holds[v].valid()) continue;
    Terms row{{seat.holds[v], 1}};
    append(row, mine, -1);
    model_.add_at_most(fmt::format("run_{}_{}", v.index(), seat.name), std::move(row), 0);
  }
  append(round, mine);
}

void LatencyFormulation::add_order(Seats& seats) {
  for (std::size_t s = 0; s < seats.size(); ++s) {
    Seat& seat = seats[s];
    seat.before.resize(instance_.size());
    for (NodeId v : instance_.nodes.all()) {
      if (instance_.nodes[v].backward != seat.backward) continue;
      seat.before[v] = model_.add_column({fmt::format("before_{}_{}", v.index(), seat.name), 0, 1});
      if (s > 0) {
        Terms row{{seats[s - 1].before[v], 1}, {seat.before[v], -1}};
        push_if_valid(row, seats[s - 1].holds[v], 1);
        model_.add_at_most(fmt::format("grows_{}_{}", v.index(), seat.name), std::move(row), 0);
      }
      if (s + 1 == seats.size() && seat.holds[v].valid()) {
        model_.add_at_most(fmt::format("ends_{}_{}", v.index(), seat.name), {{seat.before[v], 1}, {seat.holds[v], 1}},
                           1);
      }
    }
    for (NodeId u : instance_.nodes.all()) {
      for (NodeId v : instance_.successors[u]) {
        if (!seat.before[u].valid() || !seat.before[v].valid()) continue;
        Terms row{{seat.before[v], 1}, {seat.before[u], -1}};
        model_.add_at_most(fmt::format("before_{}_{}_{}", u.index(), v.index(), seat.name), row, 0);
        push_if_valid(row, seat.holds[v], 1);
        push_if_valid(row, seat.holds[u], -1);
        model_.add_at_most(fmt::format("until_{}_{}_{}", u.index(), v.index(), seat.name), std::move(row), 0);
      }
    }
  }
}

void LatencyFormulation::add_transfers(Seat& seat) {
  seat.in.resize(transfers_.size());
  seat.out.resize(transfers_.size());
  for (std::size_t e = 0; e < transfers_.size(); ++e) {
    const Transfer& transfer = transfers_[e];
    const ColumnId producer = seat.holds[transfer.producer];
    std::vector<ColumnId> here;
    for (NodeId v : transfer.consumers) {
      if (seat.holds[v].valid()) here.push_back(seat.holds[v]);
    }
    const auto add = [&](const char* way, double sign) {
      const ColumnId column = model_.add_column({fmt::format("{}_{}_{}", way, e, seat.name), 0, 1});
      for (std::size_t i = 0; i < here.size(); ++i) {
        Terms row{{column, 1}, {here[i], -sign}};
        push_if_valid(row, producer, sign);
        model_.add_at_least(fmt::format("{}_{}_{}_{}", way, e, i, seat.name), std::move(row), 0);
      }
      return column;
    };
    if (!here.empty()) seat.in[e] = here.size() == 1 && !producer.valid() ? here[0] : add("in", 1);
    if (producer.valid() && transfer.cost > 0) {
      const bool always = here.size() < transfer.consumers.size();  // some consumer cannot be here
      seat.out[e] = always ? producer : add("out", -1);
    }
  }
}

void LatencyFormulation::add_seat_times(Seats& seats) {
  for (std::size_t s = 0; s < seats.size(); ++s) {
    Seat& seat = seats[s];
    seat.start = model_.add_column({"start_" + seat.name, 0, horizon_});
    seat.finish = model_.add_column({"finish_" + seat.name, 0, horizon_});
    Terms lasts{{seat.finish, 1}, {seat.start, -1}};
    for (NodeId v : instance_.nodes.all()) {
      if (!seat.holds[v].valid()) continue;
      lasts.push_back({seat.holds[v], -time(v, seat.device_class)});
      const double most = std::max(horizon_ - head_[v], kLeastSlack * horizon_);
      model_.add_at_least(fmt::format("done_{}_{}", v.index(), seat.name),
                          {{done_[v], 1}, {seat.finish, -1}, {seat.holds[v], -most}}, -most);
    }
    for (std::size_t e = 0; e < transfers_.size(); ++e) {
      const Transfer& transfer = transfers_[e];
      push_if_valid(lasts, seat.in[e], -paid(seat, transfer));
      push_if_valid(lasts, seat.out[e], -paid(seat, transfer));
      if (!seat.in[e].valid()) continue;
      model_.add_at_least(fmt::format("needs_{}_{}", e, seat.name),
                          {{seat.start, 1}, {done_[transfer.producer], -1}, {seat.in[e], -horizon_}}, -horizon_);
    }
    model_.add_at_least("lasts_" + seat.name, std::move(lasts), 0);
    if (s > 0) model_.add_at_least("by_start_" + seat.name, {{seat.start, 1}, {seats[s - 1].start, -1}}, 0);
  }
}

void LatencyFormulation::add_running_order() {
  const auto add = [&](std::size_t s, const Seat& earlier, std::size_t t, const Seat& later) {
    for (std::size_t i = 0; i < accelerators(); ++i) {
      Terms row{{later.start, 1}, {earlier.finish, -1}};
      double lower = 0;
      const auto only_if_owned = [&](std::size_t number, const Seat& seat) {
        if (seat.owner.empty()) return number == i;
        if (!seat.owner[i].valid()) return false;
        row.push_back({seat.owner[i], -horizon_});
        lower -= horizon_;
        return true;
      };
      if (!only_if_owned(s, earlier) || !only_if_owned(t, later)) continue;
      model_.add_at_least(fmt::format("next_{}_{}_{}", earlier.name, later.name, device_name(i)), std::move(row),
                          lower);
    }
  };
  const auto& [forward, backward] = seats_;
  for (const Seats& seats : seats_) {
    for (std::size_t t = 0; t < seats.size(); ++t) {
      for (std::size_t s = 0; s < t; ++s) add(s, seats[s], t, seats[t]);
    }
  }
  for (std::size_t t = 0; t < backward.size(); ++t) {
    for (std::size_t s = 0; s < forward.size(); ++s) add(s, forward[s], t, backward[t]);
  }
}

void LatencyFormulation::add_progress() {
  computed_.resize(instance_.size());
  for (NodeId v : computed_.all()) {
    computed_[v] =
        model_.add_column({fmt::format("computed_{}", v.index()), head_[v], std::max(head_[v], horizon_ - tail_[v])});
    model_.add_at_least(fmt::format("written_{}", v.index()), {{done_[v], 1}, {computed_[v], -1}}, 0);
  }
  const auto least_paid = [&](const Transfer& transfer) {
    double least = accelerators() == 0 ? 0 : kNoLimit;
    for (std::size_t c = 0; c < table().accelerator_classes(); ++c)
      least = std::min(least, table().classes()[c].link.price(transfer.cost) / time_unit_);
    return least;
  };
  IdVector<NodeId, std::vector<std::size_t>> read(instance_.size());
  for (std::size_t e = 0; e < transfers_.size(); ++e) {
    for (NodeId v : transfers_[e].consumers) read[v].push_back(e);
  }
  for (NodeId v : instance_.order) {
    if (read[v].empty()) add_step(NodeId(), v, {}, "alone");
    for (std::size_t e : read[v]) {
      const Transfer& transfer = transfers_[e];
      const NodeId u = transfer.producer;
      if (transfer.consumers.size() == 1) {
        Terms moved;
        for (const Seats& seats : seats_) {
          for (const Seat& seat : seats) {
            push_if_valid(moved, seat.in[e], paid(seat, transfer));
            push_if_valid(moved, seat.out[e], paid(seat, transfer));
          }
        }
        add_step(u, v, std::move(moved), fmt::format("{}", e));
        continue;
      }
      // in and out may be those of other consumers. What moves between the kinds of devices is certain.
      for (const double sign : {1.0, -1.0}) {
        Terms moved;
        append(moved, on_host_[instance_.nodes[u].group], sign * least_paid(transfer));
        append(moved, on_host_[instance_.nodes[v].group], -sign * least_paid(transfer));
        add_step(u, v, std::move(moved), fmt::format("{}_{}", e, sign > 0 ? "in" : "out"));
      }
    }
  }
}

void LatencyFormulation::add_step(NodeId u, NodeId v, Terms moved, const std::string& name) {
  PlaceTime time = place_time(v);
  append(time.more, moved);
  Terms row{{computed_[v], 1}};
  if (u.valid()) row.push_back({computed_[u], -1});
  append(row, time.more, -1);
  model_.add_at_least(fmt::format("computed_{}_{}", v.index(), name), std::move(row), time.least);
  steps_.push_back({u, v, std::move(time)});
}

}  // namespace partita::detail
