// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/limit_ladder.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace partita::detail {
namespace {

// How far below the best value the first limit is: closer than anybody asks, yet not so close that rounding of loads to
// integers, or ties, make the refutation hard.
constexpr double kJustBelow = 5e-7;
constexpr double kClosest = 1e-4;  // limits nearer to each other than this, relative to the value, are the same
// Of what is open: so near to a hard limit more patience is better, and so near to one that the relaxation allows.
constexpr double kNearToHard = 0.02, kNearToAllowed = 0.1;
// A better value no further below a limit that was allowed than this much of what was open there may well be allowed too.
constexpr double kJustAllowed = 0.5;
// So much lower than what prices of an allowed limit seem to refute, limits take far less. [ResNet50, training: 76.196
// is open after 13 s.]
constexpr double kJudgedTooWell = 1.5e-4;
constexpr std::uint64_t kMorePatience = 3;
constexpr int kFirstSteps = 3, kSteps = 10;       // limits refuted on the way up in one round
constexpr int kFirstFailures = 1, kFailures = 3;  // limits that took too long
constexpr double kFurther = 2;
constexpr double kMostShortfall = 2;     // with more, prices know nothing
constexpr double kBelowShortfall = 1.1;  // an exponent: how much lower the next limit is than prices seem to ask for
constexpr double kAboveShortfall = 0.8;  // of how much higher it might be than the one that was refuted
constexpr double kFarthestStep = 0.9;    // of the same way, where prices are that good
constexpr double kStep = 0.35;  // of the way to the lowest limit that was too hard: limits get harder towards it

}  // namespace

double likely_limit(double limit, double shortfall) {
  return shortfall > 1 && shortfall < kMostShortfall ? limit / std::pow(shortfall, kBelowShortfall) : 0;
}

double likely_limit_above(double limit, double shortfall) {
  return shortfall > 0 && shortfall < 1 ? limit * (1 + kAboveShortfall * (1 / shortfall - 1)) : 0;
}

LimitLadder::LimitLadder(const Patience& patience)
    : given_(patience),
      patience_top_(patience.first_top),
      patience_(patience.first),
      steps_(kFirstSteps),
      failures_(kFirstFailures) {}

bool LimitLadder::exhausted(double value, double bound) const {
  return value * (1 - kJustBelow) >= allowed_from_ && allowed_from_ - bound < kClosest * value;
}

double LimitLadder::next(double value, double bound, std::uint64_t ticks) {
  if (exhausted(value, bound)) return 0;
  const double top = value * (1 - kJustBelow);
  is_near_ = top - bound < given_.near * value;
  const bool is_below = given_.far_at_first && top - bound > given_.far * value;
  if (top != top_) {  // a better split: try to prove it right away
    const bool goes_on = (is_near_ || is_below) && last_ != top_ && spent_ > 0;
    const bool just_allowed = is_near_ && allowed_from_ - top < kJustAllowed * (allowed_from_ - bound);
    const bool nearer = goes_on && missing_ < top - last_;
    top_failed_ = std::exchange(top_is_hopeless_, false) || (just_allowed && nearer) || is_below;
    is_brief_ = just_allowed && !top_failed_;
    if (!is_below) likely_ = 0;
    if (is_brief_ && goes_on) interrupted_ = {last_, missing_, spent_};
    if (!(goes_on && top_failed_)) spent_ = 0;
    top_ = top;
  }
  const double near = kClosest * value;
  double limit = top;
  if ((is_near_ || is_below) && top_failed_ && spent_ > 0 && last_ < std::min(top, allowed_from_) &&
      last_ - bound > near) {
    limit = last_;  // goes on, though the value may be a better one
  } else if (likely_ - bound > near && likely_ < std::min(top, allowed_from_)) {
    limit = likely_;
  } else if (top_failed_ || top >= allowed_from_) {
    const double open = std::min(top, allowed_from_) - bound;
    const double enough = std::max(near, open * (allowed_from_ < kNone ? kNearToAllowed : kNearToHard));
    if (climbed_ >= steps_ || failed_ >= failures_ || std::min({top, allowed_from_, hard_from_}) - bound < enough) {
      hard_from_ = kNone;
      top_failed_ = top - bound > given_.far * value;
      if (climbed_ == 0) ++vain_;
      climbed_ = failed_ = 0;
      steps_ = kSteps;
      failures_ = kFailures;
      patience_ = std::max(given_.other, patience_ * kMorePatience);
      patience_top_ = std::max(given_.top, patience_top_ * kMorePatience);
      spent_ = 0;
    }
    if (top_failed_ || top >= allowed_from_) {
      const double way = std::min({top, allowed_from_, hard_from_}) - bound;
      limit = bound + std::clamp(easy_ - bound, kStep * way, kFarthestStep * way);
    }
  }
  if (limit != last_) {
    spent_ = 0;
    nearly_ = false;
  }
  last_ = limit;
  spent_ += ticks;
  return limit;
}

std::uint64_t LimitLadder::patience() const {
  if (is_brief_ && last_ == top_) return given_.other * (nearly_ ? kMorePatience : 1);
  const std::uint64_t as_far = last_ == top_ ? patience_top_ : patience_;
  return as_far * (is_near_ ? given_.times_near : 1) * (nearly_ ? kMorePatience : 1);
}

std::uint64_t LimitLadder::within_patience(std::uint64_t ticks) {
  const std::uint64_t too_many =
      std::min(ticks - std::min<std::uint64_t>(ticks, 1), spent_ - std::min(spent_, patience()));
  spent_ -= too_many;
  return ticks - too_many;
}

void LimitLadder::refuted(double likely) {
  ++climbed_;
  vain_ = 0;
  likely_ = 0;
  easy_ = likely;
  spent_ = 0;
  if (likely < top_) return;
  top_failed_ = false;
  patience_top_ = std::max(given_.top, patience_top_);
}

void LimitLadder::impossible(double likely) {
  allowed_from_ = std::min(allowed_from_, last_);
  easy_ = is_near_ ? likely * (1 - kJudgedTooWell) : 0;
  likely_ = 0;
  spent_ = 0;
  if (last_ == top_) resume();
}

void LimitLadder::resume() {
  is_brief_ = false;
  const Interrupted before = std::exchange(interrupted_, {});
  if (before.limit == 0) return;
  last_ = before.limit;
  missing_ = before.missing;
  spent_ = before.spent;
  likely_ = 0;
  nearly_ = false;
  top_failed_ = true;
}

void LimitLadder::undecided(bool unproved, double likely, bool nearly) {
  const bool at_top = last_ == top_;
  nearly_ = nearly && is_near_;
  missing_ = likely > 0 ? last_ - likely : 0;
  if (!unproved && spent_ < patience()) return;
  spent_ = 0;
  easy_ = 0;
  // What only seemed easy was judged too well: the next one is further off.
  likely_ = likely > 0 && last_ == likely_ ? last_ - kFurther * (last_ - likely) : likely;
  if (at_top) {
    top_failed_ = true;
    resume();
  } else {
    hard_from_ = std::min(hard_from_, last_);
    ++failed_;
  }
}

}  // namespace partita::detail
