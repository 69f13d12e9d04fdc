// SPDX-License-Identifier: Apache-2.0
// The least boundary cost of the ideals that hold a given amount of work, and which of them still matter.
//
// The ideals are the paths of IdealStates. Those that are in the same state after t decisions, and hold nearly the same
// work, share a label: the least charge of any of them, and the range of work that they hold exactly. Which share one is
// told by rounded work: with P(t) the work of the first t groups and b the bucket, group t counts as
// floor(P(t+1) / b) - floor(P(t) / b) buckets. That telescopes, so a run of groups that are in together is off by one
// bucket at most, not by one for each. (Merging near ranges instead drifted to ranges of 27 % of the limit.) Nothing but
// precision depends on it: for each ideal there is a label in the last layer with its work in range and a cost at most
// the ideal's. Charges stop at limit + 1: no accelerator pays that, but next to a host or to a stage too short for the
// class such an ideal may be a boundary, so its label must stay.
//
// Backwards, from the room of each label of the last layer (the most that its ideals may pay, boundary_chain.h), come
// rooms of all labels: the most that a path may have been charged so far, so that some way to the end still keeps to the
// room there. An ideal all of whose boundary costs are beyond their rooms is no boundary of any split within the limit.
// So is one that, in a coarser run over the same states, was in a label without room for what it was charged. That is
// how a finer run stays small: it follows only what the coarser one left.
#pragma once

#include <vector>

#include "partita/reduce/boundary/ideal_states.h"
#include "partita/util/union_find.h"

namespace partita::detail {

struct ProfileLabel {
  static constexpr std::int32_t kNone = -1;

  Whole cost = 0;                              // the least charge so far
  Whole least = 0, most = 0;                   // work, exactly
  Whole room = -1;                             // the most charge so far with which there is a way on; set by find_rooms
  std::int32_t position = 0;                   // rounded work, in buckets
  std::int32_t if_in = kNone, if_out = kNone;  // of the next layer
};

// The labels of a run that have room, as a finer run looks at them.
class ProfileGuide {
 public:
  bool empty() const { return layers_.empty(); }
  // May an ideal with work in this range, charged so much so far, be a boundary?
  bool leaves(std::size_t layer, std::size_t state, Whole least, Whole most, Whole cost) const;

 private:
  friend class Profile;
  struct Label {
    Whole least, most, room;
    std::int32_t position;
  };
  struct Layer {
    std::vector<std::size_t> first;  // by state, and the end
    std::vector<Label> labels;       // by position within a state
    Whole error = 0;                 // how far work may be from position * bucket
  };
  Whole bucket_ = 1;
  std::vector<Layer> layers_;
};

class Profile {
 public:
  // Runs forward. Made of more than `most_labels`, it is not complete, and of no use. Throws OutOfTime.
  Profile(const StageGraph& graph, const WholeWeights& weights, const IdealStates& states, Whole bucket,
          const ProfileGuide& guide, std::size_t most_labels, TimeWatch& watch);

  bool complete() const { return complete_; }
  std::size_t label_count() const { return label_count_; }
  // Of all ideals, the empty and the whole set among them.
  const std::vector<ProfileLabel>& ends() const { return layers_.back().labels; }

  // Runs backward; room_of(label) is the room of a label of the last layer, kMostWhole for no limit.
  template <class RoomOf>
  void find_rooms(RoomOf room_of) {
    for (ProfileLabel& label : layers_.back().labels) label.room = room_of(label);
    spread_rooms();
  }

  // After find_rooms. Joins the ends of each edge that no ideal within its room has between them.
  std::size_t join_never_cut(UnionFind<GroupId>& merge) const;
  ProfileGuide guide() const;

 private:
  struct Layer {
    std::vector<std::size_t> first;  // by state, and the end
    std::vector<ProfileLabel> labels;
  };

  void decide(std::size_t t, const ProfileGuide& guide);
  void spread_rooms();

  const StageGraph& graph_;
  const WholeWeights& weights_;
  const IdealStates& states_;
  const Whole bucket_;
  const std::size_t most_labels_;
  TimeWatch& watch_;
  std::vector<std::int32_t> buckets_of_;  // by decision: rounded work of its group
  std::vector<Layer> layers_;
  std::size_t label_count_ = 1;
  bool complete_ = false;
};

}  // namespace partita::detail
