// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/free_anneal.h"

#include <algorithm>
#include <cmath>

#include "partita/util/time_watch.h"

namespace partita::detail {
namespace {

constexpr std::uint64_t kProposalsPerLook = 256, kProposalsPerTick = 4;
constexpr std::size_t kLooksPerRefresh = 64;
constexpr double kSwapShare = 0.35;
constexpr double kUncutShare = 0.5;  // of the moves of single groups
constexpr double kFirstChunkShare = 0.25, kLastChunkShare = 0.06;
constexpr std::size_t kLargestChunk = 500;
constexpr double kAnyExcess = 0.02;  // price of any excess of memory, in limits, so that tiny ones do not pay

}  // namespace

template <class Loads>
FreeAnneal<Loads>::FreeAnneal(const FreeInstance& instance)
    : graph_(instance.graph),
      loads_(instance),
      soft_(loads_.device_count(), 0),
      overfull_(loads_.device_count(), 0),
      touched_at_(loads_.device_count(), 0) {
  best_.value = std::numeric_limits<double>::infinity();
}

template <class Loads>
void FreeAnneal<Loads>::start(const IdVector<GroupId, DeviceId>& device_of, const FreeAnnealOptions& options,
                              const std::vector<Dendrogram>& chunks, Dice& dice) {
  options_ = options;
  chunks_ = &chunks;
  dice_ = &dice;
  loads_.reset(device_of);
  best_.value = std::numeric_limits<double>::infinity();
  used_ = 0;
  since_refresh_ = 0;
  look();
  if (excess_ == 0) note_if_best();
}

template <class Loads>
bool FreeAnneal<Loads>::advance(Budget& budget) {
  while (used_ < options_.proposals) {
    if (budget.exhausted()) return false;
    TimeWatch watch(&budget);
    std::uint64_t done = 0;
    const std::uint64_t until = std::max<std::uint64_t>(kProposalsPerLook, 2 * loads_.device_count());
    while (done < until) {
      watch.step();
      steps_.clear();
      touched_.clear();
      ++proposal_;
      const bool proposed = propose();
      done += 1 + steps_.size() / 2;
      if (!proposed || steps_.empty()) continue;
      if (settle()) {
        if (excess_ == 0 && sum_ < worth_looking_) note_if_best();
      } else {
        take_back();
      }
    }
    used_ += done;
    budget.spend(done / kProposalsPerTick);
    look();
  }
  return true;
}

// The schedule, and the energy afresh so that rounding does not add up.
template <class Loads>
void FreeAnneal<Loads>::look() {
  const double progress = std::min(1.0, static_cast<double>(used_) / static_cast<double>(options_.proposals));
  power_ = options_.first_power * std::pow(options_.last_power / options_.first_power, progress);
  heat_ = power_ * options_.hot * std::pow(options_.cold / options_.hot, progress);
  chunk_share_ = kFirstChunkShare + (kLastChunkShare - kFirstChunkShare) * progress;
  if (++since_refresh_ >= kLooksPerRefresh) {
    loads_.refresh();
    since_refresh_ = 0;
  }
  recompute_energy();
}

template <class Loads>
double FreeAnneal<Loads>::soft_load(DeviceId d) const {
  return std::exp(power_ * (loads_.load(d) / options_.scale - 1));
}

template <class Loads>
double FreeAnneal<Loads>::memory_excess(DeviceId d) const {
  const double overfull = loads_.overfull(d);
  return overfull > 0 ? overfull + kAnyExcess : 0;
}

template <class Loads>
void FreeAnneal<Loads>::recompute_energy() {
  sum_ = excess_ = 0;
  for (DeviceId d : soft_.all()) {
    sum_ += soft_[d] = soft_load(d);
    excess_ += overfull_[d] = memory_excess(d);
  }
  // If every load is below the best value, so is every part of the sum.
  const double most = std::exp(power_ * (best_.value / options_.scale - 1));
  worth_looking_ = most * static_cast<double>(loads_.device_count());
}

template <class Loads>
bool FreeAnneal<Loads>::propose() {
  const double kind = dice_->chance();
  if (kind < chunk_share_) return propose_chunk();
  if (kind < chunk_share_ + kSwapShare) return propose_swap();
  return dice_->chance() < kUncutShare ? propose_uncut() : propose_single();
}

template <class Loads>
DeviceId FreeAnneal<Loads>::near_device(GroupId v) {
  const auto nets = graph_.nets_of(v);
  if (nets.empty()) return DeviceId(dice_->below(loads_.device_count()));
  const auto members = graph_.members(nets[dice_->below(nets.size())]);
  return loads_.device_of(members[dice_->below(members.size())]);
}

// A group at a cut net goes where another member is.
template <class Loads>
bool FreeAnneal<Loads>::propose_uncut() {
  const auto cut = loads_.cut_nets();
  if (cut.empty()) return false;
  const auto members = graph_.members(cut[dice_->below(cut.size())]);
  const GroupId v = members[dice_->below(members.size())];
  const DeviceId to = loads_.device_of(members[dice_->below(members.size())]);
  if (to == loads_.device_of(v) || !loads_.can_run(v, to)) return false;
  try_move(v, to);
  return true;
}

template <class Loads>
bool FreeAnneal<Loads>::propose_single() {
  const GroupId v(dice_->below(graph_.size()));
  const DeviceId to = dice_->one_in(4) ? DeviceId(dice_->below(loads_.device_count())) : near_device(v);
  if (to == loads_.device_of(v) || !loads_.can_run(v, to)) return false;
  try_move(v, to);
  return true;
}

template <class Loads>
bool FreeAnneal<Loads>::propose_swap() {
  const GroupId v(dice_->below(graph_.size())), w(dice_->below(graph_.size()));
  const DeviceId a = loads_.device_of(v), b = loads_.device_of(w);
  if (a == b || !loads_.can_run(v, b) || !loads_.can_run(w, a)) return false;
  try_move(v, b);
  try_move(w, a);
  return true;
}

template <class Loads>
std::span<const GroupId> FreeAnneal<Loads>::random_chunk(GroupId v, std::size_t levels) {
  const auto chunk = (*chunks_)[dice_->below(chunks_->size())].above(v, levels);
  const std::size_t most = std::min(std::max<std::size_t>(graph_.size() / 3, 2), kLargestChunk);
  return chunk.size() <= most ? chunk : std::span<const GroupId>();
}

template <class Loads>
bool FreeAnneal<Loads>::propose_chunk() {
  if (chunks_->empty()) return false;
  std::size_t levels = 1 + dice_->below(12);
  if (dice_->one_in(4)) levels += dice_->below(60);
  const auto chunk = random_chunk(GroupId(dice_->below(graph_.size())), levels);
  if (chunk.empty()) return false;
  const DeviceId from = loads_.device_of(chunk[dice_->below(chunk.size())]);
  const DeviceId to =
      dice_->one_in(3) ? DeviceId(dice_->below(loads_.device_count())) : near_device(chunk[dice_->below(chunk.size())]);
  const bool only_from = dice_->one_in(2), with_return = dice_->one_in(5);
  if (only_from && from == to) return false;
  for (GroupId v : chunk) {
    const DeviceId at = loads_.device_of(v);
    if (at != to && (!only_from || at == from) && loads_.can_run(v, to)) try_move(v, to);
  }
  if (!with_return || from == to) return true;
  // Something that stood there before comes back: what has just arrived is found on `to` as well, but moving it on only
  // makes the first move smaller.
  for (int tries = 0; tries < 8; ++tries) {
    const GroupId w(dice_->below(graph_.size()));
    if (loads_.device_of(w) != to) continue;
    for (GroupId v : random_chunk(w, dice_->below(10))) {
      if (loads_.device_of(v) == to && loads_.can_run(v, from)) try_move(v, from);
    }
    break;
  }
  return true;
}

template <class Loads>
void FreeAnneal<Loads>::try_move(GroupId v, DeviceId to) {
  const DeviceId from = loads_.device_of(v);
  for (DeviceId d : {from, to}) {
    if (touched_at_[d] == proposal_) continue;
    touched_at_[d] = proposal_;
    touched_.push_back(loads_.save(d));
  }
  steps_.push_back({v, from});
  loads_.move(v, to);
}

template <class Loads>
void FreeAnneal<Loads>::take_back() {
  for (std::size_t i = steps_.size(); i-- > 0;) loads_.move(steps_[i].group, steps_[i].from);
  for (const auto& saved : touched_) loads_.restore(saved);
}

// Accepts what was tried, or says no.
template <class Loads>
bool FreeAnneal<Loads>::settle() {
  double sum = sum_, excess = excess_;
  for (const auto& touched : touched_) {
    sum += soft_load(touched.device) - soft_[touched.device];
    excess += memory_excess(touched.device) - overfull_[touched.device];
  }
  double allowed = sum_;
  if (excess != excess_) allowed *= std::exp(power_ * options_.memory_price * (excess_ - excess));
  if (sum > allowed && sum > allowed * std::exp(-heat_ * std::log(dice_->chance()))) return false;
  bool over = false;
  for (const auto& touched : touched_) {
    soft_[touched.device] = soft_load(touched.device);
    overfull_[touched.device] = memory_excess(touched.device);
    over = over || overfull_[touched.device] > 0;
  }
  sum_ = sum;
  excess_ = excess;
  // Differences of equal numbers may leave a trace; only an exact zero means that everything fits.
  if (!over && excess_ != 0) {
    excess_ = 0;
    for (double part : overfull_) excess_ += part;
  }
  return true;
}

template <class Loads>
void FreeAnneal<Loads>::note_if_best() {
  double largest = 0;
  for (DeviceId d : soft_.all()) {
    largest = std::max(largest, loads_.load(d));
    if (largest >= best_.value) return;
  }
  best_.value = largest;
  best_.device_of = loads_.device_of();
  worth_looking_ = std::exp(power_ * (best_.value / options_.scale - 1)) * static_cast<double>(loads_.device_count());
}

template class FreeAnneal<SumLoads>;
template class FreeAnneal<PartLoads>;

}  // namespace partita::detail
