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
// is reached there is at least what can be reached. Tests: tests/solve/setup_search_test.cpp,
// tests/property/setups_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "partita/solve/throughput/ideal_search.h"
#include "partita/solve/throughput/ideal_table.h"
#include "partita/solve/throughput/setups/device_counts.h"
#include "partita/solve/throughput/setups/segment.h"
#include "partita/solve/throughput/setups/stage_walk.h"
#include "partita/solve/throughput/setups/work_capacity.h"

namespace partita {

class SegmentSearch {
 public:
  // `least_end`: the work that an ideal must hold to be worth ending an open segment with.
  SegmentSearch(const SetupGraph& graph, const SetupRules& rules, const WorkMeasure& measure, Segment segment,
                double limit, double least_end, Budget& budget);
  SegmentSearch(const SegmentSearch&) = delete;  // the walk refers to the segment
  SegmentSearch& operator=(const SegmentSearch&) = delete;

  // Closed: Yes once the end is reached, with parts() then. Open: No once every end has been found (see ends()).
  Answer run();
  std::vector<PipelinePart> parts() const;
  bool out_of_memory() const { return out_of_memory_; }
  std::size_t ideals() const { return table_.size(); }

  // Open: calls visit(ideal, work) for each end.
  template <class Visit>
  void for_each_end(Visit visit) const {
    for (IdealTable::Index i = 1; i < table_.size(); ++i) {
      if (work_[i] >= least_end_) visit(table_.bits(i), work_[i]);
    }
  }

 private:
  struct Arrival {
    IdealTable::Index from;
    std::uint32_t next;  // of the same ideal, or kNone
    std::uint32_t setup;
  };
  static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

  // A way to extend an ideal: a stage, or a run of stages in clusters inside.
  struct Step {
    Setup setup;
    std::size_t inside = 0;  // of clusters
    bool is_cluster = false;
  };

  void make_steps();
  bool expand(IdealTable::Index base);
  bool stages_from(IdealTable::Index base, std::uint32_t step);
  bool runs_from(IdealTable::Index base, std::uint32_t step);
  // The work that a step from the base must add to be of use; infinite if there are no devices for it.
  double work_needed(IdealTable::Index base, const Step& step) const;
  int fewest_used(IdealTable::Index base) const;
  // The vectors that hold an ideal of so much work after the step: into scratch_. False if there are none.
  bool vectors_after(IdealTable::Index base, const Step& step, double work);
  // Whether the vectors in scratch_ are of use, by the memory of the stage.
  bool keep_what_fits(const Setup& setup, const GroupMemory& memory);
  bool brings_something_new(std::span<const Word> ideal, std::uint64_t hash) const;  // the vectors in scratch_
  // Hands the vectors in scratch_ on to an ideal. False once the search can end.
  bool arrive(IdealTable::Index base, std::uint32_t step, std::span<const Word> ideal, std::uint64_t hash, double work);
  // The question in full about a run of stages that ends there; none if copies of it take too long to keep equal.
  std::unique_ptr<SegmentSearch> closed_run(std::span<const Word> base, const Step& step, std::span<const Word> end,
                                            Budget& budget) const;
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
  DeviceCounts counts_;
  WorkCapacity capacity_;
  IdealTable table_;
  StageWalk walk_;
  std::vector<Step> steps_;
  std::vector<Word> reached_;            // by ideal
  std::vector<double> work_;             // by ideal
  std::vector<std::uint32_t> arrivals_;  // by ideal: the first of its list
  std::vector<Arrival> arrival_list_;
  std::vector<Word> arrival_vectors_;  // by arrival
  std::vector<std::vector<IdealTable::Index>> by_size_;
  std::vector<Word> scratch_;
  IdealTable::Index end_ = IdealTable::kNone;  // once it is reached, in a closed segment
  bool out_of_memory_ = false;
};

}  // namespace partita
