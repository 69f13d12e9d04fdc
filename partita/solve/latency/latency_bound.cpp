// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/latency_bound.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "partita/reduce/never.h"
#include "partita/solve/latency/label_blocks.h"
#include "partita/util/parallel.h"
#include "partita/util/statistics.h"

namespace partita::detail {
namespace {

constexpr double kRoundingOfFlows = 1e-9;               // sums and flows are exact to far less
constexpr double kFirstToll = 1.0 / 64, kLastToll = 4;  // tried in between by factors of two; in values per block
constexpr double kFirstFineToll = 1.0 / 4096;           // where labels of several edges count blocks beside the path
constexpr std::size_t kMostFineTolls = 4;               // at once: sweeps with tolls beyond the best take longer
// How much of all time a spine may leave aside. Each is tried once, the quickest first, and the best is used from then
// on.
constexpr double kNeglects[] = {0.05, 0.01, 0.001, 0};
constexpr double kMostEntries = 400'000;     // of a table of a spine in detail
constexpr std::size_t kMostSuggestions = 8;  // that nobody has asked for
constexpr int kMostIdle = 2;                 // sweeps of a track that teach nothing, one in each direction
constexpr std::size_t kDetails = 3;  // of spines; more of it where nothing else helps, or nothing else is better
constexpr const char* kBySpine = "a spine: how soon its subgraphs can finish, and on how few accelerators";
constexpr const char* kByLabels = "labels: how soon each subgraph can finish";
constexpr const char* kByTolls = "labels with tolls: how soon each subgraph can finish, and on how few accelerators";
constexpr const char* kByPacking = "packing: more branches than blocks, and how soon several of them can finish";
constexpr const char* kByLimit = "labels from both ends: no split below the bound is left";

}  // namespace

LatencyBound::LatencyBound(const LatencyInstance& instance, const Budget* budget, const LatencySettings& settings)
    : instance_(instance),
      budget_(budget),
      settings_(settings),
      blocks_(instance.accelerators() * instance.subgraphs * (instance.has_backward ? 2 : 1)),
      facts_(instance),
      stage_(settings.spines ? Stage::Spines : Stage::Labels),
      limit_(kNever) {
  if (instance.size() == 0 || !NodeReach::affordable(instance)) finished_ = true;
  if (!settings.spines && !settings.labels) finished_ = true;
}

void LatencyBound::prepare(Budget& slice) {
  reach_.emplace(instance_, budget_);
  model_ = std::make_unique<BlockModel>(instance_, facts_, budget_);
  add_track(0);
  slice.spend(1 + instance_.size() * instance_.size() / 2048);
}

bool LatencyBound::improve(double value, Budget& slice) {
  if (tracks_.empty() && !finished_) prepare(slice);
  if (value < limit_) {
    limit_ = value;  // what was learned for a higher limit holds for a lower one
    finished_ = nothing_to_do();
    for (Track& track : tracks_) track.idle = 0;
    packing_is_old_ = true;
  }
  const double before = bound_;
  while (!finished_ && !slice.exhausted() && step(slice)) {
  }
  return bound_ > before;
}

// False if there is nothing to do without a limit.
bool LatencyBound::step(Budget& slice) {
  if (!under_way()) {
    if (needs_limit() && limit_ == kNever) return false;
    begin();
  }
  advance(slice);
  return true;
}

void LatencyBound::advance(Budget& slice) {
  const char* name = spine_                               ? "latency.spines"
                     : packing_                           ? "latency.packing"
                     : tracks_[sweeps_[0].track].toll > 0 ? "latency.tolls"
                                                          : "latency.labels";
  Technique technique(slice, name, "bounds raised");
  const double before = bound_;
  if (spine_) {
    if (spine_->advance(slice)) end_spine();
  } else if (packing_) {
    if (packing_->advance(slice)) end_packing();
  } else if (advance_sweeps(slice)) {
    end_sweeps();
  }
  technique.yield(bound_ > before);
}

std::size_t LatencyBound::at_once() const { return budget_ ? threads_of(*budget_) : 1; }

bool LatencyBound::advance_sweeps(Budget& slice) {
  std::atomic<std::size_t> ended = 0;
  for_each(slice, sweeps_.size(), [&](std::size_t i, std::size_t) {
    Sweep& sweep = sweeps_[i];
    if (!sweep.ended && sweep.labels->advance(slice)) {
      sweep.blocks = blocks_of_labels(sweep, slice);
      sweep.ended = true;
    }
    ended += sweep.ended;
  });
  return ended == sweeps_.size();
}

void LatencyBound::begin() {
  if (facts_new_) model_ = std::make_unique<BlockModel>(instance_, facts_, budget_);
  facts_new_ = false;
  if (stage_ == Stage::Spines || (spine_is_old_ && settings_.spines)) {
    const double neglect = stage_ == Stage::Spines ? kNeglects[spines_tried_] : best_neglect_;
    const std::size_t states = spine_states();
    const double limit = needs_limit() ? limit_ : kNever;
    spine_ = std::make_unique<SpineBound>(*model_, *reach_, SpineBound::Detail{neglect, states}, limit, &to_come_);
    spine_is_old_ = false;
    return;
  }
  if (stage_ == Stage::Below && packing_is_old_ && settings_.packing && all_idle()) {
    packing_ = std::make_unique<PackingBound>(*model_, *reach_, tracks_[0].labels, limit_);
    packing_is_old_ = false;
    return;
  }
  if (stage_ == Stage::Below) {
    begin_sweep(turn_);
    for (std::size_t i = 1; i < tracks_.size() && sweeps_.size() < at_once(); ++i) {
      const std::size_t other = (turn_ + i) % tracks_.size();
      if (tracks_[other].idle < kMostIdle) begin_sweep(other);
    }
  } else {
    for (std::size_t i = turn_; i < tracks_.size(); ++i) begin_sweep(i);
  }
}

void LatencyBound::begin_sweep(std::size_t of) {
  const Track& track = tracks_[of];
  const double limit = needs_limit() ? limit_ + tolls(track) : kNever;
  sweeps_.push_back({of, std::make_unique<LatencyLabels>(
                             *model_, *reach_, track.direction == 1, track.labels[track.direction],
                             track.labels[1 - track.direction], LatencyLabels::Way{limit, track.toll, pairs_})});
}

// Of one module: from few to many, in steps of equal ratio; no more of them than tables by number of blocks are cheap
// with.
std::size_t LatencyBound::spine_states() const {
  const double least = static_cast<double>(settings_.spine_states);
  const double ratio = static_cast<double>(settings_.spine_detail) / least;
  const double wanted = least * std::pow(ratio, static_cast<double>(detail_) / (kDetails - 1));
  return static_cast<std::size_t>(std::lround(std::max(least, std::min(wanted, kMostEntries / (1.0 + blocks_)))));
}

// Of those that are of no use any more the last are kept.
void LatencyBound::suggest(Blocks blocks) {
  if (blocks.empty()) return;
  suggestions_.push_back(std::move(blocks));
  if (suggestions_.size() > kMostSuggestions) suggestions_.erase(suggestions_.begin());
}

// While a toll is looked for, and where a sweep raises the bound: then labels have come closer to a split.
LatencyBound::Blocks LatencyBound::blocks_of_labels(const Sweep& sweep, Budget& slice) const {
  const Track& track = tracks_[sweep.track];
  const double found = sweep.labels->bound() - tolls(track);
  if (!pairs_ || track.direction == 1 || found == kNever) return {};
  if (stage_ != Stage::FineTolls && found <= bound_ * (1 + 2 * kRoundingOfFlows)) return {};
  std::uint64_t ticks = 0;
  Blocks blocks = detail::blocks_of_labels(*model_, *reach_, sweep.labels->labels(), sweep.labels->bound(), track.toll,
                                           static_cast<std::size_t>(blocks_), ticks);
  slice.spend(ticks);
  return blocks;
}

// For splits below the limit, if the facts say something of these alone; else for all.
void LatencyBound::raise(double found, double tolls, const char* proof) {
  const double bound = std::min(found, limit_) - kRoundingOfFlows * (std::abs(found) + tolls);
  if (bound <= bound_) return;
  bound_ = bound;
  proof_ = proof;
}

// There is no split, or none below the limit, which may have fallen since the work began, but never rises.
void LatencyBound::rule_all_out(const char* proof) {
  bound_ = needs_limit() ? std::max(bound_, limit_ * (1 - kRoundingOfFlows)) : kNever;
  proof_ = proof;
  finished_ = true;
}

void LatencyBound::end_spine() {
  const std::unique_ptr<SpineBound> spine = std::move(spine_);
  const double found = spine->bound();
  if (found == kNever) {
    rule_all_out(kBySpine);
    return;
  }
  raise(found, 0, kBySpine);
  spine_is_exact_ = spine->is_exact();
  to_come_ = spine->to_come();
  if (found >= best_by_spine_ || needs_limit()) suggest(spine->cheapest_blocks());
  if (needs_limit()) {
    if (spine->learn(limit_, facts_)) {
      facts_new_ = spine_is_old_ = packing_is_old_ = true;
      for (Track& track : tracks_) track.idle = 0;
    }
    if (proof_ == kBySpine && look_closer()) return;
    if (stage_ == Stage::Below) next_track();
    return;
  }
  if (found >= best_by_spine_) {
    best_by_spine_ = found;
    best_neglect_ = kNeglects[spines_tried_];
  }
  // Those that leave less aside may be the same spine again.
  while (++spines_tried_ < std::size(kNeglects)) {
    if (find_spine(*model_, *reach_, kNeglects[spines_tried_]).nodes != spine->spine().nodes) return;
  }
  stage_ = Stage::Labels;
  finished_ = nothing_to_do();
}

void LatencyBound::end_packing() {
  const std::unique_ptr<PackingBound> packing = std::move(packing_);
  if (packing->bound() == kNever) {
    rule_all_out(kByPacking);
    return;
  }
  raise(packing->bound(), 0, kByPacking);
  next_track();
}

void LatencyBound::end_sweeps() {
  std::vector<Sweep> ended = std::move(sweeps_);
  sweeps_.clear();
  for (Sweep& sweep : ended) {
    suggest(std::move(sweep.blocks));
    if (!end_sweep(sweep)) return;
  }
  switch (stage_) {
    case Stage::Spines: break;
    case Stage::Labels:
      best_by_toll_ = ended[0].bound;
      stage_ = blocks_ > 0 && settings_.tolls ? Stage::Tolls : Stage::Below;
      spine_is_old_ = true;  // now there is a limit
      if (stage_ == Stage::Tolls) end_tolls({});
      break;
    case Stage::Tolls: end_tolls(ended); break;
    case Stage::FineTolls:
      for (const Sweep& sweep : ended) finer_tolls_->tell(tracks_[sweep.track].toll, sweep.bound);
      try_finer_tolls();
      break;
    case Stage::Below: next_track();
  }
}

// False if nothing is left to do.
bool LatencyBound::end_sweep(Sweep& sweep) {
  Track& track = tracks_[sweep.track];
  const double found = sweep.bound = sweep.labels->bound() - tolls(track);
  const EdgeLabels before = std::move(track.labels[track.direction]);
  track.labels[track.direction] = sweep.labels->labels();
  sweep.labels.reset();
  if (found == kNever) {
    rule_all_out(needs_limit() ? kByLimit : kByLabels);
    return false;
  }
  raise(found, tolls(track), track.toll > 0 ? kByTolls : kByLabels);
  if (track.toll == 0 && track.direction == 0) without_tolls_ = found;
  const bool learned = needs_limit() && learn(track);
  const bool moved = track.labels[track.direction] != before;
  packing_is_old_ = packing_is_old_ || moved || learned;
  track.direction = 1 - track.direction;
  if (learned) {
    spine_is_old_ = true;
    for (Track& other : tracks_) other.idle = 0;
  } else {
    track.idle = moved ? 0 : track.idle + 1;
  }
  return true;
}

bool LatencyBound::all_idle() const {
  return std::all_of(tracks_.begin(), tracks_.end(), [](const Track& track) { return track.idle >= kMostIdle; });
}

// The next one whose labels may still move; if there is none, nothing is left to do.
void LatencyBound::next_track() {
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    turn_ = (turn_ + 1) % tracks_.size();
    if (tracks_[turn_].idle < kMostIdle) return;
  }
  if (spine_is_old_ && settings_.spines) return;
  if (packing_is_old_ && settings_.packing) return;
  finished_ = !look_closer() && !look_at_finer_tolls();
}

// At the spine, if that may help.
bool LatencyBound::look_closer() {
  if (!settings_.spines || spine_is_exact_ || detail_ + 1 == kDetails) return false;
  ++detail_;
  return spine_is_old_ = true;
}

bool LatencyBound::look_at_pairs() {
  const bool refuted = bound_ >= limit_ * (1 - 2 * kRoundingOfFlows);
  if (!finished_ || pairs_ || !settings_.pairs || stage_ != Stage::Below || refuted) return false;
  if (nothing_to_do() || model_->by_class().size() > 1) return false;
  pairs_ = true;
  finished_ = false;
  for (Track& track : tracks_) track.idle = 0;
  return true;
}

// Tolls grow until they give less; then the best stays, beside no toll at all.
void LatencyBound::end_tolls(const std::vector<Sweep>& ended) {
  bool past_the_best = false;
  for (const Sweep& sweep : ended) {
    const bool better = sweep.bound > best_by_toll_;
    past_the_best = past_the_best || (best_track_ > 0 && !better);
    if (past_the_best || !better) continue;
    best_by_toll_ = sweep.bound;
    best_track_ = sweep.track;
  }
  if (!past_the_best && add_tolls()) return;
  if (best_track_ > 1) std::swap(tracks_[1], tracks_[best_track_]);
  tracks_.resize(best_track_ > 0 ? 2 : 1);
  turn_ = 0;
  stage_ = Stage::Below;
}

// False if none is left.
bool LatencyBound::add_tolls() {
  const double unit = (limit_ < kNever ? limit_ : bound_) / blocks_;
  turn_ = tracks_.size();
  while (tracks_.size() < turn_ + at_once()) {
    const double next = tracks_.size() == 1 ? kFirstToll * unit : 2 * tracks_.back().toll;
    if (!(unit > 0) || next > kLastToll * unit) break;
    add_track(next);
  }
  return turn_ < tracks_.size();
}

void LatencyBound::add_track(double toll) {
  const EdgeLabels none(model_->edge_count(), 0);
  tracks_.push_back({toll, {none, none}});
}

// Blocks beside the path pay for what they save beside others, which may be far less than what a block on it saves.
bool LatencyBound::look_at_finer_tolls() {
  if (!pairs_ || finer_tolls_ || !settings_.tolls || blocks_ == 0) return false;
  const double unit = limit_ / blocks_;
  if (!(unit > 0)) return false;
  finer_tolls_.emplace(without_tolls_, kFirstFineToll * unit, kLastToll * unit);
  stage_ = Stage::FineTolls;
  try_finer_tolls();
  return true;
}

// In the end the best stays.
void LatencyBound::try_finer_tolls() {
  tracks_.resize(1);
  turn_ = 1;
  for (const double toll : finer_tolls_->next(std::min(at_once(), kMostFineTolls))) add_track(toll);
  if (tracks_.size() > 1) return;
  stage_ = Stage::Below;
  if (finer_tolls_->best() > 0) add_track(finer_tolls_->best());
  turn_ = tracks_.size() - 1;
}

// What the labels say about splits below the limit. True if there is something new.
bool LatencyBound::learn(const Track& track) {
  const double limit = limit_ + tolls(track);
  bool any = join_ends(*model_, track.labels, limit, facts_);
  for (NodeId v : instance_.nodes.all()) {
    const LatencyNode& node = instance_.nodes[v];
    if (facts_.on_host[node.group] && time_around(*model_, track.labels, v) + node.host_time >= limit)
      any = facts_.ban_from_hosts(node.group) || any;
  }
  facts_new_ = facts_new_ || any;
  return any;
}

}  // namespace partita::detail
