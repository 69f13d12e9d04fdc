// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/setups/segment_search.h"

#include <algorithm>
#include <limits>

namespace partita::detail {
namespace {

constexpr std::uint64_t kTicksPerStep = 20;  // to prepare a walk costs about as much as so many steps of it
constexpr std::size_t kBasesPerRound = 4096;
constexpr std::size_t kBytesPerRound = std::size_t{16} << 20;  // of ideals met: about what caches hold

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
      walkers_(threads_of(budget)),
      steps_(steps_in(rules, segment_.type())),
      runs_(std::ranges::any_of(steps_, &Step::is_cluster)) {
  walker(0);
}

// Made when first it is needed: of searches that end soon there are many.
SegmentSearch::Walker& SegmentSearch::walker(std::size_t slot) {
  if (!walkers_[slot]) {
    walkers_[slot].reset(new Walker{.walk = {graph_, rules_, measure_, segment_, table_.keys(), budget_},
                                    .vectors = Vectors(counts_.words(), 0),
                                    .bits{},
                                    .brought{},
                                    .met{}});
  }
  return *walkers_[slot];
}

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
    const std::vector<IdealTable::Index>& bases = by_size_[size];
    for (std::size_t i = 0; i < bases.size();) {
      const bool share = !runs_ && i + 1 < bases.size() && worth_sharing(budget_, walker(0).walk.steps());
      if (share ? expand_together(bases, i) : expand(bases[i++])) continue;
      return done_ ? Answer::Yes : Answer::Unknown;
    }
  }
  return end_ == IdealTable::kNone ? Answer::No : Answer::Yes;
}

bool SegmentSearch::may_use_fewer(IdealTable::Index base) const {
  return base != end_ && fewest_used(base) + 1 < fewest_used(end_);
}

bool SegmentSearch::is_end(std::span<const Word> ideal) const {
  return !segment_.open() && std::ranges::equal(ideal, segment_.end());
}

bool SegmentSearch::expand(IdealTable::Index base) {
  if (budget_.exhausted()) return false;
  if (end_ != IdealTable::kNone && !may_use_fewer(base)) return true;
  Walker& alone = walker(0);
  for (std::uint32_t step = 0; step < steps_.size(); ++step) {
    budget_.spend(kTicksPerStep);
    const auto take = [&](const FoundStage& found) {
      return arrive(base, step, found.ideal, found.hash, found.work, steps_[step].setup.replicas, alone.vectors);
    };
    if (!(steps_[step].is_cluster ? runs_from(base, step) : stages_from(base, step, alone, take))) return false;
  }
  return true;
}

bool SegmentSearch::expand_together(std::span<const IdealTable::Index> bases, std::size_t& i) {
  bases = bases.subspan(i, std::min(bases.size() - i, kBasesPerRound));
  const std::size_t most_bytes = std::min(kBytesPerRound, budget_.limits().memory_bytes / 8);
  std::vector<Visit> visits(bases.size());
  for (const auto& one : walkers_) {
    if (!one) continue;
    one->bits.clear();
    one->brought.clear();
    one->met.clear();
  }
  Round round{.end = bases.size(), .bytes_met = 0, .most_bytes = most_bytes};
  for_each(budget_, bases.size(), [&](std::size_t index, std::size_t slot) {
    if (index >= round.end || round.bytes_met > most_bytes) return;
    visits[index].walker = slot;
    look_from(bases[index], index, walker(slot), visits[index], round);
    if (!visits[index].made || visits[index].whole) return;
    std::size_t end = round.end;
    while (index < end && !round.end.compare_exchange_weak(end, index)) {
    }
  });
  // Those that the memory of a round did not suffice for are walked from one by one, or in the next round.
  std::size_t last = bases.size();
  while (last > 1 && !visits[last - 1].made) --last;
  for (std::size_t index = 0; index < last; ++index, ++i) {
    if (!(visits[index].made ? hand_on_met(visits[index], bases[index]) : expand(bases[index]))) return false;
  }
  return true;
}

void SegmentSearch::look_from(IdealTable::Index base, std::size_t index, Walker& walker, Visit& visit,
                              Round& round) const {
  visit.first = visit.last = walker.met.size();
  visit.made = true;
  visit.whole = !budget_.exhausted();
  if (!visit.whole || (end_ != IdealTable::kNone && !may_use_fewer(base))) return;
  bool fits = true;
  for (std::uint32_t step = 0; step < steps_.size() && visit.whole; ++step) {
    budget_.spend(kTicksPerStep);
    visit.whole = stages_from(base, step, walker, [&](const FoundStage& found) {
      const int more = steps_[step].setup.replicas;
      if (!brings_something_new(base, steps_[step], found.ideal, found.hash, more, walker.vectors)) return true;
      walker.met.push_back({step, found.hash, found.work});
      walker.bits.insert(walker.bits.end(), found.ideal.begin(), found.ideal.end());
      walker.brought.insert(walker.brought.end(), walker.vectors.begin(), walker.vectors.end());
      round.bytes_met += sizeof(Met) + (found.ideal.size() + walker.vectors.size()) * sizeof(Word);
      fits = index < round.end && round.bytes_met <= 2 * round.most_bytes;
      return fits && !(is_end(found.ideal) && around_.enough == Surroundings::kAnyNumber);
    });
  }
  visit.made = fits;
  visit.last = walker.met.size();
}

bool SegmentSearch::hand_on_met(const Visit& visit, IdealTable::Index base) {
  if (end_ != IdealTable::kNone && !may_use_fewer(base)) return true;
  const Walker& by = *walkers_[visit.walker];
  const std::size_t words = words_for(graph_.size());
  Vectors vectors;
  for (std::size_t m = visit.first; m < visit.last; ++m) {
    const auto brought = by.brought.begin() + static_cast<std::ptrdiff_t>(m * counts_.words());
    vectors.assign(brought, brought + static_cast<std::ptrdiff_t>(counts_.words()));
    const Met& met = by.met[m];
    if (!arrive(base, met.step, std::span(by.bits).subspan(m * words, words), met.hash, met.work,
                steps_[met.step].setup.replicas, vectors))
      return false;
  }
  return visit.whole;
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

bool SegmentSearch::vectors_after(IdealTable::Index base, const Step& step, std::span<const Word> ideal, double work,
                                  Vectors& vectors) const {
  counts_.add(reached(base), step.setup.member, step.setup.replicas, vectors);
  const std::span<const Word> useful = capacity_.enough(least_end_ - work - measure_.tolerance());
  Word any = 0;
  for (std::size_t w = 0; w < vectors.size(); ++w) any |= vectors[w] &= useful[w];
  if (!windows_ || any == 0) return any != 0;
  const auto [first, last] = windows_->places_of(ideal, work);
  const std::span<const Word> at_first = windows_->allowed(segment_.type(), first);
  const std::span<const Word> at_last = windows_->allowed(segment_.type(), last);
  any = 0;
  for (std::size_t w = 0; w < vectors.size(); ++w) any |= vectors[w] &= at_first[w] | at_last[w];
  return any != 0;
}

bool SegmentSearch::look_through_windows(IdealTable::Index base, std::uint32_t index, StageQuery& query,
                                         Vectors& scratch) const {
  const Step& step = steps_[index];
  counts_.add(reached(base), step.setup.member, step.setup.replicas, scratch);
  const auto [least, most] = windows_->places_of(query.base, work_[base]);
  int first = windows_->last_place() + 1, last = -1;
  for (int place = least; place <= windows_->last_place(); ++place) {
    const std::span<const Word> allowed = windows_->allowed(segment_.type(), place);
    Word any = 0;
    for (std::size_t w = 0; w < scratch.size(); ++w) any |= scratch[w] & allowed[w];
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

bool SegmentSearch::keep_what_fits(IdealTable::Index base, const Step& step, const GroupMemory& memory,
                                   Vectors& vectors) const {
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
    for_each_bit(vectors, [&](std::size_t vector) {
      if (used_before(base, step, vector) + setup.replicas > devices) reset_bit(vectors, vector);
    });
    for (Word w : vectors) any |= w;
  } else {
    const std::span<const Word> fitting = counts_.at_most(devices);
    for (std::size_t w = 0; w < vectors.size(); ++w) any |= vectors[w] &= fitting[w];
  }
  return any != 0;
}

template <class Take>
bool SegmentSearch::stages_from(IdealTable::Index base, std::uint32_t index, Walker& walker, Take take) const {
  const Step& step = steps_[index];
  const double needed = work_needed(base, step);
  if (needed == std::numeric_limits<double>::infinity()) return true;
  // The table may grow while it is read, so the base is copied.
  const std::vector<Word> bits(table_.bits(base).begin(), table_.bits(base).end());
  StageQuery query{bits, table_.hash(base), work_[base], step.setup, limit_, needed};
  if (windows_ && !look_through_windows(base, index, query, walker.vectors)) return true;
  query.in_flight = around_.in_flight(rules_, fewest_used(base) + step.setup.replicas, step.setup.replicas);
  // Where the vectors tell how many devices are in use, dominance need not fear more.
  const int most_used = devices_count_ ? devices_ : this->most_used(base) + step.setup.replicas;
  query.most_in_flight = around_.most_in_flight(rules_, most_used, step.setup.replicas);
  return walker.walk.run(query, [&](const FoundStage& found) {
    if (!vectors_after(base, step, found.ideal, found.work, walker.vectors) ||
        !keep_what_fits(base, step, found.sums.memory, walker.vectors))
      return true;
    return take(found);
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
  std::vector<End> ends;
  open.for_each_end([&](const End& end) { ends.push_back(end); });
  const auto hand_on = [&](const End& end, Vectors& vectors, int more) {
    return arrive(base, index, end.ideal, hash_of(table_, end.ideal), end.work, more, vectors);
  };
  if (segment_.open() || ends.size() < 2 || !worth_sharing(budget_, open.walker(0).walk.steps())) {
    return std::ranges::all_of(ends, [&](const End& end) {
      return run_to(end, base, bits, index, out_of_memory_,
                    [&](Vectors& vectors, int more) { return hand_on(end, vectors, more); });
    });
  }
  struct Reply {
    std::vector<std::pair<Vectors, int>> runs;
    bool whole = false, out_of_memory = false;
  };
  std::vector<Reply> replies(ends.size());
  std::atomic<std::size_t> last = ends.size() - 1;  // nobody need ask about ends beyond: the search ends there
  for_each(budget_, ends.size(), [&](std::size_t e, std::size_t) {
    if (e > last) return;
    Reply& reply = replies[e];
    reply.whole = run_to(ends[e], base, bits, index, reply.out_of_memory, [&](Vectors& vectors, int more) {
      reply.runs.emplace_back(vectors, more);
      return true;
    });
    const bool found = is_end(ends[e].ideal) && !reply.runs.empty() && around_.enough == Surroundings::kAnyNumber;
    if (reply.whole && !found) return;
    std::size_t before = last;
    while (e < before && !last.compare_exchange_weak(before, e)) {
    }
  });
  for (std::size_t e = 0; e <= last; ++e) {
    for (auto& [vectors, more] : replies[e].runs) {
      if (!hand_on(ends[e], vectors, more)) return false;
    }
    if (replies[e].whole) continue;
    out_of_memory_ = replies[e].out_of_memory;
    return false;
  }
  return true;
}

template <class Take>
bool SegmentSearch::run_to(const End& end, IdealTable::Index base, std::span<const Word> base_bits, std::uint32_t index,
                           bool& out_of_memory, Take take) const {
  const Step& step = steps_[index];
  const int r = step.setup.replicas;
  Vectors all(counts_.words(), 0);
  if (!may_run(base_bits, work_[base], index, end) || !vectors_after(base, step, end.ideal, end.work, all)) return true;
  if (segment_.open()) return take(all, r * end.devices);
  const std::uint64_t hash = hash_of(table_, end.ideal);
  for (int number : numbers_before(base, step, all)) {
    Vectors vectors = all;
    if (devices_count_) {
      for_each_bit(all, [&](std::size_t vector) {
        if (used_before(base, step, vector) != number) reset_bit(vectors, vector);
      });
    }
    if (!brings_something_new(base, step, end.ideal, hash, r * end.devices, vectors)) continue;
    const Surroundings around = devices_count_ ? around_.inside(r, number, end.devices) : Surroundings();
    const auto closed = closed_run(base_bits, step, end.ideal, around, budget_);
    const Answer answer = closed ? closed->run() : Answer::No;
    if (answer == Answer::Unknown) {
      out_of_memory = closed->out_of_memory();
      return false;
    }
    if (answer == Answer::No) return true;  // with more devices behind it, too
    if (!take(vectors, devices_count_ ? r * closed->devices_in_use() : 0)) return false;
  }
  return true;
}

std::vector<int> SegmentSearch::numbers_before(IdealTable::Index base, const Step& step, const Vectors& vectors) const {
  if (!devices_count_) return {0};
  std::vector<int> numbers;
  for_each_bit(vectors, [&](std::size_t vector) { numbers.push_back(used_before(base, step, vector)); });
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
                                         std::uint64_t hash, int more, const Vectors& vectors) const {
  const IdealTable::Index known = table_.find(ideal, hash);
  if (known == IdealTable::kNone) return true;
  bool is_new = false;
  for (std::size_t w = 0; w < vectors.size(); ++w) is_new = is_new || (vectors[w] & ~reached(known)[w]) != 0;
  if (is_new || !devices_count_) return is_new;
  for_each_bit(vectors, [&](std::size_t vector) {
    is_new = is_new || used_before(base, step, vector) + more < used(known, vector);
  });
  return is_new;
}

void SegmentSearch::keep_what_is_new(IdealTable::Index base, const Step& step, IdealTable::Index ideal, int more,
                                     Vectors& vectors) {
  if (!devices_count_) {
    for (std::size_t w = 0; w < vectors.size(); ++w) vectors[w] &= ~reached(ideal)[w];
    return;
  }
  for_each_bit(vectors, [&](std::size_t vector) {
    const int in_use = used_before(base, step, vector) + more;
    if (test_bit(reached(ideal), vector) && used(ideal, vector) <= in_use) {
      reset_bit(vectors, vector);
    } else {
      used_[ideal * counts_.size() + vector] = in_use;
    }
  });
}

bool SegmentSearch::arrive(IdealTable::Index base, std::uint32_t step, std::span<const Word> ideal, std::uint64_t hash,
                           double work, int more, Vectors& vectors) {
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
  keep_what_is_new(base, steps_[step], at, more, vectors);
  Word any = 0;
  for (std::size_t w = 0; w < vectors.size(); ++w) {
    any |= vectors[w];
    reached(at)[w] |= vectors[w];
  }
  if (any == 0) return !out_of_memory_;
  arrival_list_.push_back({base, arrivals_[at], step});
  arrivals_[at] = static_cast<std::uint32_t>(arrival_list_.size() - 1);
  arrival_vectors_.insert(arrival_vectors_.end(), vectors.begin(), vectors.end());
  if (is_end(ideal)) {
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
