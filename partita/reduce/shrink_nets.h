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
// *Drop.* v with x(v) = 0 leaves its net e. Proof: a set that cuts e - v cuts e, with v and without.
// *Clone.* v with x(v) = 0 leaves all nets; one net e, with K = e - v, is the bridge: K joins others e_1, e_2, ... which
//   cost no more than e in total, and e vanishes. As if every device had a copy of v. Proof for S without v, from S: if S
//   now cuts e_i + K - v, then either S held some of e_i, and cut e_i, for v was outside; or S holds some of K, and cut
//   e, whose cost covers all such e_i together. From S + v: either S lacks some of e_i - v, and S + v cut e_i; or it
//   lacks some of K, and S + v cut e, whose cost covers all such e_i together.
// Nothing asks that K follow v, so the bridge may lead to producers or to consumers. A dearer e_i is split first: the
// part that fits is extended, the rest drops v. So is a dearer e: what no other net needs drops v.
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
// members of the moment but for the group that vanishes.
struct ShrinkLog {
  struct Removal {
    struct Shift {
      std::vector<GroupId> net;
      GroupId to;
    };
    GroupId group;
    std::vector<Shift> shifts;
    std::vector<GroupId> bridge;             // empty: none
    std::vector<std::vector<GroupId>> into;  // nets that the other members of the bridge join
  };
  // A net that is left, by members of the large graph, sorted, and the net of the large graph that it was.
  struct Origin {
    std::vector<GroupId> members;
    NetId net;
  };
  static constexpr std::size_t kMostPins = 4'000'000;  // no more is removed then

  std::vector<Removal> removals;
  std::vector<Origin> origins;
  std::size_t pins = 0;  // in removals
};

template <class Weights>  // StageWeights or SetupWeights
class ShrinkingNetsOf {
 public:
  using Cost = typename Weights::Cost;
  struct CostlyNet {
    Cost cost;
    std::vector<GroupId> members;
  };

  // With a log, what is done is written there; it must outlive this.
  explicit ShrinkingNetsOf(Weights weights, ShrinkLog* log = nullptr);

  const Weights& weights() const { return weights_; }

  // Whether the nets of v can take all of its time: they cost as much, and lead to groups that accelerators can run.
  bool can_take_time_of(GroupId v) const;
  // Whether some net of v costs as much as its others together, so that a clone loses no more than v's own freedom.
  bool can_clone(GroupId v) const { return covering_bridge(v).has_value(); }
  bool has_nets(GroupId v) const { return !dearest_first(v).empty(); }

  // Shifts the time of v away, then clones it or drops it. What time its nets cannot take is lost.
  void remove(GroupId v);

  // What is left, with new ids. Some may have the same members.
  std::vector<CostlyNet> nets(const Lift& lift) const;
  std::vector<ShrinkLog::Origin> origins() const;

 private:
  bool counts(const CostlyNet& net) const { return weights_.size(net.cost) > 0 && net.members.size() >= 2; }
  void shift_time_of(GroupId v);
  GroupId nearest_in_net(GroupId v, NetId e) const;
  std::optional<NetId> covering_bridge(GroupId v) const;
  std::optional<NetId> bridge(GroupId v) const;
  void clone(GroupId v, NetId bridge);
  void leave(NetId e, GroupId v) { std::erase(nets_[e].members, v); }
  void join(NetId e, const std::vector<GroupId>& groups);
  NetId add(const Cost& cost, const std::vector<GroupId>& members, NetId origin);
  std::vector<GroupId> others(NetId e, GroupId v);
  std::vector<NetId> dearest_first(GroupId v) const;

  Weights weights_;
  ShrinkLog* const log_;
  IdVector<NetId, NetId> origin_;
  IdVector<NetId, CostlyNet> nets_;  // one that vanished has no members
  IdVector<GroupId, std::vector<NetId>> nets_of_;
  IdVector<GroupId, double> shared_;  // by group, while a time is shifted: cost of the nets shared with what vanishes
};

using ShrinkingNets = ShrinkingNetsOf<StageWeights>;

// Nets that became equal are one; what they cost together is rounded down.
std::vector<Net> joined_nets(std::vector<Net> nets);

}  // namespace partita::detail
