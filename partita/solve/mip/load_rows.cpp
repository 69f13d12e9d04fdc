// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/load_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace partita::detail {
namespace {

constexpr double kMemoryScale = 1000;
constexpr const char* kPassNames[kMostPasses] = {"forward", "backward"};

}  // namespace

void add_memory_row(LinearModel& model, std::string name, double limit, const std::vector<MemoryTerms>& things,
                    double negligible) {
  double total = 0;
  Terms row;
  for (const auto& [memory, held] : things) {
    if (held.empty() || memory == 0) continue;
    total += memory;
    const double factor = kMemoryScale * memory / limit;
    if (std::isfinite(factor) && factor >= negligible) append(row, held, factor);
  }
  if (total > limit) model.add_at_most(std::move(name), std::move(row), kMemoryScale);
}

LoadRows::LoadRows(const IpInstance& instance, LinearModel& model) : instance_(instance), model_(model) {
  const double limit = instance.limit;
  if (instance.objective == Objective::GPipe) {
    tops_.push_back(model.add_column({"F", 0, limit, 1}));
    if (instance.passes == 2) tops_.push_back(model.add_column({"B", 0, limit, 1}));
    // A row F + B <= limit would be stronger, but CBC 2.10.8 crashes on rows that equal the objective when it undoes
    // its preprocessing.
  } else {
    tops_.push_back(model.add_column({"T", 0, limit, 1}));
  }
}

LoadRows::PassColumns LoadRows::add_pass(const std::string& name, std::size_t pass, std::size_t number,
                                         const IdVector<GroupId, Terms>& terms, Terms& load) {
  PassColumns columns;
  Terms compute, in, out;
  for (GroupId v : terms.all()) {
    const double time = instance_.groups[v].time[number][pass];
    if (time >= instance_.negligible) append(compute, terms[v], time);
  }
  const DeviceTable::Class& device = device_class(number);
  if (device.host) {
    append(load, compute);
    return columns;
  }
  columns.in.resize(instance_.nets.size());
  columns.out.resize(instance_.nets.size());
  for (std::size_t e = 0; e < instance_.nets.size(); ++e) {
    const IpNet& net = instance_.nets[e];
    if (net.pass != pass || device.link == kPaysNothing) continue;
    const double cost = price(device.link, net.traffic);
    const bool uncut = cost > instance_.limit;
    const auto make = [&](const char* way, double sign, Terms& sum) {
      const ColumnId column = model_.add_column({fmt::format("{}_{}_{}", way, e, name), 0, uncut ? 0.0 : 1.0});
      if (!uncut && cost >= instance_.negligible) sum.push_back({column, cost});
      for (std::size_t i = 0; i < net.consumers.size(); ++i) {
        Terms row{{column, 1}};
        append(row, terms[net.consumers[i]], -sign);
        append(row, terms[net.producer], sign);
        model_.add_at_least(fmt::format("{}_{}_{}_{}", way, e, i, name), std::move(row), 0);
      }
      return column;
    };
    columns.in[e] = make("in", 1, in);
    columns.out[e] = make("out", -1, out);
  }
  if (instance_.transfers == TransferMode::Sum) {
    for (const Terms* part : {&compute, &in, &out}) append(load, *part);
    return columns;
  }
  std::vector<Terms> parts{std::move(compute), std::move(in)};
  if (instance_.transfers == TransferMode::Overlap) {
    append(parts[1], out);
  } else {
    parts.push_back(std::move(out));
  }
  columns.load = model_.add_column({fmt::format("load_{}_{}", kPassNames[pass], name)});
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Terms row{{columns.load, 1}};
    append(row, parts[i], -1);
    model_.add_at_least(fmt::format("part_{}_{}_{}", i, kPassNames[pass], name), std::move(row), 0);
  }
  load.push_back({columns.load, 1});
  return columns;
}

void LoadRows::add_seat(const std::string& name, std::size_t number, const IdVector<GroupId, Terms>& terms) {
  std::vector<MemoryTerms> things;
  for (GroupId v : terms.all()) things.push_back({instance_.groups[v].memory, terms[v]});
  add_memory_row(model_, "memory_" + name, device_class(number).memory, things, instance_.negligible);
  Seat seat{number, {}};
  std::vector<Terms> loads(tops_.size());
  for (std::size_t pass = 0; pass < instance_.passes; ++pass) {
    seat.passes.push_back(add_pass(name, pass, number, terms, loads[tops_.size() == 1 ? 0 : pass]));
  }
  for (std::size_t i = 0; i < tops_.size(); ++i) {
    Terms row{{tops_[i], 1}};
    append(row, loads[i], -1);
    model_.add_at_least(fmt::format("{}_{}", tops_.size() == 1 ? "most" : kPassNames[i], name), std::move(row), 0);
  }
  seats_.push_back(std::move(seat));
}

double LoadRows::pass_load(double compute, double in, double out) const {
  switch (instance_.transfers) {
    case TransferMode::Sum: return compute + in + out;
    case TransferMode::Overlap: return std::max(compute, in + out);
    case TransferMode::Duplex: return std::max({compute, in, out});
  }
  return 0;
}

void LoadRows::complete(const Holds& holds, std::vector<double>& x) const {
  for (ColumnId top : tops_) x[top.index()] = 0;
  for (std::size_t s = 0; s < seats_.size(); ++s) {
    const Seat& seat = seats_[s];
    const DeviceTable::Class& device = device_class(seat.device_class);
    std::vector<double> loads(tops_.size(), 0);
    for (std::size_t pass = 0; pass < instance_.passes; ++pass) {
      const PassColumns& columns = seat.passes[pass];
      double compute = 0, in = 0, out = 0;
      for (GroupId v : instance_.groups.all()) {
        if (holds(v, s)) compute += instance_.groups[v].time[seat.device_class][pass];
      }
      for (std::size_t e = 0; e < columns.in.size(); ++e) {
        if (!columns.in[e].valid()) continue;
        const IpNet& net = instance_.nets[e];
        const auto here = [&](GroupId v) { return holds(v, s); };
        const bool enters = !here(net.producer) && std::any_of(net.consumers.begin(), net.consumers.end(), here);
        const bool leaves = here(net.producer) && !std::all_of(net.consumers.begin(), net.consumers.end(), here);
        x[columns.in[e].index()] = enters;
        x[columns.out[e].index()] = leaves;
        in += enters ? price(device.link, net.traffic) : 0;
        out += leaves ? price(device.link, net.traffic) : 0;
      }
      const double load = device.host ? compute : pass_load(compute, in, out);
      if (columns.load.valid()) x[columns.load.index()] = load;
      loads[tops_.size() == 1 ? 0 : pass] += load;
    }
    for (std::size_t i = 0; i < tops_.size(); ++i) x[tops_[i].index()] = std::max(x[tops_[i].index()], loads[i]);
  }
}

}  // namespace partita::detail
