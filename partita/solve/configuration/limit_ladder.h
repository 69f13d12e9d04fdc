// SPDX-License-Identifier: Apache-2.0
// Which limit to try to refute next, given how it went with those before.
//
// First just below the best value, for as long as most such proofs take; then between the bound and the lowest limit
// that took too long. When the two have met, everything is tried again with more patience, first of all just below the
// best value, unless the bound is still far from it. A limit that the relaxation allows is never tried again, nor is one
// above it; where that leaves nothing between it and the bound, the ladder is exhausted, but only for values as large: a
// better one is tried as any other.
//
// Where little is open, what was spent on a limit is not given up easily: patience is longer, and the next one below a
// limit that was allowed is the one that its prices seem to refute. A better value just below a limit that was allowed is
// tried for a short time only; then the limit it interrupted goes on. It does not interrupt one whose prices fall short of
// a refutation by less than the value is away.
//
// Who gave up a limit may know one that is likely to be refuted at once: that one comes next. And who refuted one may know
// how much higher its prices reach: so far up goes the next step.
#pragma once

#include <cstdint>
#include <limits>

namespace partita::detail {

// A lower limit that prices seem to refute which fall short of refuting this one by a factor (ConfigurationLp::shortfall);
// 0 if they know nothing.
double likely_limit(double limit, double shortfall);
// A higher one, of prices that have refuted this one with room to spare.
double likely_limit_above(double limit, double shortfall);

class LimitLadder {
 public:
  // In ticks: just below the best value, and elsewhere. The first round is a quick one, for graphs whose every limit
  // takes long; the second has the time that most proofs need.
  struct Patience {
    std::uint64_t first_top = 1'000'000, first = 500'000, top = 16'000'000, other = 6'000'000;
    double far = 1;  // of the value: with a gap this large, later rounds do not begin just below the best value
    bool far_at_first = false;  // nor does the first one, and a better value is no reason to begin anew
    // With a gap smaller than this part of the value, every limit has so many times the patience.
    double near = 0;
    std::uint64_t times_near = 1;
  };

  LimitLadder() : LimitLadder(Patience()) {}
  explicit LimitLadder(const Patience& patience);

  // The limit for a turn of so many ticks, or 0 if there is none worth trying, which is when it is exhausted().
  double next(double value, double bound, std::uint64_t ticks);
  // Of these ticks, as many as the last limit is worth; for who has use for the rest of the turn.
  std::uint64_t within_patience(std::uint64_t ticks);

  // What came of the last limit.
  void refuted(double likely = 0);     // a higher limit that seems easy by now, or 0
  void impossible(double likely = 0);  // the relaxation allows it; a lower one that its prices seem to refute, or 0
  // A better split was made of what the relaxation allows. It hardly refutes the limit just below, so others come first.
  void split_was_allowed() { top_is_hopeless_ = true; }
  // The turn ended; or (unproved) a refutation did not pass its check. `likely` is a lower limit that seems easy, or 0.
  // Nearly: prices that may be a proof, which nobody knows for want of finer buckets.
  void undecided(bool unproved, double likely = 0, bool nearly = false);

  // Whether the last limit was the one just below the best value.
  bool is_at_top() const { return last_ == top_; }
  // The one just below the best value is not to be had for now.
  bool is_below_top() const { return top_failed_ || top_ >= allowed_from_; }
  // So many rounds in a row, nothing was refuted.
  int rounds_in_vain() const { return vain_; }
  // Whether it was one that seemed easy.
  bool is_likely() const { return last_ == likely_; }

  // The lowest limit that the relaxation allows, as far as is known; infinity if there is none.
  double allowed_from() const { return allowed_from_; }
  // The relaxation can do no more between this bound and this value.
  bool exhausted(double value, double bound) const;

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  std::uint64_t patience() const;  // with the last limit
  void resume();                   // what the top interrupted goes on

  const Patience given_;
  double last_ = 0;              // the limit tried last
  double top_ = 0;               // just below the best value, as of the last call
  double allowed_from_ = kNone;  // the relaxation allows limits from here on
  double hard_from_ = kNone;     // limits from here on took too long
  double likely_ = 0;            // worth a try before all others; 0: none is
  double easy_ = 0;              // the next limit on the way up need not be lower; 0: nobody knows
  std::uint64_t spent_ = 0;      // ticks on the limit tried last
  std::uint64_t patience_top_, patience_;
  bool top_failed_ = false, top_is_hopeless_ = false;
  bool is_near_ = false;   // little is open
  double missing_ = 0;     // how far below the limit tried last is the one that its prices seem to refute
  bool is_brief_ = false;  // the top has not much time
  struct Interrupted {
    double limit = 0, missing = 0;
    std::uint64_t spent = 0;
  };
  Interrupted interrupted_;       // by a brief try of the top; the limit is 0 if none was
  bool nearly_ = false;           // prices may be a proof of the limit tried last
  int vain_ = 0;                  // rounds in a row in which nothing was refuted
  int climbed_ = 0, failed_ = 0;  // limits refuted and not refuted in this round, and how many there may be
  int steps_, failures_;
};

}  // namespace partita::detail
