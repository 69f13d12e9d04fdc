// SPDX-License-Identifier: Apache-2.0
// Builds the layers of a trellis one group after the other (trellis.h says what they mean).
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "partita/solve/configuration/trellis_states.h"
#include "partita/util/csr.h"

namespace partita::detail {

class TrellisBuilder {
 public:
  // All arguments must outlive it. Of the nets that are narrowed already, the members that count alone are looked at.
  TrellisBuilder(const NetGraph& graph, const Scaled& scaled, const std::vector<GroupId>& order,
                 const Trellis::Size& size, const Trellis::Rules& rules, const std::vector<NarrowedNet>& before,
                 TimeWatch& watch);

  // False if there would be too many states.
  bool run();

  std::vector<Trellis::Layer> layers;
  std::vector<NarrowedNet> narrowed;  // besides those that were before
  std::vector<PointId> forgotten;

 private:
  // What is due when it is cut: a net, or a pair that has to be together. Or a pair that has to be apart.
  struct Bundle {
    Load cost = 0;
    bool apart = false;
    std::size_t first = 0, last = 0;  // places in the order of its first and last member
    int slot = -1;                    // while it is open
  };
  // A label of a point that is decided now narrows those left to an undecided neighbour of it.
  struct Push {
    std::size_t which = 0;  // of the group's points
    int slot = 0;
    bool up = false;  // to a successor
  };
  // An open net and the slots of its undecided points.
  struct Watched {
    std::size_t bundle = 0;
    std::vector<int> points;
  };

  void place(std::size_t t);
  void open_bundles(std::size_t t);
  void find_twins(std::size_t t);
  void open_points(std::size_t t);
  void relate_points();
  void watch_nets(std::size_t t);
  void close();
  void narrow();

  // From the state at hand, in the layer being made.
  void leave(std::size_t point);
  bool label_fits(std::size_t point, int label) const;
  void arrive(bool take);
  bool push_labels(StateKey& key) const;
  bool narrow_intervals(StateKey& key) const;
  Load charge_nets(StateKey& key, bool take) const;
  Load charge_forced(StateKey& key) const;
  void sort_twins(StateKey& key) const;

  void forget_nets(const std::vector<std::size_t>& bundles);
  void count_decided_alone(NetId net);
  std::vector<GroupId> decided_members(NetId net) const;
  void forget_point(PointId p);
  template <class Change>
  void merge_states(Change change);
  std::optional<std::size_t> cheapest_open() const;
  std::vector<std::size_t> cheapest_kind() const;
  bool has_points() const { return rules_.order && !rules_.order->empty(); }
  std::span<const GroupId> members(std::size_t bundle) const;

  const NetGraph& graph_;
  const Scaled& scaled_;
  const std::vector<GroupId>& order_;
  const Trellis::Size size_;
  const Trellis::Rules& rules_;
  IdVector<NetId, const NarrowedNet*> before_;  // null: all members count
  TimeWatch& watch_;

  IdVector<GroupId, std::size_t> place_of_;
  std::vector<Bundle> bundles_;  // nets, then pairs
  std::vector<std::array<GroupId, 2>> pair_members_;
  Csr<GroupId, std::size_t> bundles_of_;
  Csr<NetId, std::size_t> places_of_net_;         // of its members, rising
  std::vector<std::optional<std::size_t>> open_;  // bundles by slot

  IdVector<PointId, int> slot_of_;        // while it waits for a label
  IdVector<PointId, char> is_forgotten_;  // its order counts no more
  std::vector<std::optional<PointId>> waiting_;
  bool new_points_ = false;  // in this layer

  // Of the group at hand:
  GroupId group_;
  std::vector<std::size_t> starting_, going_on_, ending_;
  std::vector<std::vector<int>> twins_;  // slots of nets that cannot be told apart once the group is placed
  std::vector<PointId> points_;
  std::vector<int> own_slots_;                              // of its points; -1: nothing is known of one
  std::vector<std::pair<std::size_t, std::size_t>> inner_;  // a path leads from the one to the other
  std::vector<char> has_inner_, pushes_up_, pushes_down_;   // by point
  std::vector<Push> pushes_;
  std::vector<std::pair<int, int>> relations_;  // slots: a path leads from the first to the second, in that order
  std::vector<Watched> watched_;
  std::vector<int> labels_;  // of its points, as chosen so far

  StateSet states_, next_;
  std::size_t state_ = 0;      // at hand
  std::size_t first_arc_ = 0;  // of that state
  std::size_t state_count_ = 0;
};

}  // namespace partita::detail
