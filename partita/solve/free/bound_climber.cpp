// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/bound_climber.h"

#include <algorithm>
#include <span>

#include "partita/solve/configuration/narrow_order.h"
#include "partita/solve/free/pair_search.h"
#include "partita/solve/free/part_loads.h"
#include "partita/solve/free/price_and_dive.h"
#include "partita/solve/free/sum_loads.h"
#include "partita/util/statistics.h"

namespace partita::detail {
namespace {

constexpr std::size_t kNarrowestLayer = 16;           // of a trellis
constexpr std::size_t kMostConvexStates = 1'500'000;  // in all: pricing more takes longer than it is worth
constexpr int kTriesAtCheck = 4, kFinerBuckets = 4;
// What takes the check longer is not worth waiting for, and other limits of that graph hardly take it less. [DenseNet-201,
// inference, whose smaller graph has transfers that the check's states do not tell apart: half a minute of a minute.]
constexpr std::uint64_t kMostCheckTicks = 12'000'000;
constexpr int kMostUnproved = 2;
// But where little is open, checks may take a quarter of what bounds had, those in vain together. [InceptionV3,
// inference: fine buckets, so that a check takes 15 to 28 million ticks after 100 to 500 million of the LP.]
constexpr std::uint64_t kCheckShare = 4;
// Of the shortfall: prices that may be a proof, which finer buckets have to show.
constexpr double kNearlyProved = 1 + 5e-5;
// From far below, prices come nearer to a proof with every limit refuted. [GPT-2-medium, inference: limits 6, 4, 3 and
// 2 % below the best value in 6.5 s together. With forty times the patience just below the value, BERT-6 is proved in
// 0.8 instead of 1.4 s, and DenseNet-201, inference, stays open by 17 % after a minute.] Where less than 1 % is open, a
// limit that was given up is lost work. [InceptionV3, training: 116.801, 0.09 % below the best value, is refuted after
// 61 s, as the first; before, limits up to 0.18 % below it, each anew, in 300 s.]
constexpr LimitLadder::Patience kFreePatience{.far = 0.03, .near = 0.01, .times_near = 16};
// Where so much is open after so many ticks without a refutation, one smaller graph climbs alone, from far below: in turns
// of many rounds, with a narrower trellis. A proof then says more than what comes next, so the check may take as long
// as all before.
constexpr double kMuchOpen = 0.1, kManyStates = 1e5;
constexpr std::uint64_t kTicksInVain = 10'000'000, kFarTicks = 25'000'000, kFarCheckTicks = 50'000'000;
constexpr LimitLadder::Patience kFarPatience{
    .first = 30'000'000, .other = 30'000'000, .far = 0.03, .far_at_first = true};
constexpr std::size_t kSmallerTrellis = 4;
constexpr double kPartOfUnproved = 0.75;  // of the way from the bound to a limit whose proof takes too long
constexpr double kRoomForProof = 0.98;    // of a limit that prices seem to refute: one that they can prove impossible
// Limits over convex sets take longer, and more of them are refuted just below the value.
constexpr LimitLadder::Patience kConvexPatience{25'000'000, 1'000'000, 60'000'000, 8'000'000};
// On a tree before other limits are tried. Of free splits most are proved by the LP, and trees are large.
constexpr std::uint64_t kFirstTreeTicks = 60'000'000, kFirstFreeTreeTicks = 4'000'000;
constexpr int kMostTooLarge = 2;
constexpr int kRoundsInVain = 2;  // of limits on a smaller graph, before larger ones are asked them too
// Dives at a limit, and ticks for them: as many as the LP took to allow it, within these limits.
constexpr int kDivesAtLimit = 6, kMostVainDives = 20;
// One is enough that ends in the lowest part of what is between the limit and the best value, or anywhere below a value
// that is far from the limit.
constexpr double kGoodDive = 0.2, kFarFromLimit = 0.01;
constexpr double kDiveBeyond = 1.001;  // of the best value: as far as that, pairs of devices may even out
// A split of a dive that is so near to the limit is hardly the best. [BERT-12, inference: a dive from 135.04 ends at the best
// value, 130.04, which is proved at once; limits in between take a second.]
constexpr double kJustWithin = 0.999;
constexpr std::uint64_t kEvenOutTicks = 6'000'000;
constexpr std::uint64_t kLeastDiveTicks = 4'000'000, kMostDiveTicks = 80'000'000;
// A graph of fewer groups and states is small enough as it is, and loses nothing. [BERT-6, training, whose smaller graph
// allows the limit that the whole one refutes: 0.8 s instead of 2.2.]
constexpr std::size_t kFewGroups = 500;
constexpr double kFewStates = 1e5, kFewConvexStates = 5e5;  // of the latter many are never reached
// Of shrink, before the whole graph. [InceptionV3, training: with 0.01 the LP allows limits from 14 % below the value on,
// with 0.002 from 5 %. Over convex sets the whole graph is often small enough to be asked next. Without the sums of
// the spine: llama-1b-inference takes 2.4 s then instead of 1.8, contiguous, and densenet-201-training gains nothing.]
// Those with followers come last, and only where the others are wide: elsewhere the LP may take longer on such a graph.
// [gpt2-medium-training, contiguous: 0.4 s without, 4.9 s with them first. densenet-201-training, contiguous: 14 % open
// after half a minute without, 4 % with them.]
constexpr ShrinkDose kFreeDoses[] = {{0.01, 0.004}, {0.01}, {0.002}, {0.0005}},
                     kContiguousDoses[] = {{0.01, 0.004}, {0.01}, {0.01, 0.004, false, 0, true}};
constexpr double kWideStates = 1e9;

}  // namespace

BoundClimber::BoundClimber(const FreeInstance& instance, const ConvexOrder& order, const FreeOptions& options,
                           const ProofCheck& check, Budget& budget)
    : instance_(instance),
      convex_order_(order),
      options_(options),
      check_(check),
      budget_(budget),
      dice_(options.seed) {
  if (!options.settings.configuration_lp) finished_from_ = 0;
  const bool two_passes = std::ranges::any_of(instance.time, [](const auto& times) {
    return std::ranges::any_of(times, [](const ClassTime& time) { return time.pass[1] > 0; });
  });
  for (const LoadWeights& weights : list_load_weights(instance.mode, two_passes)) {
    std::vector<std::optional<ShrinkDose>> doses{std::nullopt};
    if (options.settings.shrink && instance.is_plain()) {
      const std::span<const ShrinkDose> smaller =
          order.empty() ? std::span<const ShrinkDose>(kFreeDoses) : kContiguousDoses;
      doses.insert(doses.begin(), smaller.begin(), smaller.end());
    }
    const Climber* before = nullptr;
    for (const std::optional<ShrinkDose>& dose : doses) {
      climbers_.push_back(std::make_unique<Climber>(weights, order.empty() ? kFreePatience : kConvexPatience));
      climbers_.back()->dose = dose;
      climbers_.back()->before = before;
      before = climbers_.back().get();
    }
  }
}

std::optional<BoundClimber::News> BoundClimber::climb(const FreeSplit& best, double bound, std::uint64_t ticks) {
  const Open open{best.value, bound};
  little_is_open_ = best.value - bound < kFreePatience.near * best.value;
  if (Climber* const far = far_climber(open)) {
    ticks = std::max(ticks, kFarTicks);
    if (const double limit = far->ladder.next(best.value, bound, ticks); limit > 0)
      return climb_ladder(*far, limit, open, far->ladder.within_patience(ticks));
  }
  Climber* climber = next_climber(open);
  while (climber && climber->order.empty() && !make_graph(*climber, best.value)) climber = next_climber(open);
  if (!climber) {
    finished_from_ = best.value;
    return std::nullopt;
  }
  if (!climber->lp) make_lp(*climber);
  if (best.value < climber->suggested) {
    climber->lp->suggest(climber->small ? climber->small->without_removed(best) : best);
    climber->tree.reset();  // its limit is above the value
    climber->vain_dives = 0;
  }
  climber->suggested = best.value;
  const bool alone = climber->ladder.exhausted(best.value, bound);
  const bool has_tree = has_tree_to_climb(*climber, open);
  if (alone && has_dive_left(*climber, open) && (!has_tree || climber->dive_ticks <= climber->tree_ticks))
    return dive_between(*climber, best.value, ticks);
  if (has_tree) {
    return climb_tree(*climber, alone ? ticks : std::min(ticks, first_tree_ticks() - climber->tree_ticks));
  }
  const double limit = climber->ladder.next(best.value, bound, ticks);
  if (!(limit > 0)) return std::nullopt;
  // Over convex sets the whole turn, which is no longer than what a limit takes.
  if (convex_order_.empty()) ticks = climber->ladder.within_patience(ticks);
  return climb_ladder(*climber, limit, open, ticks);
}

// Whom to ask first where the others got nowhere, or null.
BoundClimber::Climber* BoundClimber::far_climber(const Open& open) {
  const double part_open = (open.value - open.bound) / open.value;
  if (!far_ && (any_refuted_ || part_open < kMuchOpen || budget_.ticks_used() < kTicksInVain || !make_far_climber()))
    return nullptr;
  const bool is_over = far_->skipped || part_open < kFarPatience.far || far_->lp->too_large() ||
                       far_->ladder.rounds_in_vain() >= kRoundsInVain || far_->ladder.exhausted(open.value, open.bound);
  return is_over ? nullptr : far_.get();
}

// False if there is no smaller graph with many states.
bool BoundClimber::make_far_climber() {
  if (!convex_order_.empty()) return false;
  const Climber* narrowest = nullptr;
  double least = kNotYet;
  for (const auto& climber : climbers_) {
    if (!climber->small || climber->order.empty()) continue;
    const double states = estimated_states(climber->small->graph(), climber->order);
    if (states < least) {
      least = states;
      narrowest = climber.get();
    }
  }
  if (!narrowest || least < kManyStates) return false;
  far_ = std::make_unique<Climber>(narrowest->weights, kFarPatience);
  far_->dose = narrowest->dose;
  far_->small = narrowest->small;
  far_->order = narrowest->order;
  far_->far = true;
  make_lp(*far_);
  return true;
}

BoundClimber::News BoundClimber::climb_ladder(Climber& climber, double limit, const Open& open, std::uint64_t ticks) {
  const double value = open.value;
  Budget slice(budget_, ticks);
  News news{climber.lp->refute(limit, slice), std::nullopt, std::nullopt};
  ProofTree proof;
  if (news.answer == Refutation::Refuted) proof.push_back(told_of_whole(climber, climber.lp->proof()));
  if (news.answer == Refutation::Refuted && holds(proof)) {
    climber.ladder.refuted(likely_limit_above(limit, climber.lp->shortfall()));
    news.proof = std::move(proof);
    climber.unproved = 0;
    any_refuted_ = true;
    if (climber.without_followers()) turn_ = last_turn_;
  } else if (climber.lp->too_large() && ++climber.too_large < kMostTooLarge) {
    climber.tree.reset();  // it asks the LP
    climber.lp.reset();    // a narrower one comes next, which gives up more of the order
  } else if (news.answer == Refutation::LpFeasible) {
    climber.ladder.impossible(likely_limit(limit, climber.lp->shortfall()));
    climber.met_its_end = true;
    if (may_dive(climber)) {
      const std::uint64_t dive_ticks = std::clamp(slice.ticks_used(), kLeastDiveTicks, kMostDiveTicks);
      news.split = dive(climber, limit, value, dive_ticks);
      if (news.split) return news;
    }
    // A tree needs a limit worth refuting: just below the value.
    const bool at_top = climber.ladder.is_at_top();
    if (at_top && limit < value && !climber.tree && !climber.lp->too_large())
      climber.tree = std::make_unique<PairTree>(*climber.lp, limit);
  } else {
    const bool unproved = news.answer == Refutation::Refuted;
    if (unproved && climber.small && ++climber.unproved == kMostUnproved) climber.skipped = climber.met_its_end = true;
    const double shortfall = climber.lp->shortfall();
    // The same prices refute a lower limit with fewer buckets, which take the check less.
    const double with_less = climber.far ? open.bound + kPartOfUnproved * (limit - open.bound) : 0;
    const double likely = (climber.far ? kRoomForProof : 1) * likely_limit(limit, shortfall);
    climber.ladder.undecided(unproved, unproved ? with_less : likely, !climber.far && shortfall <= kNearlyProved);
  }
  return news;
}

BoundClimber::News BoundClimber::climb_tree(Climber& climber, std::uint64_t ticks) {
  Budget slice(budget_, ticks);
  News news{climber.tree->refute(slice), std::nullopt, std::nullopt};
  climber.tree_ticks += slice.ticks_used() + 1;
  if (news.answer == Refutation::Undecided) return news;
  ProofTree proof;
  for (const FreeProof& leaf : climber.tree->leaves()) proof.push_back(told_of_whole(climber, leaf));
  if (news.answer == Refutation::Refuted && holds(proof)) {
    news.proof = std::move(proof);
  } else if (!climber.tree->sets().empty()) {
    news.split = split_of(climber, climber.tree->sets());
  }
  climber.tree.reset();
  return news;
}

// Loads must be what the LP takes them for.
bool BoundClimber::may_dive(const Climber& climber) const {
  return options_.settings.dives && !climber.dose && convex_order_.empty() && SumLoads::serves(instance_) &&
         !climber.lp->too_large();
}

bool BoundClimber::has_dive_left(const Climber& climber, const Open& open) const {
  return climber.lp && may_dive(climber) && climber.ladder.allowed_from() < open.value &&
         climber.vain_dives < kMostVainDives;
}

// From a limit between those that the LP allows and the value: the higher it is, the more splits there are.
BoundClimber::News BoundClimber::dive_between(Climber& climber, double value, std::uint64_t ticks) {
  Budget slice(budget_, ticks);
  const double limit = dice_.between(climber.ladder.allowed_from(), value);
  News news{climber.lp->refute(limit, slice), std::nullopt, std::nullopt};
  climber.dive_ticks += slice.ticks_used() + 1;
  news.split = dive(climber, limit, value, std::clamp(ticks, kLeastDiveTicks, kMostDiveTicks));
  return news;
}

// A split below the value made of the LP's solution.
std::optional<FreeSplit> BoundClimber::dive(Climber& climber, double limit, double value, std::uint64_t ticks) {
  Technique dives(budget_, "free.dives", "better splits");
  Budget slice(budget_, ticks);
  const PriceAndDive program(climber.lp->model(), climber.order, trellis_size(climber));
  const PriceAndDive::Start start{limit, kDiveBeyond * value, climber.lp->solution(), climber.lp->columns(),
                                  climber.lp->prices()};
  std::optional<FreeSplit> found;
  const bool first = climber.vain_dives++ == 0;
  double best = value;
  const double good = limit + kGoodDive * (value - limit);
  const auto is_good = [&] { return best <= good || (best < value && limit < (1 - kFarFromLimit) * value); };
  for (int i = 0; i < kDivesAtLimit && !start.solution.empty() && !slice.exhausted() && !is_good(); ++i) {
    const bool greedy = first && i == 0;
    const auto sets = program.dive(start, greedy, dice_, slice);
    if (!sets) continue;
    FreeSplit split = split_of(climber, *sets);
    if (!is_legal(instance_, split.device_of)) continue;
    split.value = free_value(instance_, split.device_of);
    if (split.value > kJustWithin * limit) split = evened_out(std::move(split), slice);
    if (split.value < best) {
      best = split.value;
      found = std::move(split);
    }
  }
  climber.dive_ticks += slice.ticks_used() + 1;
  dives.yield(found ? 1 : 0);
  if (found && found->value > kJustWithin * limit) climber.ladder.split_was_allowed();
  return found;
}

// Dives leave some devices more room than others: pairs of them are split anew.
FreeSplit BoundClimber::evened_out(FreeSplit split, Budget& slice) {
  Budget some(slice, kEvenOutTicks);
  PairSearch<SumLoads> pairs(instance_);
  pairs.start(split.device_of, kEvenOutTicks);
  while (!some.exhausted() && pairs.advance(1, dice_, some)) {
  }
  if (is_legal(instance_, pairs.loads().device_of())) split.device_of = pairs.loads().device_of();
  split.value = free_value(instance_, split.device_of);
  return split;
}

bool BoundClimber::is_small() {
  if (instance_.graph.size() >= kFewGroups) return false;
  if (order_.empty()) order_ = narrow_order(instance_.graph, convex_order_, options_.seed, &budget_);
  return estimated_states(instance_.graph, order_) < (convex_order_.empty() ? kFewStates : kFewConvexStates);
}

// False if its graph is not worth having.
bool BoundClimber::make_graph(Climber& climber, double value) {
  if (climber.dose) {
    const bool wanted = climber.dose->followers ? some_graph_is_wide() : !is_small();
    if (wanted) climber.small = ShrunkFree::make(instance_, convex_order_, value, *climber.dose, budget_);
    const ShrunkFree* const smaller = climber.before && climber.before->small ? &*climber.before->small : nullptr;
    climber.skipped = !climber.small || (smaller && smaller->removed() == climber.small->removed());
    climber.met_its_end = climber.skipped;
    if (climber.skipped) return false;
    climber.order = narrow_order(climber.small->graph(), climber.small->order(), options_.seed, &budget_);
  } else if (!convex_order_.empty() || climber.weights.any_transfers()) {
    if (order_.empty()) order_ = narrow_order(instance_.graph, convex_order_, options_.seed, &budget_);
    climber.order = order_;
  } else {  // without transfers any order is as narrow as any other
    for (GroupId v : instance_.graph.all()) climber.order.push_back(v);
  }
  return true;
}

// From far below, first prices are by time: in a smaller graph some times are more than they were. [densenet-201-training,
// 6.6, before the first round: 3 % from a proof, 43 % with the prices of what was removed left to whom it went to.]
void BoundClimber::make_lp(Climber& climber) {
  ConfigurationModel model =
      climber.small ? climber.small->model(instance_) : model_of(instance_, climber.weights, convex_order_);
  GroupPrices prices = climber.far ? GroupPrices() : first_prices_;
  if (climber.small) prices = climber.small->without_removed(std::move(prices));
  if (prices.empty()) prices = prices_by_time(model);
  climber.lp =
      std::make_unique<ConfigurationLp>(std::move(model), std::move(prices), climber.order, trellis_size(climber));
  if (climber.far) climber.lp->go_far();
  climber.suggested = std::numeric_limits<double>::infinity();
}

// Of the trellises of all classes of an LP; half as many where there are several LPs. Those of convex sets are narrow
// but for a few layers, so that they may be wide there; where they are not, all layers have the same width.
Trellis::Size BoundClimber::trellis_size(const Climber& climber) const {
  const std::size_t trellises = std::max<std::size_t>(instance_.devices.accelerator_classes(), 1);
  const bool several = std::ranges::count_if(climbers_, [](const auto& c) { return !c->dose; }) > 1;
  const std::size_t parts = trellises * (several ? 2 : 1);
  const std::size_t most = options_.settings.most_states / parts, widest = options_.settings.widest_layer;
  const auto evenly = [&](std::size_t states) {
    return std::clamp(states / (climber.order.size() + 1), kNarrowestLayer, widest);
  };
  if (convex_order_.empty()) return {evenly(climber.far ? most / kSmallerTrellis : most)};
  const std::size_t most_convex = std::min<std::size_t>(most, kMostConvexStates / parts);
  return {climber.too_large == 0 ? widest : evenly(most_convex), most_convex};
}

std::uint64_t BoundClimber::first_tree_ticks() const {
  return convex_order_.empty() ? kFirstFreeTreeTicks : kFirstTreeTicks;
}

bool BoundClimber::has_tree_to_climb(const Climber& climber, const Open& open) const {
  return climber.tree && (climber.tree_ticks < first_tree_ticks() || climber.ladder.exhausted(open.value, open.bound));
}

bool BoundClimber::is_over(const Climber& climber, const Open& open) const {
  if (climber.skipped || (climber.before && !climber.before->met_its_end)) return true;
  if (has_tree_to_climb(climber, open)) return false;
  if (has_dive_left(climber, open)) return false;
  const bool hopeless = climber.too_large >= kMostTooLarge && open.value >= climber.suggested;
  if (hopeless || climber.ladder.exhausted(open.value, open.bound)) return true;
  return climber.ladder.is_below_top() && smaller_one_gets_on(climber, open);
}

// Of wide graphs the one without followers: limits that are far from the best value are refuted sooner there.
bool BoundClimber::smaller_one_gets_on(const Climber& climber, const Open& open) const {
  return std::ranges::any_of(climbers_, [&](const auto& other) {
    if (!other->without_followers() || other->skipped || other->too_large > 0 || other->order.empty()) return false;
    if (other->order.size() >= climber.order.size()) return false;
    return !other->ladder.exhausted(open.value, open.bound) && other->ladder.rounds_in_vain() < kRoundsInVain;
  });
}

bool BoundClimber::some_graph_is_wide() const {
  return std::ranges::any_of(climbers_, [](const auto& climber) {
    return climber->small && estimated_states(climber->small->graph(), climber->order) > kWideStates;
  });
}

// The one after the last that still has something to do, or a graph without followers that has just refuted a limit;
// compute alone, which is the first, begins.
BoundClimber::Climber* BoundClimber::next_climber(const Open& open) {
  for (std::size_t i = 0; i < climbers_.size(); ++i) {
    Climber* const climber = climbers_[turn_].get();
    last_turn_ = turn_;
    turn_ = (turn_ + 1) % climbers_.size();
    if (!is_over(*climber, open)) return climber;
  }
  return nullptr;
}

bool BoundClimber::holds(ProofTree& proof) {
  const std::uint64_t share = far_              ? std::max(budget_.ticks_used(), kFarCheckTicks)
                              : little_is_open_ ? budget_.ticks_used() / kCheckShare
                                                : 0;
  Budget slice(budget_, std::max(kMostCheckTicks, share - std::min(share, vain_check_ticks_)));
  for (int i = 0; i < kTriesAtCheck && !slice.exhausted(); ++i) {
    if (check_(proof, slice)) return true;
    for (FreeProof& leaf : proof) {
      for (FreeProof::Devices& of_class : leaf.devices)
        of_class.buckets = std::min(of_class.buckets * kFinerBuckets, kMostBuckets);
    }
  }
  vain_check_ticks_ += slice.ticks_used();
  return false;
}

FreeProof BoundClimber::told_of_whole(const Climber& climber, FreeProof proof) {
  return climber.small ? climber.small->with_removed(std::move(proof)) : proof;
}

// Devices of a class in the order of their sets; what is in no set cannot be, as every group is in one.
FreeSplit BoundClimber::split_of(const Climber& climber, const std::vector<SetInUse>& sets) const {
  FreeSplit split{0, IdVector<GroupId, DeviceId>(climber.lp->model().groups, DeviceId(0))};
  std::vector<std::size_t> used(instance_.class_count(), 0);
  for (const SetInUse& set : sets) {
    const DeviceTable::Class& device_class = instance_.device_class(set.device_class);
    const std::size_t place = std::min(used[set.device_class]++, device_class.count - 1);
    for (GroupId v : set.groups) split.device_of[v] = DeviceId(device_class.first + place);
  }
  return climber.small ? climber.small->with_removed(split) : split;
}

}  // namespace partita::detail
