// SPDX-License-Identifier: Apache-2.0
// The dynamic program over ideals for stages that can run in several ways, as a question: can a cluster hold the
// segment with every load at most a limit?
//
// Ideals are met in the order of their size. Each carries the set of device vectors that can hold it (device_counts.h),
// and hands it on: to every ideal that one more stage reaches (stage_walk.h), with the stage's devices added; and,
// where there are clusters inside, to every ideal that one or several equal ones of them reach, which is the same
// question again for a segment of theirs. A vector that leaves too little capacity for the work outside the ideal is
// dropped.
//
// A cluster inside ends where nobody knows yet. So its end is looked for first, with transfers that cost no more than
// they will (segment.h), and each end found is then asked about in full. In an open segment nobody asks in full: what
// is reached there is at least what can be reached.
//
// Samples in flight. With 1f1b the memory of a stage depends on the devices behind it, and where members are clusters
// the vector does not tell how many those are: a cluster may leave devices idle. So each vector of an ideal then comes
// with the FEWEST devices that can hold the ideal with these members. Fewer are never worse: all that comes later has
// the same members left and the same loads; the devices behind it, and so its samples in flight and its memory, only
// fall; and so do the devices in use at the end, by which whoever is around this cluster goes on. Since ideals are met
// by size, an ideal has its fewest devices before anything starts from it. A cluster inside is asked in full once for
// each number of devices that may be behind it, and must say with how few of its own it gets there: its search goes on
// until no smaller number is possible. While its end is looked for, the fewest devices behind serve all vectors, so the
// number in use at each end is at most what it will be in full. Only dominance (stage_walk.h) may lose an end on fewer
// devices, for another that is at least as good; it goes by the MOST devices that may be behind.
//
// Threads. What comes of an ideal depends on no other of its size, and of a run of stages on no other that ends
// elsewhere. So, with several threads, ideals of one size are walked from side by side, or with clusters inside the
// ends of the runs from one ideal asked about; what they met is then handed on in the order of one thread. Tests:
// tests/solve/setup_search_test.cpp, tests/solve/threads_test.cpp, tests/property/setups_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "partita/solve/staged/ideal_search.h"
#include "partita/solve/staged/ideal_table.h"
#include "partita/solve/staged/setups/device_counts.h"
#include "partita/solve/staged/setups/segment.h"
#include "partita/solve/staged/setups/setup_windows.h"
#include "partita/solve/staged/setups/stage_walk.h"
#include "partita/solve/staged/setups/steps.h"
#include "partita/solve/staged/setups/surroundings.h"
#include "partita/solve/staged/setups/work_capacity.h"
#include "partita/util/parallel.h"

namespace partita::detail {

class SegmentSearch {
 public:
  // `least_end`: the work that an ideal must hold to be worth ending an open segment with. `windows`, of the whole
  // question, may be null; each device has `copies` with those of all clusters around.
  SegmentSearch(const SetupGraph& graph, const SetupRules& rules, const WorkMeasure& measure, Segment segment,
                double limit, double least_end, Budget& budget, const SetupWindows* windows = nullptr, int copies = 1,
                const Surroundings& around = {});
  SegmentSearch(const SegmentSearch&) = delete;  // the walk refers to the segment
  SegmentSearch& operator=(const SegmentSearch&) = delete;

  // Closed: Yes once the end is reached, with parts() then, on the fewest devices or few enough. Open: No once every
  // end has been found (see for_each_end()).
  Answer run();
  std::vector<PipelinePart> parts() const;
  bool out_of_memory() const { return out_of_memory_; }
  std::size_t ideals() const { return table_.size(); }

  // Closed, after a Yes: how many devices of the cluster are in use.
  int devices_in_use() const { return fewest_used(end_); }

  // Open: an end, and how many devices it takes, where that is of interest: fewer in full are of no use.
  struct End {
    std::span<const Word> ideal;
    double work;
    int devices;
  };
  template <class Visit>
  void for_each_end(Visit visit) const {
    for (IdealTable::Index i = 1; i < table_.size(); ++i) {
      if (work_[i] >= least_end_) visit(End{table_.bits(i), work_[i], samples_count_ ? fewest_used(i) : 0});
    }
  }

 private:
  struct Arrival {
    IdealTable::Index from;
    std::uint32_t next;  // of the same ideal, or kNone
    std::uint32_t setup;
  };
  static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

  using Vectors = std::vector<Word>;  // a set of device vectors: what a step from some base brings to some ideal
  // A stage found by a walk, whose ideal has yet to be entered into the table; its bits are with the walker.
  struct Met {
    std::uint32_t step;
    std::uint64_t hash;
    double work;
  };
  // What a thread walks with.
  struct Walker {
    StageWalk walk;
    Vectors vectors;
    std::vector<Word> bits, brought;  // of all that it met in this round: ideals and vectors
    std::vector<Met> met;
  };
  // What came of one base in a round.
  struct Visit {
    bool made = false;  // false: somebody has to walk from there yet
    bool whole = false;
    std::size_t walker = 0, first = 0, last = 0;  // what was met
  };
  // Bases of one size that the threads walk from.
  struct Round {
    std::atomic<std::size_t> end;  // nobody need look at bases from here on: the search ends before
    std::atomic<std::size_t> bytes_met = 0;
    const std::size_t most_bytes;
  };

  Walker& walker(std::size_t slot);
  bool expand(IdealTable::Index base);
  // The same for bases of one size from the i-th on, by all threads. `i` moves on to the first base not done.
  bool expand_together(std::span<const IdealTable::Index> bases, std::size_t& i);
  void look_from(IdealTable::Index base, std::size_t index, Walker& walker, Visit& visit, Round& round) const;
  bool hand_on_met(const Visit& visit, IdealTable::Index base);
  // Calls take(found) for each stage that may bring vectors, which are then in walker.vectors.
  template <class Take>
  bool stages_from(IdealTable::Index base, std::uint32_t step, Walker& walker, Take take) const;
  bool runs_from(IdealTable::Index base, std::uint32_t step);
  // The work that a step from the base must add to be of use; infinite if there are no devices for it.
  double work_needed(IdealTable::Index base, const Step& step) const;
  int fewest_used(IdealTable::Index ideal) const;
  int most_used(IdealTable::Index ideal) const;
  // Devices in use, those in clusters inside included, for a vector that the ideal has.
  int used(IdealTable::Index ideal, std::size_t vector) const {
    return devices_count_ ? used_[ideal * counts_.size() + vector] : counts_.used(vector);
  }
  int used_before(IdealTable::Index base, const Step& step, std::size_t vector_after) const {
    return used(base, counts_.without(vector_after, step.setup.member, step.setup.replicas));
  }
  // The vectors that hold an ideal after the step, as far as its work tells. False if there are none.
  bool vectors_after(IdealTable::Index base, const Step& step, std::span<const Word> ideal, double work,
                     Vectors& vectors) const;
  // Narrows the query to the places that a stage from the base can lead to. False if there are none.
  bool look_through_windows(IdealTable::Index base, std::uint32_t step, StageQuery& query, Vectors& scratch) const;
  // Whether the windows let a run of stages lead from the base to the end.
  bool may_run(std::span<const Word> base, double base_work, std::uint32_t step, const End& end) const;
  // Leaves the vectors that are of use, by the memory of the stage. False if there are none.
  bool keep_what_fits(IdealTable::Index base, const Step& step, const GroupMemory& memory, Vectors& vectors) const;
  // Whether the ideal lacks some of the vectors, or has them on more devices than the base has and so many more.
  bool brings_something_new(IdealTable::Index base, const Step& step, std::span<const Word> ideal, std::uint64_t hash,
                            int more, const Vectors& vectors) const;
  // Drops the vectors that the ideal has on as few devices.
  void keep_what_is_new(IdealTable::Index base, const Step& step, IdealTable::Index ideal, int more, Vectors& vectors);
  // Hands the vectors on to an ideal, on so many more devices. False once the search can end.
  bool arrive(IdealTable::Index base, std::uint32_t step, std::span<const Word> ideal, std::uint64_t hash, double work,
              int more, Vectors& vectors);
  // Asks about a run from the base to that end, and calls take(vectors, more devices) for what can hold it; false if
  // that did, or if the budget ended.
  template <class Take>
  bool run_to(const End& end, IdealTable::Index base, std::span<const Word> base_bits, std::uint32_t step,
              bool& out_of_memory, Take take) const;
  // The numbers of devices in use at the base before the step, for these vectors: rising.
  std::vector<int> numbers_before(IdealTable::Index base, const Step& step, const Vectors& vectors) const;
  // The question in full about a run of stages that ends there; none if copies of it take too long to keep equal.
  std::unique_ptr<SegmentSearch> closed_run(std::span<const Word> base, const Step& step, std::span<const Word> end,
                                            const Surroundings& around, Budget& budget) const;
  // Whether what starts from the base may reach the end on fewer devices than are known to do.
  bool may_use_fewer(IdealTable::Index base) const;
  bool is_end(std::span<const Word> ideal) const;
  std::span<Word> reached(IdealTable::Index i) { return {reached_.data() + i * counts_.words(), counts_.words()}; }
  std::span<const Word> reached(IdealTable::Index i) const {
    return {reached_.data() + i * counts_.words(), counts_.words()};
  }

  const SetupGraph& graph_;
  const SetupRules& rules_;
  const WorkMeasure& measure_;
  const Segment segment_;
  const double limit_, least_end_;
  Budget& budget_;
  const SetupWindows* windows_;
  const int copies_;
  const Surroundings around_;
  const bool samples_count_;  // devices behind a stage matter to it
  const bool devices_count_;  // and the vector does not tell how many there are
  const int devices_;         // in the cluster, with 1f1b
  DeviceCounts counts_;
  WorkCapacity capacity_;
  IdealTable table_;
  std::vector<std::unique_ptr<Walker>> walkers_;  // by slot of a thread; the first is there always
  std::vector<Step> steps_;
  bool runs_;                            // some steps are runs of stages in clusters inside
  std::vector<Word> reached_;            // by ideal
  std::vector<int> used_;                // by ideal and vector, where devices are counted
  std::vector<double> work_;             // by ideal
  std::vector<std::uint32_t> arrivals_;  // by ideal: the first of its list
  std::vector<Arrival> arrival_list_;
  std::vector<Word> arrival_vectors_;  // by arrival
  std::vector<std::vector<IdealTable::Index>> by_size_;
  IdealTable::Index end_ = IdealTable::kNone;  // once it is reached, in a closed segment
  bool done_ = false;                          // and few enough devices are in use there
  bool out_of_memory_ = false;
};

}  // namespace partita::detail
