// SPDX-License-Identifier: Apache-2.0
// What groups and nets weigh while groups vanish into nets (shrink_nets.h): one time and one cost, or a time on each
// class of devices and traffic, which each class prices over its own link.
//
// With classes the steps are taken once for all of them; the inequality of shrink_nets.h holds for each class c that
// pays for transfers, x(c, v) being its times and price(c, e) = factor(c) amount(e) + latency(c) transfers(e):
// - A net is taken for two, of which one moves its amount and one is as many transfers; split, drop and links are made with
//   either by itself. Prices are sums of both with factors that are not negative, so what is paid for a link of an amount,
//   or of a number of transfers, is what it costs, at every price.
// - A shift takes traffic d from a net, and from v to h, in class c, min(x(c, v), price(c, d)): never more than class c
//   saves. So it is a shift in each class.
// Hosts pay for no nets, so nothing is shifted for them: they lose the time of what vanishes.
#pragma once

#include <algorithm>
#include <vector>

#include "partita/reduce/setup_instance.h"
#include "partita/reduce/stage_graph.h"
#include "partita/util/round_down.h"

namespace partita::detail {

inline double lowered(double from, double by) { return std::max(0.0, sum_rounded_down(from, -by)); }

class StageWeights {
 public:
  using Cost = double;

  explicit StageWeights(const StageGraph& graph) : graph_(graph) {
    for (GroupId v : graph.all()) time_.push_back(graph.accelerator_time(v));
  }

  const StageGraph& order() const { return graph_; }
  double time(GroupId v) const { return time_[v]; }

  template <class Add>
  void for_each_net(Add add) const {
    for (NetId e : graph_.nets()) add(graph_.cost(e), graph_.members(e));
  }

  bool has_time(GroupId v) const { return time_[v] > 0; }
  bool may_take_time(GroupId w) const { return graph_.group(w).on_accelerator; }
  // Whether nets of this cost can take all of the time of v.
  bool fits(GroupId v, double room) const { return time_[v] <= room; }
  // As much time of v goes to `to` as a net of this cost can take. Returns what the net pays.
  double shift(GroupId v, GroupId to, double cost) {
    const double part = std::min(time_[v], cost);
    time_[to] = sum_rounded_down(time_[to], part);
    time_[v] = lowered(time_[v], part);
    return part;
  }
  void forget_time(GroupId v) { time_[v] = 0; }

  static double size(double cost) { return cost; }
  static bool covers(double cost, double others) { return others <= cost; }
  static double sum(double a, double b) { return a + b; }
  static double sum_down(double a, double b) { return sum_rounded_down(a, b); }
  // Costs as numbers, of which each relaxation has to keep an inequality.
  static constexpr std::size_t kParts = 1;
  static double part(double cost, std::size_t) { return cost; }
  static double of_part(double length, std::size_t) { return length; }
  static double without(double cost, double part) { return lowered(cost, part); }

 private:
  const StageGraph& graph_;
  IdVector<GroupId, double> time_;
};

// Where loads are sums and there are no clusters.
class SetupWeights {
 public:
  using Cost = Traffic;

  SetupWeights(const SetupGraph& graph, const SetupRules& rules);

  const StageGraph& order() const { return graph_.order(); }
  double time(ClassId c, GroupId v) const { return time_[c][v]; }
  // The most that any class takes that pays for transfers.
  double most_time(GroupId v) const;

  template <class Add>
  void for_each_net(Add add) const {
    for (NetId e : graph_.nets()) add(graph_.traffic(e), graph_.members(e));
  }

  bool has_time(GroupId v) const { return most_time(v) > 0; }
  bool may_take_time(GroupId w) const { return everywhere_[w]; }  // on all classes that pay
  bool fits(GroupId v, const Traffic& room) const;
  Traffic shift(GroupId v, GroupId to, const Traffic& cost);
  void forget_time(GroupId v);

  double size(const Traffic& cost) const { return price(dearest_, cost); }
  static bool covers(const Traffic& cost, const Traffic& others) {
    return others.amount <= cost.amount && others.transfers <= cost.transfers;
  }
  static Traffic sum(Traffic a, const Traffic& b) {
    a.add(b);
    return a;
  }
  static Traffic sum_down(const Traffic& a, const Traffic& b) {
    return {sum_rounded_down(a.amount, b.amount), sum_rounded_down(a.transfers, b.transfers)};
  }
  static constexpr std::size_t kParts = 2;
  static double part(const Traffic& cost, std::size_t i) { return i == 0 ? cost.amount : cost.transfers; }
  static Traffic of_part(double length, std::size_t i) { return i == 0 ? Traffic{length, 0} : Traffic{0, length}; }
  static Traffic without(const Traffic& cost, const Traffic& part) {
    return {lowered(cost.amount, part.amount), lowered(cost.transfers, part.transfers)};
  }

 private:
  const SetupGraph& graph_;
  IdVector<ClassId, Link> link_;
  std::vector<ClassId> paying_;
  Link dearest_ = kPaysNothing;
  IdVector<GroupId, char> everywhere_;
  IdVector<ClassId, IdVector<GroupId, double>> time_;  // nothing where it cannot run
};

}  // namespace partita::detail
