// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/setups/segment_search.h"

#include <algorithm>
#include <limits>

namespace partita::detail {
namespace {

std::size_t count_bits(std::span<const Word> words) {
  std::size_t bits = 0;
  for (Word w : words) bits += static_cast<std::size_t>(std::popcount(w));
  return bits;
}

std::uint64_t hash_of(const IdealTable& table, std::span<const Word> words) {
  std::uint64_t hash = 0;
  for_each_bit(words, [&](std::size_t v) { hash ^= table.key(v); });
  return hash;
}

bool samples_count(const SetupRules& rules) {
  return rules.memory_model == MemoryModel::OneF1B && rules.microbatches != 1;
}

int device_count(const SetupRules& rules, std::size_t type) {
  int total = 0;
  for (int count : devices_in(rules, type)) total += count;
  return total;
}

}  // namespace

SegmentSearch::SegmentSearch(const SetupGraph& graph, const SetupRules& rules, const WorkMeasure& measure,
                             Segment segment, double limit, double least_end, Budget& budget,
                             const SetupWindows* windows, int copies, const Surroundings& around)
    : graph_(graph),
      rules_(rules),
      measure_(measure),
      segment_(std::move(segment)),
      limit_(limit),
      least_end_(least_end - measure.tolerance()),
      budget_(budget),
      windows_(windows),
      copies_(copies),
      around_(around),
      samples_count_(samples_count(rules)),
      devices_count_(samples_count_ && std::ranges::any_of(rules.clusters[segment_.type()].members,
                                                           [](const ClusterMember& m) { return m.is_cluster(); })),
      devices_(rules.memory_model == MemoryModel::OneF1B ? device_count(rules, segment_.type()) : 0),
      counts_(rules.clusters[segment_.type()]),
      capacity_(measure, rules, segment_.type(), counts_, limit),
      table_(graph.size()),
      walk_(graph, rules, measure, segment_, table_.keys(), budget),
      steps_(steps_in(rules, segment_.type())),
      scratch_(counts_.words(), 0) {}

Answer SegmentSearch::run() {
  const std::vector<Word>& begin = segment_.begin();
  double work = 0;
  for_each_bit(begin, [&](std::size_t v) { work += measure_.work(GroupId(v)); });
  bool added;
  table_.insert(begin, hash_of(table_, begin), added);
  reached_.assign(counts_.words(), 0);
  set_bit(reached_, 0);
  if (devices_count_) used_.assign(counts_.size(), 0);
  work_.push_back(work);
  arrivals_.push_back(kNone);
  by_size_.resize(graph_.size() + 1);
  by_size_[count_bits(begin)].push_back(0);
  for (std::size_t size = 0; size <= graph_.size(); ++size) {
    for (std::size_t i = 0; i < by_size_[size].size(); ++i) {
      if (budget_.exhausted()) return Answer::Unknown;
      if (end_ != IdealTable::kNone && !may_use_fewer(by_size_[size][i])) continue;
      if (expand(by_size_[size][i])) continue;
      return done_ ? Answer::Yes : Answer::Unknown;
    }
  }
  return end_ == IdealTable::kNone ? Answer::No : Answer::Yes;
}

bool SegmentSearch::may_use_fewer(IdealTable::Index base) const {
  return base != end_ && fewest_used(base) + 1 < fewest_used(end_);
}

bool SegmentSearch::expand(IdealTable::Index base) {
  constexpr std::uint64_t kTicksPerExpansion = 20;  // a base costs about as much as so many steps of a walk
  for (std::uint32_t step = 0; step < steps_.size(); ++step) {
    budget_.spend(kTicksPerExpansion);
    if (!(steps_[step].is_cluster ? runs_from(base, step) : stages_from(base, step))) return false;
  }
  return true;
}

double SegmentSearch::work_needed(IdealTable::Index base, const Step& step) const {
  double most_left = -1;
  for_each_bit(reached(base), [&](std::size_t vector) {
    const std::size_t m = step.setup.member;
    if (counts_.used(vector, m) + step.setup.replicas > counts_.count(m)) return;
    most_left = std::max(most_left, capacity_.left(counts_.with(vector, m, step.setup.replicas)));
  });
  if (most_left < 0) return std::numeric_limits<double>::infinity();
  return std::max(0.0, least_end_ - work_[base] - most_left - measure_.tolerance());
}

int SegmentSearch::fewest_used(IdealTable::Index ideal) const {
  int fewest = std::numeric_limits<int>::max();
  for_each_bit(reached(ideal), [&](std::size_t vector) { fewest = std::min(fewest, used(ideal, vector)); });
  return fewest;
}

int SegmentSearch::most_used(IdealTable::Index ideal) const {
  int most = 0;
  for_each_bit(reached(ideal), [&](std::size_t vector) { most = std::max(most, used(ideal, vector)); });
  return most;
}

bool SegmentSearch::vectors_after(IdealTable::Index base, const Step& step, std::span<const Word> ideal, double work) {
  counts_.add(reached(base), step.setup.member, step.setup.replicas, scratch_);
  const std::span<const Word> useful = capacity_.enough(least_end_ - work - measure_.tolerance());
  Word any = 0;
  for (std::size_t w = 0; w < scratch_.size(); ++w) any |= scratch_[w] &= useful[w];
  if (!windows_ || any == 0) return any != 0;
  const auto [first, last] = windows_->places_of(ideal, work);
  const std::span<const Word> at_first = windows_->allowed(segment_.type(), first);
  const std::span<const Word> at_last = windows_->allowed(segment_.type(), last);
  any = 0;
  for (std::size_t w = 0; w < scratch_.size(); ++w) any |= scratch_[w] &= at_first[w] | at_last[w];
  return any != 0;
}

bool SegmentSearch::look_through_windows(IdealTable::Index base, std::uint32_t index, StageQuery& query) {
  const Step& step = steps_[index];
  counts_.add(reached(base), step.setup.member, step.setup.replicas, scratch_);
  const auto [least, most] = windows_->places_of(query.base, work_[base]);
  int first = windows_->last_place() + 1, last = -1;
  for (int place = least; place <= windows_->last_place(); ++place) {
    const std::span<const Word> allowed = windows_->allowed(segment_.type(), place);
    Word any = 0;
    for (std::size_t w = 0; w < scratch_.size(); ++w) any |= scratch_[w] & allowed[w];
    if (any == 0 || !(windows_->may_step(segment_.type(), copies_, index, least, place) ||
                      windows_->may_step(segment_.type(), copies_, index, most, std::max(most, place))))
      continue;
    first = std::min(first, place);
    last = place;
  }
  if (last < 0) return false;
  const double tolerance = windows_->tolerance();
  query.windows = windows_;
  query.first_place = first;
  query.last_place = last;
  query.least_work = std::max(query.least_work, windows_->lowest(first) - work_[base] - tolerance);
  query.most_work = windows_->highest(last) - work_[base] + tolerance;
  return true;
}

bool SegmentSearch::may_run(std::span<const Word> base, double base_work, std::uint32_t step, const End& end) const {
  if (!windows_) return true;
  const auto [first_from, last_from] = windows_->places_of(base, base_work);
  const auto [first_to, last_to] = windows_->places_of(end.ideal, end.work);
  for (int from : {first_from, last_from}) {
    for (int to : {first_to, last_to}) {
      if (from <= to && windows_->may_step(segment_.type(), copies_, step, from, to)) return true;
    }
  }
  return false;
}

bool SegmentSearch::keep_what_fits(IdealTable::Index base, const Step& step, const GroupMemory& memory) {
  const Setup& setup = step.setup;
  const double room = rules_.classes[setup.device_class].memory;
  const auto fits = [&](int in_use) {
    return stage_memory(setup, memory, around_.in_flight(rules_, in_use, setup.replicas)) <= room;
  };
  // The most devices from here to the end of the cluster for which it fits.
  int devices = devices_;
  if (fits(devices)) return true;
  if (!samples_count_) return false;
  while (devices > 0 && !fits(devices)) --devices;
  Word any = 0;
  if (devices_count_) {
    for_each_bit(scratch_, [&](std::size_t vector) {
      if (used_before(base, step, vector) + setup.replicas > devices) reset_bit(scratch_, vector);
    });
    for (Word w : scratch_) any |= w;
  } else {
    const std::span<const Word> fitting = counts_.at_most(devices);
    for (std::size_t w = 0; w < scratch_.size(); ++w) any |= scratch_[w] &= fitting[w];
  }
  return any != 0;
}

bool SegmentSearch::stages_from(IdealTable::Index base, std::uint32_t index) {
  const Step& step = steps_[index];
  const double needed = work_needed(base, step);
  if (needed == std::numeric_limits<double>::infinity()) return true;
  // The table grows while it is read, so the base is copied.
  const std::vector<Word> bits(table_.bits(base).begin(), table_.bits(base).end());
  StageQuery query{bits, table_.hash(base), work_[base], step.setup, limit_, needed};
  if (windows_ && !look_through_windows(base, index, query)) return true;
  query.in_flight = around_.in_flight(rules_, fewest_used(base) + step.setup.replicas, step.setup.replicas);
  // Where the vectors tell how many devices are in use, dominance need not fear more.
  const int most_used = devices_count_ ? devices_ : this->most_used(base) + step.setup.replicas;
  query.most_in_flight = around_.most_in_flight(rules_, most_used, step.setup.replicas);
  return walk_.run(query, [&](const FoundStage& found) {
    if (!vectors_after(base, step, found.ideal, found.work) || !keep_what_fits(base, step, found.sums.memory))
      return true;
    return arrive(base, index, found.ideal, found.hash, found.work, step.setup.replicas);
  });
}

bool SegmentSearch::runs_from(IdealTable::Index base, std::uint32_t index) {
  const Step& step = steps_[index];
  const double needed = work_needed(base, step);
  if (needed == std::numeric_limits<double>::infinity()) return true;
  const std::vector<Word> bits(table_.bits(base).begin(), table_.bits(base).end());
  Surroundings around;
  if (samples_count_) {
    const int most_used = devices_ - step.setup.replicas * device_count(rules_, step.inside);
    around = around_.open_inside(step.setup.replicas, fewest_used(base), most_used);
  }
  SegmentSearch open(graph_, rules_, measure_, segment_.inside(rules_, step.inside, bits, segment_.end(), true),
                     limit_ * step.setup.replicas, work_[base] + needed, budget_, windows_,
                     copies_ * step.setup.replicas, around);
  if (open.run() == Answer::Unknown) {
    out_of_memory_ = open.out_of_memory();
    return false;
  }
  bool go_on = true;
  open.for_each_end([&](const End& end) {
    if (!go_on || !may_run(bits, work_[base], index, end)) return;
    if (vectors_after(base, step, end.ideal, end.work)) go_on = run_to(end, base, bits, index);
  });
  return go_on;
}

bool SegmentSearch::run_to(const End& end, IdealTable::Index base, std::span<const Word> base_bits,
                           std::uint32_t index) {
  const Step& step = steps_[index];
  const int r = step.setup.replicas;
  const std::uint64_t hash = hash_of(table_, end.ideal);
  if (segment_.open()) return arrive(base, index, end.ideal, hash, end.work, r * end.devices);
  const std::vector<Word> all = scratch_;
  for (int number : numbers_before(base, step)) {
    scratch_ = all;
    if (devices_count_) {
      for_each_bit(all, [&](std::size_t vector) {
        if (used_before(base, step, vector) != number) reset_bit(scratch_, vector);
      });
    }
    if (!brings_something_new(base, step, end.ideal, hash, r * end.devices)) continue;
    const Surroundings around = devices_count_ ? around_.inside(r, number, end.devices) : Surroundings();
    const auto closed = closed_run(base_bits, step, end.ideal, around, budget_);
    const Answer answer = closed ? closed->run() : Answer::No;
    if (answer == Answer::Unknown) {
      out_of_memory_ = closed->out_of_memory();
      return false;
    }
    if (answer == Answer::No) return true;  // with more devices behind it, too
    if (!arrive(base, index, end.ideal, hash, end.work, devices_count_ ? r * closed->devices_in_use() : 0))
      return false;
  }
  return true;
}

std::vector<int> SegmentSearch::numbers_before(IdealTable::Index base, const Step& step) const {
  if (!devices_count_) return {0};
  std::vector<int> numbers;
  for_each_bit(scratch_, [&](std::size_t vector) { numbers.push_back(used_before(base, step, vector)); });
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

std::unique_ptr<SegmentSearch> SegmentSearch::closed_run(std::span<const Word> base, const Step& step,
                                                         std::span<const Word> end, const Surroundings& around,
                                                         Budget& budget) const {
  double weights = 0, work = 0;
  for_each_bit(end, [&](std::size_t v) {
    work += measure_.work(GroupId(v));
    if (!test_bit(base, v)) weights += graph_.memory(GroupId(v)).weights;
  });
  const int r = step.setup.replicas;
  const double sync = sync_load(rules_, segment_.factor(), r, weights);
  if (sync > limit_) return nullptr;
  const double limit = rules_.transfers == TransferMode::Sum ? r * (limit_ - sync) : r * limit_;
  return std::make_unique<SegmentSearch>(graph_, rules_, measure_,
                                         segment_.inside(rules_, step.inside, base, end, false), limit, work, budget,
                                         windows_, copies_ * r, around);
}

bool SegmentSearch::brings_something_new(IdealTable::Index base, const Step& step, std::span<const Word> ideal,
                                         std::uint64_t hash, int more) const {
  const IdealTable::Index known = table_.find(ideal, hash);
  if (known == IdealTable::kNone) return true;
  bool is_new = false;
  for (std::size_t w = 0; w < scratch_.size(); ++w) is_new = is_new || (scratch_[w] & ~reached(known)[w]) != 0;
  if (is_new || !devices_count_) return is_new;
  for_each_bit(scratch_, [&](std::size_t vector) {
    is_new = is_new || used_before(base, step, vector) + more < used(known, vector);
  });
  return is_new;
}

void SegmentSearch::keep_what_is_new(IdealTable::Index base, const Step& step, IdealTable::Index ideal, int more) {
  if (!devices_count_) {
    for (std::size_t w = 0; w < scratch_.size(); ++w) scratch_[w] &= ~reached(ideal)[w];
    return;
  }
  for_each_bit(scratch_, [&](std::size_t vector) {
    const int in_use = used_before(base, step, vector) + more;
    if (test_bit(reached(ideal), vector) && used(ideal, vector) <= in_use) {
      reset_bit(scratch_, vector);
    } else {
      used_[ideal * counts_.size() + vector] = in_use;
    }
  });
}

bool SegmentSearch::arrive(IdealTable::Index base, std::uint32_t step, std::span<const Word> ideal, std::uint64_t hash,
                           double work, int more) {
  bool added;
  const IdealTable::Index at = table_.insert(ideal, hash, added);
  if (added) {
    reached_.resize(reached_.size() + counts_.words(), 0);
    if (devices_count_) used_.resize(used_.size() + counts_.size(), 0);
    work_.push_back(work);
    arrivals_.push_back(kNone);
    by_size_[count_bits(ideal)].push_back(at);
    const std::size_t bytes = table_.bytes() + reached_.capacity() * sizeof(Word) + used_.capacity() * sizeof(int) +
                              arrival_list_.capacity() * sizeof(Arrival) + arrival_vectors_.capacity() * sizeof(Word);
    out_of_memory_ = !budget_.has_room_for(bytes);
  }
  keep_what_is_new(base, steps_[step], at, more);
  Word any = 0;
  for (std::size_t w = 0; w < scratch_.size(); ++w) {
    any |= scratch_[w];
    reached(at)[w] |= scratch_[w];
  }
  if (any == 0) return !out_of_memory_;
  arrival_list_.push_back({base, arrivals_[at], step});
  arrivals_[at] = static_cast<std::uint32_t>(arrival_list_.size() - 1);
  arrival_vectors_.insert(arrival_vectors_.end(), scratch_.begin(), scratch_.end());
  if (!segment_.open() && std::ranges::equal(ideal, segment_.end())) {
    end_ = at;
    done_ = around_.enough == Surroundings::kAnyNumber || fewest_used(end_) <= around_.enough;
  }
  return !done_ && !out_of_memory_;
}

std::vector<PipelinePart> SegmentSearch::parts() const {
  std::vector<PipelinePart> result;
  const bool few = around_.enough < Surroundings::kAnyNumber;
  std::size_t vector = counts_.size();
  for_each_bit(reached(end_), [&](std::size_t v) {
    if (few && used(end_, v) != devices_in_use()) return;
    vector = std::min(vector, v);
  });
  IdealTable::Index at = end_;
  while (at != 0) {
    std::uint32_t arrival = arrivals_[at];  // the last that brought the vector, on the fewest devices
    const auto brought = [&](std::uint32_t a) {
      return test_bit({arrival_vectors_.data() + a * counts_.words(), counts_.words()}, vector);
    };
    while (!brought(arrival)) arrival = arrival_list_[arrival].next;
    const Step& step = steps_[arrival_list_[arrival].setup];
    const IdealTable::Index from = arrival_list_[arrival].from;
    PipelinePart part{step.setup.member, step.setup.replicas, step.setup.recompute, {}, {}};
    if (step.is_cluster) {
      // The answer was yes, within the budget that was there; it must be found again whatever is left of it.
      Budget enough;
      Surroundings around;
      if (devices_count_) {
        const int before = used_before(from, step, vector);
        around = around_.inside(step.setup.replicas, before, (used(at, vector) - before) / step.setup.replicas);
      }
      const auto closed = closed_run(table_.bits(from), step, table_.bits(at), around, enough);
      closed->run();
      part.parts = closed->parts();
    } else {
      for (GroupId v : graph_.all()) {
        if (test_bit(table_.bits(at), v.index()) && !test_bit(table_.bits(from), v.index())) part.groups.push_back(v);
      }
    }
    result.push_back(std::move(part));
    vector = counts_.without(vector, step.setup.member, step.setup.replicas);
    at = from;
  }
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace partita::detail
