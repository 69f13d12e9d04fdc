// SPDX-License-Identifier: Apache-2.0
// Lower bounds on the latency, better and better.
//
// First a spine (spine_bound.h), which is quick, then the labels of all splits (latency_labels.h). Then, once there is
// a split, the question whether there is a better one: sweeps forward and backward in turns, each with the other's
// labels and the value as its limit. Where an edge cannot be cut, its ends share an accelerator; where labels leave a
// node no time on a host, its group is on an accelerator. Both make the next sweep stronger, and the spine, which is
// followed again with them and may add some of its own. Where nothing moves any more, branches are packed into blocks
// (packing_bound.h); labels that look at edges two by two (pair_times.h) are slow, and wait until they are asked for.
// When nothing is left, or a group fits nowhere, the split is optimal; when nothing changes any more, this bound can do
// no more.
//
// Tolls count accelerators in labels. There are at most b blocks on accelerators, b the number of accelerators (times
// the passes and the subgraphs in one), so for every toll >= 0
//     latency >= (latency + toll * number of blocks) - toll * b,
// and labels bound the bracket, as far as blocks lie on one path, if each block pays the toll on top of its load. A
// toll is looked for that gives much; what is learned with one toll about splits below the limit holds for all. Labels
// that look at several edges know of blocks beside the path, too, so once they are asked for, smaller tolls are looked
// for (toll_search.h).
//
// Sweeps with different tolls need nothing of each other, so several threads have several of them under way: the next
// few tolls are tried at once, and the toll that is kept goes on beside none. What one teaches the next ones know.
//
// Tests: tests/solve/latency_bound_test.cpp.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "partita/model/settings/latency.h"
#include "partita/solve/latency/latency_labels.h"
#include "partita/solve/latency/packing_bound.h"
#include "partita/solve/latency/spine_bound.h"
#include "partita/solve/latency/toll_search.h"

namespace partita::detail {

class LatencyBound {
 public:
  // The instance must outlive it, and so must the budget that its slices are of.
  explicit LatencyBound(const LatencyInstance& instance, const Budget* budget = nullptr,
                        const LatencySettings& settings = {});

  // Works until the slice ends or nothing is left to do. `value` is the latency of the best split known, or infinite.
  // True if the bound got better. Throws OutOfTime, and must not be asked any more then.
  bool improve(double value, Budget& slice);

  double bound() const { return bound_; }  // infinite if there is no split at all
  const char* proof() const { return proof_; }
  // Nothing can be gained by going on, unless a better split becomes known.
  bool finished() const { return finished_; }
  // From now on labels look at edges two by two (pair_times.h). True if that is new: then it is not finished any more.
  bool look_at_pairs();
  // There is no split to compare with, and nothing to do without.
  bool waiting() const { return !finished_ && needs_limit() && limit_ == kNoLimit && !under_way(); }
  // Blocks that the spine followed last would like to see (spine_bound.h), and those that labels of several edges speak
  // of (label_blocks.h); once, then nothing until there are others.
  using Blocks = std::vector<std::vector<NodeId>>;
  std::vector<Blocks> take_suggestions() { return std::exchange(suggestions_, {}); }
  // What is known of splits below the value given last; for branching.
  const LatencyFacts& facts() const { return facts_; }

 private:
  // The sweeps with one toll.
  struct Track {
    double toll = 0;
    EdgeLabels labels[2];  // forward, reversed
    int direction = 0;     // of the next sweep
    int idle = 0;          // sweeps in a row that taught nothing
  };
  struct Sweep {
    std::size_t track;
    std::unique_ptr<LatencyLabels> labels;
    bool ended = false;
    Blocks blocks = {};  // from here on once it has: what they speak of,
    double bound = 0;    // and the bound for splits without tolls
  };
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  // For all splits: spines, then labels. With a limit: looking for a toll, then for facts.
  enum class Stage { Spines, Labels, Tolls, FineTolls, Below };

  void prepare(Budget& slice);
  bool needs_limit() const { return stage_ > Stage::Labels; }
  // Labels are the stages after that of the spines.
  bool nothing_to_do() const { return tracks_.empty() || (stage_ != Stage::Spines && !settings_.labels); }
  void advance(Budget& slice);
  bool step(Budget& slice);
  bool under_way() const { return spine_ || !sweeps_.empty() || packing_; }
  std::size_t at_once() const;
  void begin();
  void begin_sweep(std::size_t track);
  bool advance_sweeps(Budget& slice);
  void end_spine();
  void end_packing();
  void end_sweeps();
  bool end_sweep(Sweep& sweep);
  void raise(double found, double tolls, const char* proof);
  void rule_all_out(const char* proof);
  bool all_idle() const;
  void next_track();
  std::size_t spine_states() const;
  bool look_closer();
  bool add_tolls();
  void end_tolls(const std::vector<Sweep>& ended);
  bool look_at_finer_tolls();
  void try_finer_tolls();
  void add_track(double toll);
  Blocks blocks_of_labels(const Sweep& sweep, Budget& slice) const;
  bool learn(const Track& track);
  void suggest(Blocks blocks);
  double tolls(const Track& track) const { return track.toll * static_cast<double>(blocks_); }

  const LatencyInstance& instance_;
  const Budget* budget_;
  const LatencySettings settings_;
  const int blocks_;  // at most so many on accelerators
  std::optional<NodeReach> reach_;
  LatencyFacts facts_;
  std::unique_ptr<BlockModel> model_;
  bool facts_new_ = false;  // since the model was made
  Stage stage_ = Stage::Spines;
  std::vector<Track> tracks_;
  std::size_t turn_ = 0;  // the track whose sweep is next, or the first of several
  // At most one kind of them is under way. Sweeps are of different tracks.
  std::unique_ptr<SpineBound> spine_;
  std::vector<Sweep> sweeps_;
  std::unique_ptr<PackingBound> packing_;
  std::size_t spines_tried_ = 0;
  double best_by_spine_ = -1, best_neglect_ = 0;
  std::vector<Blocks> suggestions_;
  std::size_t detail_ = 0;    // of the spine
  bool pairs_ = false;        // sweeps look at edges two by two
  double without_tolls_ = 0;  // what the last forward sweep without tolls gave
  std::optional<TollSearch> finer_tolls_;
  bool spine_is_old_ = false;    // facts have been found since
  bool packing_is_old_ = true;   // labels have moved, or the limit
  bool spine_is_exact_ = false;  // more detail tells no more
  SpineBound::ToCome to_come_;   // of the spine followed last
  double best_by_toll_ = 0;
  std::size_t best_track_ = 0;
  double limit_;
  double bound_ = 0;
  const char* proof_ = "";
  bool finished_ = false;
};

}  // namespace partita::detail
