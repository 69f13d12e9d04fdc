// SPDX-License-Identifier: Apache-2.0
// Groups vanish into their nets, so that no load becomes larger. shrink.h says which groups and what for.
//
// Times x and costs c change, and so does who is in which net; what is asked of every step is
//     for every set S of groups:  x(S) + cost of the nets that S cuts  is no larger than before,
// where S loses the group that vanished, if it had it. Net by net, in the words of net_graph.h:
//
// *Split.* A net of cost a + b is two nets with the same members, of cost a and of cost b.
// *Shift.* For v and h in a net e and t <= c(e), x(v): x(v) -= t, x(h) += t, c(e) -= t. Proof: S holds both or neither:
//   the work is the same, and no net is dearer. S holds only h: t more work, but S cuts e, which costs t less. S holds
//   only v: t less, twice.
// *Drop.* v leaves its net e. Proof: a set that cuts e - v cuts e, with v and without.
// *Link.* v with x(v) = 0 and nets a, b of v that both cost at least m: each costs m less, and a new net of cost m has the
//   members of both but v. Proof: S, without v, cuts the link, so it holds some member of it and lacks another. Without v
//   in S, a net is cut that has the one; with v, a net that has the other. Either cost m.
// As if every device had a copy of v that hands on from a to b. Nothing asks who produces and who consumes, and after
// several links v drops what is left of its nets.
//
// *Which links.* Nets that share other members say much the same of v; they are a *branch*, which costs what they do
// together. Lay the branches side by side on a line, each as long as it costs, in the order of the groups that they lead
// to; if one is longer than all others together, cut it to that. Then link each point of the line with the one that is
// half the line further on. Whatever lies within a half of the line is linked with what lies outside: so a set that holds
// the branches of one stretch of the line, and no other, pays for all it did, min(stretch, rest), with v on its better
// side. Stages are such sets, mostly: what precedes comes first. One net that covers the others, as that of a tensor does
// the nets of its parts, is linked with each of them. A sum of two tensors of one size has links of half a net's cost
// between each two of the three. And of a row of sums, in which the gradient of a tensor grows, each stage that adds to
// it is linked with the next but one: a stage in the middle of the row pays for both of its ends, as it does for the
// partial sum that comes and the one that goes. (One net of all stages would be paid once. Links of neighbours would be,
// too.) What dozens of rows leave between two stages is one net.
//
// *Shares.* A tensor has parts, each of which is added to a row of its own: its net e leads to some groups that stay and
// to many that will vanish, of which each could use it all. Taken one after the other, the first would use it up, and the
// others would be linked with the first ones: rows get mixed, graphs wide, and a stage that splits them pays next to
// nothing. So where the other nets of v cost little against e, v uses its share of e alone, by what the others' other
// nets cost, and links lead to those of e that stay. That is a link and drops. Where v can use most of e, a copy of the
// same tensor as a rule, it may: what it leaves leads to all others.
// [DenseNet-201, training, floaters of up to 1 %: loads of the best split known, 8.19 8.17 8.04 7.92, are 7.91 8.16 7.77 7.86
// without shares and 8.17 8.16 8.01 7.90 with them. With the sums of the spine gone too, a trellis has 6,500 states
// where it had more than four million.]
//
// Half a dozen links for each sum are many, though, and where branches lie side by side a trellis gets wide. So one may
// ask for *narrow* graphs: then one net of v is linked with the others as far as it goes, nothing is shared, and the rest
// is lost. [moe-8x8-training: 0.7 instead of 2 million states.]
//
// Every sum is rounded down (round_down.h), so the inequality holds of the very numbers that are stored. Hosts pay
// neither nets nor accelerator times, so for them nothing changes but that v is gone. With several classes of
// accelerators, it holds for each of them (shrink_weights.h).
// Cost: O(pins of the nets of v) for each v. Tests: tests/reduce/shrink_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "partita/reduce/shrink_weights.h"
#include "partita/reduce/stage_graph.h"

namespace partita::detail {

// What was done, in the order of doing it: for certificates, which make the same graph again. Nets are named by their
// members of the moment but for the group that vanishes; costs are those of one class of devices.
struct ShrinkLog {
  struct Removal {
    struct Shift {
      std::vector<GroupId> net;
      GroupId to;
    };
    struct Link {
      std::vector<GroupId> a, b;
      double cost;
      std::vector<GroupId> without;  // members of a and b that it drops
    };
    GroupId group;
    std::vector<Shift> shifts = {};
    std::vector<Link> links = {};
  };
  static constexpr std::size_t kMostPins = 4'000'000;  // no more is removed then

  std::vector<Removal> removals;
  std::size_t pins = 0;  // in removals
};

template <class Weights>  // StageWeights or SetupWeights
class ShrinkingNetsOf {
 public:
  using Cost = typename Weights::Cost;
  struct CostlyNet {
    Cost cost;
    std::vector<GroupId> members;  // sorted
  };

  // Narrow: see above. With a log, what is done is written there; it must outlive this.
  ShrinkingNetsOf(Weights weights, bool narrow, ShrinkLog* log = nullptr);

  const Weights& weights() const { return weights_; }

  // Whether the nets of v can take all of its time: they cost as much, and lead to groups that accelerators can run.
  bool can_take_time_of(GroupId v) const;
  // Whether little more than v's own freedom is lost with it: it has three branches at most, each of which, alone or with
  // another, is a stretch of the line, or one that covers the others.
  bool loses_little(GroupId v);
  bool has_nets(GroupId v) const { return !dearest_first(v).empty(); }
  bool has_many_nets(GroupId v) const { return dearest_first(v).size() >= 3; }

  // A net of v and one other group, if it can take the time of v and all that its nets without that group cost. To go
  // there costs v nothing.
  std::optional<NetId> net_to_follow(GroupId v);
  GroupId other_of(NetId e, GroupId v) const { return nets_[e].members[nets_[e].members.front() == v]; }
  // Removes v, which goes there.
  void follow(GroupId v, NetId e);

  // Those that may be removed later: time is shifted to others, where there are any. Handed on along a row of sums of
  // gradients, it would grow with each, and each would take more from a net.
  void expect_to_go(GroupId v) { goes_[v] = 1; }
  // Shifts the time of v away, makes links, and drops what is left. What time its nets cannot take is lost.
  void remove(GroupId v);

  // What is left, with new ids. Some may have the same members.
  std::vector<CostlyNet> nets(const Lift& lift) const;

 private:
  // What v may use of a net, and whom it is linked with there.
  struct Use {
    NetId net;
    double share;                // of the cost
    std::vector<GroupId> leads;  // sorted
  };
  struct Branch {
    std::vector<Use> uses;
    double place;
  };

  bool counts(const CostlyNet& net) const { return weights_.size(net.cost) > 0 && net.members.size() >= 2; }
  void join_equal_nets_of(GroupId v);
  void shift_time_of(GroupId v);
  void shift_along(GroupId v, NetId e, GroupId to);
  GroupId nearest_in_net(GroupId v, NetId e) const;
  std::vector<NetId> dearest_first(GroupId v) const;
  Use use_of(GroupId v, NetId e) const;
  double other_costs(GroupId v, NetId e) const;
  double cost_of(const Use& use, std::size_t part) const;
  std::vector<Branch> branches_of(GroupId v);
  void link(GroupId v, const std::vector<Branch>& branches, std::size_t part);
  void link_bridge(GroupId v);
  void link_with(GroupId v, NetId bridge);
  void leave_nets(GroupId v);
  void link_two(GroupId v, const Use& a, const Use& b, double length, std::size_t part);
  void add(const Cost& cost, const std::vector<GroupId>& members);
  std::vector<GroupId> others_of(NetId e, GroupId v);

  Weights weights_;
  const bool narrow_;
  ShrinkLog* const log_;
  IdVector<NetId, CostlyNet> nets_;  // one that vanished has no members
  IdVector<GroupId, std::vector<NetId>> nets_of_;
  IdVector<GroupId, double> shared_;  // by group, while a time is shifted: cost of the nets shared with what vanishes
  IdVector<GroupId, NetId> first_with_;  // while branches are made
  IdVector<GroupId, char> goes_;
};

using ShrinkingNets = ShrinkingNetsOf<StageWeights>;

// Nets that became equal are one; what they cost together is rounded down.
std::vector<Net> joined_nets(std::vector<Net> nets);

}  // namespace partita::detail
