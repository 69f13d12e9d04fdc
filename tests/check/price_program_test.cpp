// SPDX-License-Identifier: Apache-2.0
// The dearest set of random small questions, by trying every set: classes with
// several points, orders with cycles, pairs together or apart, transfers, negative prices.
#include "partita/check/price_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

#include "tests/support/cases.h"

namespace partita::detail {
namespace {

struct RandomQuestion {
  std::vector<PointOrder::Arc> arcs;
  PointOrder order;
  PriceQuestion question;
};

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return random_() % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  std::mt19937_64& engine() { return random_; }

 private:
  std::mt19937_64 random_;
};

void make_question(std::uint64_t seed, RandomQuestion& made) {
  Dice dice(seed);
  PriceQuestion& question = made.question;
  const std::size_t n = 1 + dice.below(9);
  for (std::size_t c = 0; c < n; ++c) {
    const std::int64_t price = static_cast<std::int64_t>(dice.below(40)) - 12;
    question.classes.push_back({static_cast<std::int64_t>(dice.below(10)), price, !dice.one_in(12)});
  }
  if (n >= 2) {
    for (std::size_t e = dice.below(2 * n); e-- > 0;) {
      std::vector<std::size_t> members;
      for (std::size_t c = 0; c < n; ++c) {
        if (dice.one_in(3)) members.push_back(c);
      }
      if (members.size() >= 2) question.transfers.push_back({static_cast<std::int64_t>(1 + dice.below(6)), members});
    }
    // Often some that end alike: what several classes make is read by all from some class on.
    if (const std::size_t read_from = 1 + dice.below(n - 1); dice.one_in(2)) {
      for (std::size_t made_by = 0; made_by < read_from; ++made_by) {
        question.transfers.push_back({static_cast<std::int64_t>(1 + dice.below(2)), {made_by}});
        for (std::size_t c = read_from; c < n; ++c) question.transfers.back().members.push_back(c);
      }
    }
    for (std::size_t i = dice.one_in(2) ? 1 + dice.below(2) : 0; i-- > 0;) {
      const std::size_t a = dice.below(n), b = (a + 1 + dice.below(n - 1)) % n;
      question.pairs.push_back({a, b, dice.one_in(2)});
    }
  }
  const bool several = dice.one_in(2);
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t p = several ? dice.below(4) : 1; p-- > 0;) question.class_of_point.push_back(c);
  }
  std::shuffle(question.class_of_point.begin(), question.class_of_point.end(), dice.engine());
  const std::size_t points = question.class_of_point.size();
  const bool cycles = dice.one_in(4);
  const std::size_t rarity = 2 + dice.below(5);
  for (std::size_t p = 0; p < points; ++p) {
    for (std::size_t q = 0; q < points; ++q) {
      if (p != q && (p < q || (cycles && dice.one_in(6))) && dice.one_in(rarity)) made.arcs.emplace_back(p, q);
    }
  }
  made.order = PointOrder(points, made.arcs, dice.one_in(5) ? 0 : std::size_t{1} << 20);
  question.order = &made.order;
  question.forgotten.assign(points, 0);
  question.limit = static_cast<std::int64_t>(5 + dice.below(40));
  question.theta = dice.one_in(3) ? 0 : static_cast<std::int64_t>(dice.below(std::size_t{8} << kThetaShift));
  question.buckets = 1'000'000;
}

bool holds(std::uint32_t set, std::size_t c) { return set >> c & 1; }

// By the definition: no path leaves the points of the set and comes back.
bool is_convex(const PriceQuestion& question, const std::vector<PointOrder::Arc>& arcs, std::uint32_t set) {
  const std::size_t points = question.class_of_point.size();
  const auto in = [&](std::size_t p) { return holds(set, question.class_of_point[p]); };
  std::vector<char> left(points, 0);  // on a path that has left the set
  for (bool more = true; more;) {
    more = false;
    for (const auto& [p, q] : arcs) {
      if (!in(p) && !left[p]) continue;
      if (left[p] && in(q)) return false;
      if (in(q) || left[q]) continue;
      left[q] = 1;
      more = true;
    }
  }
  return true;
}

std::optional<std::int64_t> dearest(const PriceQuestion& question, const std::vector<PointOrder::Arc>& arcs) {
  std::optional<std::int64_t> best;
  for (std::uint32_t set = 0; set < 1u << question.classes.size(); ++set) {
    std::int64_t load = 0, price = 0;
    bool allowed = true;
    for (std::size_t c = 0; c < question.classes.size(); ++c) {
      if (!holds(set, c)) continue;
      load += question.classes[c].load;
      price += question.classes[c].price;
      allowed = allowed && question.classes[c].may_be_taken;
    }
    for (const auto& [cost, members] : question.transfers) {
      const auto inside = std::count_if(members.begin(), members.end(), [&](std::size_t c) { return holds(set, c); });
      if (inside > 0 && inside < static_cast<std::ptrdiff_t>(members.size())) load += cost;
    }
    for (const auto& [a, b, together] : question.pairs)
      allowed = allowed && (together ? holds(set, a) == holds(set, b) : !(holds(set, a) && holds(set, b)));
    if (allowed && load <= question.limit && is_convex(question, arcs, set))
      best = std::max(best.value_or(price), price);
  }
  return best;
}

bool none_dearer(PriceQuestion question, std::int64_t than) {
  question.goal = than;
  Budget budget;
  return look_for_dearer_set(question, budget) == PriceAnswer::NoneDearer;
}

TEST(PriceProgram, FindsTheDearestSetOfBruteForce) {
  for (std::uint64_t seed = 1; seed <= test::cases(4000); ++seed) {
    RandomQuestion made;
    make_question(seed, made);
    const std::optional<std::int64_t> best = dearest(made.question, made.arcs);
    if (!best) continue;
    EXPECT_TRUE(none_dearer(made.question, *best)) << "seed " << seed;
    EXPECT_FALSE(none_dearer(made.question, *best - 1)) << "seed " << seed;
  }
}

// Whatever makes the program smaller lets it find sets that are too dear, and never hides one.
TEST(PriceProgram, NeverHidesASet) {
  std::size_t weaker = 0;
  for (std::uint64_t seed = 1; seed <= test::cases(4000); ++seed) {
    RandomQuestion made;
    make_question(seed, made);
    Dice dice(seed + 1'000'000);
    const std::optional<std::int64_t> best = dearest(made.question, made.arcs);
    if (!best) continue;
    for (char& forgotten : made.question.forgotten) forgotten = dice.one_in(3);
    made.question.buckets = static_cast<int>(1 + dice.below(dice.one_in(2) ? 4 : 1000));
    std::erase_if(made.question.transfers, [&](const auto&) { return dice.one_in(4); });
    std::vector<std::size_t> order(made.question.classes.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), dice.engine());
    const PriceQuestion question = reordered(made.question, order);
    EXPECT_FALSE(none_dearer(question, *best - 1)) << "seed " << seed;
    weaker += !none_dearer(question, *best);
  }
  EXPECT_GT(weaker, 0u);
}

}  // namespace
}  // namespace partita::detail
